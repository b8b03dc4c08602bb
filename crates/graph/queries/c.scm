; Prototypes are no symbols: what they announce is defined elsewhere.
(function_definition declarator: (_) @declarator) @symbol.function
(struct_specifier name: (type_identifier) @name body: (_)) @symbol.struct
(union_specifier name: (type_identifier) @name body: (_)) @symbol.struct
(enum_specifier name: (type_identifier) @name body: (_)) @symbol.enum
(type_definition declarator: (type_identifier) @name) @symbol.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @symbol.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @symbol.type
(preproc_def name: (identifier) @name value: (_)) @symbol.constant
(preproc_function_def name: (identifier) @name) @symbol.macro
; Only what stands in no function, and no `extern` without a value: that is defined elsewhere.
((translation_unit (declaration declarator: (_) @declarator) @symbol.variable) (#not-match? @symbol.variable "^extern\\s[^=]*$"))
((declaration_list (declaration declarator: (_) @declarator) @symbol.variable) (#not-match? @symbol.variable "^extern\\s[^=]*$"))
((translation_unit [(preproc_ifdef (declaration declarator: (_) @declarator) @symbol.variable) (preproc_if (declaration declarator: (_) @declarator) @symbol.variable)]) (#not-match? @symbol.variable "^extern\\s[^=]*$"))

(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @call))

(type_identifier) @reference
((identifier) @reference (#match? @reference "^[A-Z][A-Z0-9_]+$"))
(argument_list (identifier) @value)
(init_declarator value: (identifier) @value)
(assignment_expression right: (identifier) @value)

(preproc_include path: (string_literal (string_content) @import.path) @import.all) @import
(preproc_include path: (system_lib_string) @import.path @import.all) @import
