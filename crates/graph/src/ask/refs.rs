//! Where a symbol is used, and what it uses.

use super::find::Node;
use crate::graph::{FileId, Graph, SymbolId};
use crate::outline::{NOWHERE, Relation, What};
use crate::resolve::{How, Link, Scope};

/// One place that means, or may mean, a symbol.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    pub file: FileId,
    pub line: u32,
    pub relation: Relation,
    /// The symbol that it stands in.
    pub from: Option<SymbolId>,
    pub how: How,
    /// How sure it is, from 0 to 1.
    pub weight: f32,
    /// How many symbols it could mean as well.
    pub others: u32,
}

/// Something that a symbol or a file is tied to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Use {
    pub to: Node,
    pub relation: Relation,
    /// How sure it is, from 0 to 1.
    pub weight: f32,
    /// How often.
    pub count: u32,
}

impl Graph {
    /// What a symbol or a file uses and defines.
    pub fn uses(&self, node: Node) -> Vec<Use> {
        let links = self.links().from(self.node_number(node));
        let told = |link: &Link| Use {
            to: self.numbered(link.to),
            relation: link.relation,
            weight: link.weight,
            count: link.count,
        };
        links.map(told).collect()
    }

    /// Every mention of a symbol, by file and line.
    pub fn references(&self, id: SymbolId) -> Vec<Reference> {
        let name = self.raw(id).name;
        let mut found = Vec::new();
        for (at, file) in self.parts.files.iter().enumerate() {
            let Some(outline) = file.outline() else { continue };
            // Under another name it is used only where it is imported so.
            let aliases: Vec<u32> = outline
                .imports
                .iter()
                .filter_map(|import| match import.what {
                    What::Name { original, local } if original == name => Some(local),
                    What::Name { .. } | What::File | What::All | What::Module(_) => None,
                })
                .collect();
            let is_meant = |mentioned: u32| mentioned == name || aliases.contains(&mentioned);
            if !outline.mentions.iter().any(|mention| is_meant(mention.name)) {
                continue;
            }
            let mut scope = Scope::new(self, at as u32);
            for mention in outline.mentions.iter().filter(|mention| is_meant(mention.name)) {
                let Some(meaning) =
                    scope.meaning(mention).filter(|meaning| meaning.candidates.contains(&id.0))
                else {
                    continue;
                };
                found.push(Reference {
                    file: FileId(at as u32),
                    line: mention.line,
                    relation: mention.relation,
                    from: (mention.from != NOWHERE).then(|| SymbolId(self.firsts[at] + mention.from)),
                    how: meaning.how,
                    weight: meaning.weight,
                    others: meaning.candidates.len() as u32 - 1,
                });
            }
        }
        found
    }
}
