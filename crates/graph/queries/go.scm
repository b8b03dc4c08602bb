(function_declaration name: (identifier) @name) @symbol.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @container
    (pointer_type (type_identifier) @container)
    (generic_type type: (type_identifier) @container)
    (pointer_type (generic_type type: (type_identifier) @container))]))
  name: (field_identifier) @name) @symbol.method
(type_spec name: (type_identifier) @name type: (struct_type)) @symbol.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @symbol.interface
(type_spec name: (type_identifier) @name) @symbol.type
(type_alias name: (type_identifier) @name) @symbol.type
(method_elem name: (field_identifier) @name) @symbol.method
(source_file (const_declaration (const_spec name: (identifier) @name) @symbol.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @symbol.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @symbol.variable)))

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @qualifier field: (field_identifier) @call))

; With what stands for its types written out, a call looks like a conversion or like an element of something.
(type_conversion_expression type: (generic_type type: (type_identifier) @call))
(type_conversion_expression type: (generic_type type: (qualified_type package: (_) @qualifier name: (type_identifier) @call)))
(call_expression function: (index_expression operand: (identifier) @call))
(call_expression function: (index_expression operand: (selector_expression operand: (_) @qualifier field: (field_identifier) @call)))

(type_identifier) @reference
(qualified_type package: (_) @qualifier name: (type_identifier) @reference)
((selector_expression operand: (identifier) @qualifier field: (field_identifier) @reference) (#match? @reference "^[A-Z]"))
((identifier) @reference (#match? @reference "^[A-Z]"))
(argument_list (identifier) @value)

; Embedding is as near as Go comes to inheritance.
(field_declaration !name type: (type_identifier) @implements)
(field_declaration !name type: (qualified_type package: (_) @qualifier name: (type_identifier) @implements))
(interface_type (type_elem (type_identifier) @implements))

(import_spec !name path: (interpreted_string_literal) @import.path) @import
(import_spec name: (package_identifier) @import.alias path: (interpreted_string_literal) @import.path) @import
(import_spec name: (dot) @import.all path: (interpreted_string_literal) @import.path) @import
