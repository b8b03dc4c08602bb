; What C++ has beyond C.
(class_specifier name: (type_identifier) @name body: (_)) @symbol.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @symbol.class
(class_specifier name: (qualified_identifier) @declarator body: (_)) @symbol.class
(struct_specifier name: (qualified_identifier) @declarator body: (_)) @symbol.struct
(namespace_definition name: (_) @name) @symbol.module
((translation_unit (template_declaration (declaration declarator: (_) @declarator) @symbol.variable)) (#not-match? @symbol.variable "^extern\\s[^=]*$"))
((declaration_list (template_declaration (declaration declarator: (_) @declarator) @symbol.variable)) (#not-match? @symbol.variable "^extern\\s[^=]*$"))
(alias_declaration name: (type_identifier) @name) @symbol.type
(concept_definition name: (identifier) @name) @symbol.type
; Declared in a class and defined nowhere: purely virtual.
(field_declaration declarator: (_) @declarator default_value: (number_literal)) @symbol.method

(call_expression function: (qualified_identifier scope: (_) @qualifier name: (identifier) @call))
(call_expression function: (qualified_identifier name: (qualified_identifier scope: (_) @qualifier name: (identifier) @call)))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: (_) @qualifier name: (identifier) @call))))
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
