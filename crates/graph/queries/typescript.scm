(class_declaration name: (type_identifier) @name) @symbol.class
(abstract_class_declaration name: (type_identifier) @name) @symbol.class
(interface_declaration name: (type_identifier) @name) @symbol.interface
(enum_declaration name: (identifier) @name) @symbol.enum
(type_alias_declaration name: (type_identifier) @name) @symbol.type
(internal_module name: (_) @name) @symbol.module
(module name: (_) @name) @symbol.module
(method_signature name: (property_identifier) @name) @symbol.method
(abstract_method_signature name: (property_identifier) @name) @symbol.method
(function_signature name: (identifier) @name) @symbol.function
(public_field_definition name: (property_identifier) @name value: [(arrow_function) (function_expression)]) @symbol.method

(type_identifier) @reference
(nested_type_identifier module: (_) @qualifier name: (type_identifier) @reference)

(extends_clause value: (identifier) @implements)
(extends_clause value: (member_expression object: (_) @qualifier property: (property_identifier) @implements))
(implements_clause (type_identifier) @implements)
(implements_clause (generic_type name: (type_identifier) @implements))
(implements_clause (nested_type_identifier module: (_) @qualifier name: (type_identifier) @implements))
(extends_type_clause type: (type_identifier) @implements)
(extends_type_clause type: (generic_type name: (type_identifier) @implements))
