(namespace_definition name: (namespace_name) @name body: (_)) @symbol.module
(namespace_definition name: (namespace_name) @name !body) @scope.file
(function_definition name: (name) @name) @symbol.function
(method_declaration name: (name) @name) @symbol.method
(class_declaration name: (name) @name) @symbol.class
(interface_declaration name: (name) @name) @symbol.interface
(trait_declaration name: (name) @name) @symbol.trait
(enum_declaration name: (name) @name) @symbol.enum
(const_declaration (const_element . (name) @name)) @symbol.constant

(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name prefix: (_) @qualifier (name) @call))
(member_call_expression object: (_) @receiver name: (name) @call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @call)
(scoped_call_expression scope: (_) @qualifier name: (name) @call)
(object_creation_expression (name) @call)
(object_creation_expression (qualified_name (name) @call))

(named_type (name) @reference)
(named_type (qualified_name (name) @reference))
(scoped_call_expression scope: (name) @reference)
(class_constant_access_expression . (name) @reference)
(class_constant_access_expression . (_) @qualifier (name) @reference .)
(attribute (name) @reference)

(base_clause (name) @implements)
(base_clause (qualified_name (name) @implements))
(class_interface_clause (name) @implements)
(class_interface_clause (qualified_name (name) @implements))
(use_declaration (name) @implements)

(namespace_use_declaration) @import.tree @import
(require_once_expression (string (string_content) @import.path @import.all)) @import
(require_expression (string (string_content) @import.path @import.all)) @import
(include_once_expression (string (string_content) @import.path @import.all)) @import
(include_expression (string (string_content) @import.path @import.all)) @import
