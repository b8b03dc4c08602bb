//! A symbol as `ralph graph` shows it.

use ralph_graph::{Graph, Node, SymbolId};
use serde::Serialize;

use crate::render::{FAINT, HEAD, inert, paint};

#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(super) struct Symbol {
    name: String,
    /// With all that it stands in, as its language writes it.
    qualified: String,
    /// function, method, class, struct, interface, trait, enum, module, macro, constant, type, variable or property.
    kind: &'static str,
    language: &'static str,
    /// Below the root of the project.
    pub(super) path: String,
    pub(super) line: u32,
    last_line: u32,
    first_byte: u32,
    /// The first one after it.
    end_byte: u32,
    /// Its beginning up to its body, on one line.
    pub(super) signature: String,
    /// Of its text: another one tells that it was changed.
    digest: String,
}

impl Symbol {
    pub(super) fn new(graph: &Graph, id: SymbolId) -> Symbol {
        let symbol = graph.symbol(id);
        Symbol {
            name: symbol.name.to_owned(),
            qualified: symbol.qualified(),
            kind: symbol.kind.name(),
            language: symbol.language.name(),
            path: symbol.path.to_owned(),
            line: symbol.lines.0,
            last_line: symbol.lines.1,
            first_byte: symbol.bytes.0,
            end_byte: symbol.bytes.1,
            signature: symbol.signature.to_owned(),
            digest: symbol.digest.to_string(),
        }
    }

    /// `src/a.rs:12 method Basket::add`, and what it begins with.
    pub(super) fn lines(&self) -> String {
        let place = paint(FAINT, &format!("{}:{}", inert(&self.path), self.line));
        let name = paint(HEAD, &inert(&self.qualified));
        format!("{place} {} {name}\n    {}\n", self.kind, inert(&self.signature))
    }

    pub(super) fn heading(&self) -> String {
        let place = paint(FAINT, &format!("{}:{}", inert(&self.path), self.line));
        format!("{} {} {place}\n", self.kind, paint(HEAD, &inert(&self.qualified)))
    }
}

/// A symbol, or a file as a whole.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(super) struct Thing {
    /// Below the root of the project.
    pub(super) path: String,
    /// Null for a file as a whole.
    pub(super) symbol: Option<Symbol>,
}

impl Thing {
    pub(super) fn new(graph: &Graph, node: Node) -> Thing {
        match node {
            Node::File(file) => Thing { path: graph.path(file).to_owned(), symbol: None },
            Node::Symbol(id) => {
                let symbol = Symbol::new(graph, id);
                Thing { path: symbol.path.clone(), symbol: Some(symbol) }
            }
        }
    }

    /// On one line.
    pub(super) fn words(&self) -> String {
        match &self.symbol {
            None => inert(&self.path),
            Some(symbol) => {
                let place = paint(FAINT, &format!("{}:{}", inert(&symbol.path), symbol.line));
                format!("{} {} {place}", symbol.kind, inert(&symbol.qualified))
            }
        }
    }
}
