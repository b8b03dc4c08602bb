//! Symbols and files by what people call them.

use crate::graph::{FileId, Graph, SymbolId};
use crate::resolve::last_part;

/// Something of a graph that can be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    Symbol(SymbolId),
    File(FileId),
}

impl Graph {
    /// What is meant by a text: a file's path, `name`, `Type::name` or `Type.name`, `path:name`, or `path:line` for the
    /// innermost symbol there. A name can mean several symbols.
    pub fn find(&self, text: &str) -> Vec<Node> {
        if let Some(file) = self.file(text) {
            return vec![Node::File(file)];
        }
        let nodes = |ids: Vec<SymbolId>| ids.into_iter().map(Node::Symbol).collect();
        // Of `a.rs:b::c`, the first colon is the one after the path.
        for (at, _) in text.match_indices(':') {
            let (path, rest) = (&text[..at], &text[at + 1..]);
            if let Some(file) = self.file(path) {
                return nodes(match rest.parse() {
                    Ok(line) => self.at_line(file, line).into_iter().collect(),
                    Err(_) => self.named(rest).into_iter().filter(|id| self.file_of(*id) == file).collect(),
                });
            }
        }
        nodes(self.named(text))
    }

    /// Every symbol of this name, with the end of its container before it if that is wanted.
    pub fn named(&self, text: &str) -> Vec<SymbolId> {
        let name = last_part(text);
        let container = text.strip_suffix(name).unwrap_or_default().trim_end_matches(['.', ':', '\\', '#']);
        let Some(number) = self.parts.names.find(name) else { return Vec::new() };
        let mut ids: Vec<SymbolId> = self.index().named(number).iter().copied().map(SymbolId).collect();
        ids.retain(|id| container.is_empty() || is_end(self.symbol(*id).container, container));
        ids.sort_unstable();
        ids
    }

    /// The innermost symbol at a line, counted from 1.
    pub fn at_line(&self, file: FileId, line: u32) -> Option<SymbolId> {
        let holds = |id: &SymbolId| {
            let (first, last) = self.symbol(*id).lines;
            (first..=last).contains(&line)
        };
        // The one that begins last is the innermost, for symbols do not overlap.
        self.symbols_of(file).filter(holds).last()
    }
}

/// Whether a container is this one or ends with it, however its parts are joined.
fn is_end(container: &str, wanted: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(['.', ':', '\\', '#', '/']).filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    parts(container).ends_with(&parts(wanted))
}
