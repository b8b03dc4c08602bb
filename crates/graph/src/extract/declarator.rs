//! What a declarator of C or C++ names, however deep in pointers, references and scopes the name stands.

use std::ops::Range;

use tree_sitter::Node;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Declared<'t> {
    pub(super) name: Range<usize>,
    /// What is written before the name, from the outside to the inside.
    pub(super) scopes: Vec<Node<'t>>,
    /// Otherwise a variable, be it one that points to a function, or a type.
    pub(super) is_function: bool,
}

/// Nothing if it names nothing, as a structured binding does, or several things.
pub(super) fn declared(mut node: Node<'_>) -> Option<Declared<'_>> {
    let mut scopes = Vec::new();
    // What is nearest to the name says what it is: `(*f)(int)` is a pointer, and `*f(int)` a function.
    let mut is_function = false;
    loop {
        node = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name" | "operator_name" => {
                return Some(Declared { name: node.byte_range(), scopes, is_function });
            }
            "operator_cast" => {
                let name = node.start_byte()..parameters(node)?.start_byte();
                return Some(Declared { name, scopes, is_function: true });
            }
            "qualified_identifier" => {
                scopes.extend(node.child_by_field_name("scope"));
                node.child_by_field_name("name")?
            }
            "template_type" | "template_function" => node.child_by_field_name("name")?,
            "parenthesized_declarator" => last_child(node)?,
            "function_declarator" => {
                is_function = true;
                node.child_by_field_name("declarator")?
            }
            "pointer_declarator" | "array_declarator" | "init_declarator" => {
                is_function = false;
                node.child_by_field_name("declarator")?
            }
            "reference_declarator" => {
                is_function = false;
                last_child(node)?
            }
            _ => return None,
        };
    }
}

fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(node.named_child_count().checked_sub(1)? as u32)
}

/// `operator bool()` has its parameters within what it converts to.
fn parameters(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        if let Some(found) = node.child_by_field_name("parameters") {
            return Some(found);
        }
        node = node.child_by_field_name("declarator").or_else(|| last_child(node))?;
    }
}
