(namespace_declaration name: (_) @name) @symbol.module
(file_scoped_namespace_declaration name: (_) @name) @scope.file
(class_declaration name: (identifier) @name) @symbol.class
(record_declaration name: (identifier) @name) @symbol.class
(struct_declaration name: (identifier) @name) @symbol.struct
(interface_declaration name: (identifier) @name) @symbol.interface
(enum_declaration name: (identifier) @name) @symbol.enum
(delegate_declaration name: (identifier) @name) @symbol.type
(method_declaration name: (identifier) @name) @symbol.method
(constructor_declaration name: (identifier) @name) @symbol.method
(destructor_declaration "~" @name.begin name: (_) @name.end) @symbol.method
(property_declaration name: (identifier) @name) @symbol.property
(indexer_declaration "this" @name) @symbol.property
(event_declaration name: (identifier) @name) @symbol.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @symbol.property
(operator_declaration "operator" @name.begin operator: _ @name.end) @symbol.method
(conversion_operator_declaration "operator" @name.begin type: (_) @name.end) @symbol.method
(local_function_statement name: (identifier) @name) @symbol.function
((field_declaration (modifier) @_modifier (variable_declaration (variable_declarator name: (identifier) @name))) @symbol.constant (#eq? @_modifier "const"))

(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression expression: (_) @qualifier name: (identifier) @call))
(invocation_expression function: (member_access_expression expression: (_) @qualifier name: (generic_name (identifier) @call)))
(invocation_expression function: (conditional_access_expression condition: (_) @receiver (member_binding_expression name: (identifier) @call)))
(object_creation_expression type: (identifier) @call)
(object_creation_expression type: (generic_name (identifier) @call))
(object_creation_expression type: (qualified_name qualifier: (_) @qualifier name: (identifier) @call))

(object_creation_expression type: (qualified_name qualifier: (_) @qualifier name: (generic_name (identifier) @call)))
(qualified_name qualifier: (_) @qualifier name: (identifier) @reference)
(qualified_name qualifier: (_) @qualifier name: (generic_name (identifier) @reference))
((identifier) @reference (#match? @reference "^[A-Z]"))
((member_access_expression expression: (_) @qualifier name: (identifier) @reference) (#match? @reference "^[A-Z]"))
((conditional_access_expression condition: (_) @receiver (member_binding_expression name: (identifier) @reference)) (#match? @reference "^[A-Z]"))
(argument (identifier) @value)
(assignment_expression right: (identifier) @value)
(attribute name: (identifier) @reference)

(base_list (identifier) @implements)
(base_list (generic_name (identifier) @implements))
(base_list (qualified_name qualifier: (_) @qualifier name: (identifier) @implements))
(base_list (qualified_name qualifier: (_) @qualifier name: (generic_name (identifier) @implements)))
(base_list (primary_constructor_base_type type: (identifier) @implements))

(using_directive !name [(qualified_name) (identifier)] @import.path @import.all) @import
(using_directive name: (identifier) @import.alias [(qualified_name) (generic_name)] @import.path) @import
