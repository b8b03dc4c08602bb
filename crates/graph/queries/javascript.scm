(class_declaration name: (identifier) @name) @symbol.class
(field_definition property: (property_identifier) @name value: [(arrow_function) (function_expression)]) @symbol.method
(class_heritage (identifier) @implements)
(class_heritage (member_expression object: (_) @qualifier property: (property_identifier) @implements))
