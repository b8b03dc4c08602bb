; What JavaScript and TypeScript have in common.
(function_declaration name: (identifier) @name) @symbol.function
(generator_function_declaration name: (identifier) @name) @symbol.function
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @symbol.method
(lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])) @symbol.function
(variable_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])) @symbol.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class))) @symbol.class
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @symbol.method
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @symbol.function
  (#match? @_exports "^(module\\.)?exports$"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @symbol.method
  (#eq? @_prototype "prototype"))

; Only what stands at the top of a file: anything else is a detail of a function.
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @symbol.constant)
(program (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @symbol.constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @symbol.variable)
(program (export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @symbol.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name)) @symbol.variable)

(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @qualifier property: [(property_identifier) (private_property_identifier)] @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @qualifier property: (property_identifier) @call))

((identifier) @reference (#match? @reference "^[A-Z]"))
(arguments (identifier) @value)
(pair value: (identifier) @value)
(object (shorthand_property_identifier) @value)

(import_statement (import_clause (identifier) @import.alias) source: (string (string_fragment) @import.path)) @import
(import_statement (import_clause (named_imports (import_specifier name: (identifier) @import.name !alias))) source: (string (string_fragment) @import.path)) @import
(import_statement (import_clause (named_imports (import_specifier name: (identifier) @import.name alias: (identifier) @import.alias))) source: (string (string_fragment) @import.path)) @import
(import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (string (string_fragment) @import.path)) @import
(import_statement . source: (string (string_fragment) @import.file)) @import
(export_statement (export_clause (export_specifier name: (identifier) @import.name !alias)) source: (string (string_fragment) @import.path)) @import
(export_statement (export_clause (export_specifier name: (identifier) @import.name alias: (identifier) @import.alias)) source: (string (string_fragment) @import.path)) @import
(export_statement . "*" source: (string (string_fragment) @import.path @import.all)) @import
((variable_declarator name: (identifier) @import.alias value: (call_expression function: (identifier) @_require arguments: (arguments . (string (string_fragment) @import.path)))) @import (#eq? @_require "require"))
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name) value: (call_expression function: (identifier) @_require arguments: (arguments . (string (string_fragment) @import.path)))) @import (#eq? @_require "require"))
((variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias)) value: (call_expression function: (identifier) @_require arguments: (arguments . (string (string_fragment) @import.path)))) @import (#eq? @_require "require"))
