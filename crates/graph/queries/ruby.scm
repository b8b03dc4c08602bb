(class name: (constant) @name) @symbol.class
(class name: (scope_resolution scope: (_) @container name: (constant) @name)) @symbol.class
(module name: (constant) @name) @symbol.module
(module name: (scope_resolution scope: (_) @container name: (constant) @name)) @symbol.module
(method name: (_) @name) @symbol.function
(singleton_method name: (_) @name) @symbol.function
((call method: (identifier) @_attr arguments: (argument_list [(simple_symbol) @name (string (string_content) @name)])) @symbol.function (#any-of? @_attr "attr_reader" "attr_writer" "attr_accessor"))
(assignment left: (constant) @name) @symbol.constant

(call !receiver method: (identifier) @call)
(call receiver: (_) @qualifier method: (identifier) @call)
; A name that is a whole statement is a call without arguments.
(body_statement (identifier) @call)
(program (identifier) @call)

; A method that is handed over: `each(&method(:show))`.
((call !receiver method: (identifier) @_method arguments: (argument_list . (simple_symbol) @value .)) (#eq? @_method "method"))

(constant) @reference
(scope_resolution scope: (_) @qualifier name: (constant) @reference)

(superclass (constant) @implements)
(superclass (scope_resolution scope: (_) @qualifier name: (constant) @implements))
((call method: (identifier) @_mixin arguments: (argument_list (constant) @implements)) (#any-of? @_mixin "include" "extend" "prepend"))
((call method: (identifier) @_mixin arguments: (argument_list (scope_resolution scope: (_) @qualifier name: (constant) @implements))) (#any-of? @_mixin "include" "extend" "prepend"))

((call method: (identifier) @_require arguments: (argument_list . (string (string_content) @import.path @import.all))) @import (#any-of? @_require "require" "load"))
((call method: (identifier) @_require arguments: (argument_list . (string (string_content) @import.near @import.all))) @import (#eq? @_require "require_relative"))
