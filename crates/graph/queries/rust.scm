(function_item name: (identifier) @name) @symbol.function
(function_signature_item name: (identifier) @name) @symbol.function
(struct_item name: (type_identifier) @name) @symbol.struct
(union_item name: (type_identifier) @name) @symbol.struct
(enum_item name: (type_identifier) @name) @symbol.enum
(trait_item name: (type_identifier) @name) @symbol.trait
(const_item name: (identifier) @name) @symbol.constant
(static_item name: (identifier) @name) @symbol.constant
(mod_item name: (identifier) @name) @symbol.module
(type_item name: (type_identifier) @name) @symbol.type
(associated_type name: (type_identifier) @name) @symbol.type
(macro_definition name: (identifier) @name) @symbol.macro

; What stands in an `impl` belongs to its type.
(impl_item type: (type_identifier) @name) @scope
(impl_item type: (generic_type type: (type_identifier) @name)) @scope
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @scope
(impl_item type: (reference_type type: (type_identifier) @name)) @scope

(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier path: (_) @qualifier name: (identifier) @call))
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @call))
(generic_function function: (identifier) @call)
(generic_function function: (scoped_identifier path: (_) @qualifier name: (identifier) @call))
(generic_function function: (field_expression value: (_) @receiver field: (field_identifier) @call))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier path: (_) @qualifier name: (identifier) @call))
; The arguments of a macro are tokens: a name before parentheses is taken for a call.
((token_tree (identifier) @call . (token_tree) @_arguments) (#match? @_arguments "^\\("))

(type_identifier) @reference
(scoped_type_identifier path: (_) @qualifier name: (type_identifier) @reference)
((scoped_identifier path: (_) @qualifier name: (identifier) @reference) (#match? @reference "^[A-Z]"))
(arguments (scoped_identifier path: (_) @qualifier name: (identifier) @reference))
(arguments (identifier) @value)
((identifier) @reference (#match? @reference "^[A-Z]"))

(impl_item trait: (type_identifier) @implements type: [(type_identifier) @implementer (generic_type type: (type_identifier) @implementer)])
(impl_item trait: (generic_type type: (type_identifier) @implements) type: [(type_identifier) @implementer (generic_type type: (type_identifier) @implementer)])
(impl_item trait: (scoped_type_identifier path: (_) @qualifier name: (type_identifier) @implements) type: [(type_identifier) @implementer (generic_type type: (type_identifier) @implementer)])
(trait_item bounds: (trait_bounds (type_identifier) @implements))

(use_declaration argument: (_) @import.tree) @import
