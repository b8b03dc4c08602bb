; What C++ has beyond C.
(class_specifier name: (type_identifier) @name body: (_)) @symbol.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @symbol.class
(namespace_definition name: (_) @name) @symbol.module
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @symbol.variable)
(alias_declaration name: (type_identifier) @name) @symbol.type
(concept_definition name: (identifier) @name) @symbol.type
(function_definition declarator: (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)) @symbol.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @symbol.method
(function_definition declarator: (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @symbol.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @symbol.function
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name))) @symbol.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: (identifier) @name)))) @symbol.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name)))) @symbol.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name)))) @symbol.method
; Declared in a class and defined nowhere: purely virtual.
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name) default_value: (number_literal)) @symbol.method

(call_expression function: (qualified_identifier scope: (_) @qualifier name: (identifier) @call))
(call_expression function: (qualified_identifier name: (qualified_identifier scope: (_) @qualifier name: (identifier) @call)))
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (qualified_identifier scope: (_) @qualifier name: (template_function name: (identifier) @call)))
(call_expression function: (field_expression argument: (_) @receiver field: (template_method name: (field_identifier) @call)))
(new_expression type: (type_identifier) @call)

(qualified_identifier scope: (_) @qualifier name: (type_identifier) @reference)
((identifier) @reference (#match? @reference "^[A-Z]"))

(base_class_clause (type_identifier) @implements)
(base_class_clause (template_type name: (type_identifier) @implements))
(base_class_clause (qualified_identifier scope: (_) @qualifier name: (type_identifier) @implements))
(base_class_clause (qualified_identifier scope: (_) @qualifier name: (template_type name: (type_identifier) @implements)))
