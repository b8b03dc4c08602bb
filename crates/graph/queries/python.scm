(class_definition name: (identifier) @name) @symbol.class
(function_definition name: (identifier) @name) @symbol.function
(module (expression_statement (assignment left: (identifier) @name)) @symbol.variable)
((module (expression_statement (assignment left: (identifier) @name)) @symbol.constant) (#match? @name "^_?[A-Z][A-Z0-9_]*$"))
(type_alias_statement left: (type (identifier) @name)) @symbol.type

(call function: (identifier) @call)
(call function: (attribute object: (_) @qualifier attribute: (identifier) @call))
(decorator (identifier) @call)
(decorator (attribute object: (_) @qualifier attribute: (identifier) @call))

((identifier) @reference (#match? @reference "^_?[A-Z]"))
((attribute object: (_) @qualifier attribute: (identifier) @reference) (#match? @reference "^_?[A-Z]"))
(type (identifier) @reference)
(argument_list (identifier) @value)
(keyword_argument value: (identifier) @value)
(dictionary (pair value: (identifier) @value))

(class_definition superclasses: (argument_list (identifier) @implements))
(class_definition superclasses: (argument_list (attribute object: (_) @qualifier attribute: (identifier) @implements)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @implements)))

(import_statement name: (dotted_name) @import.path) @import
(import_statement name: (aliased_import name: (dotted_name) @import.path alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.path name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @import.path name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @import.path (wildcard_import) @import.all) @import
