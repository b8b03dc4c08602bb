(function_definition name: (word) @name) @symbol.function
(program (variable_assignment name: (variable_name) @name) @symbol.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @symbol.variable)
((program (declaration_command (variable_assignment name: (variable_name) @name)) @symbol.constant) (#match? @symbol.constant "^(readonly|declare -r)"))

(command name: (command_name (word) @call))
(simple_expansion (variable_name) @reference)
(expansion (variable_name) @reference)

((command name: (command_name (word) @_source) . argument: (_) @import.path @import.all) @import (#any-of? @_source "source" "."))
