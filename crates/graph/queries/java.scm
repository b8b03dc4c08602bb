(package_declaration [(scoped_identifier) (identifier)] @name) @scope.file
(class_declaration name: (identifier) @name) @symbol.class
(record_declaration name: (identifier) @name) @symbol.class
(interface_declaration name: (identifier) @name) @symbol.interface
(annotation_type_declaration name: (identifier) @name) @symbol.interface
(enum_declaration name: (identifier) @name) @symbol.enum
(method_declaration name: (identifier) @name) @symbol.method
(constructor_declaration name: (identifier) @name) @symbol.method
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)) @symbol.constant
  (#match? @_modifiers "static") (#match? @_modifiers "final"))

(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @qualifier name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type (type_identifier) @call))
(method_reference . (_) @qualifier (identifier) @call .)

(type_identifier) @reference
(marker_annotation name: (identifier) @reference)
(annotation name: (identifier) @reference)
((identifier) @reference (#match? @reference "^[A-Z]"))

(superclass (type_identifier) @implements)
(superclass (generic_type (type_identifier) @implements))
(superclass (scoped_type_identifier . (_) @qualifier (type_identifier) @implements .))
(super_interfaces (type_list (scoped_type_identifier . (_) @qualifier (type_identifier) @implements .)))
(extends_interfaces (type_list (scoped_type_identifier . (_) @qualifier (type_identifier) @implements .)))
(super_interfaces (type_list (type_identifier) @implements))
(super_interfaces (type_list (generic_type (type_identifier) @implements)))
(extends_interfaces (type_list (type_identifier) @implements))
(extends_interfaces (type_list (generic_type (type_identifier) @implements)))

(import_declaration (scoped_identifier scope: (_) @import.path name: (identifier) @import.name) . ";") @import
(import_declaration (scoped_identifier) @import.path (asterisk) @import.all) @import
