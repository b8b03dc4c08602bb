//! Where a symbol is used, and what it uses.

use super::find::Node;
use crate::graph::{FileId, Graph, SymbolId};
use crate::outline::{Import, NOWHERE, NameId, Outline, Relation, What};
use crate::resolve::{How, Link, Meaning, Scope};

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

    /// Every mention of a symbol, by file and line, and where it is imported.
    pub fn references(&self, id: SymbolId) -> Vec<Reference> {
        let mut found = Vec::new();
        for (at, file) in self.parts.files.iter().enumerate() {
            if let Some(outline) = file.outline() {
                self.references_in(at, outline, id, &mut found);
            }
        }
        found
    }

    fn references_in(&self, at: usize, outline: &Outline, id: SymbolId, found: &mut Vec<Reference>) {
        let name = self.raw(id).name;
        // Under another name it is used only where it is imported so.
        let imports: Vec<(&Import, NameId)> = outline
            .imports
            .iter()
            .filter_map(|import| match import.what {
                What::Name { original, local } if original == name => Some((import, local)),
                What::Name { .. } | What::File | What::All | What::Module(_) => None,
            })
            .collect();
        let is_meant =
            |mentioned: NameId| mentioned == name || imports.iter().any(|(_, local)| *local == mentioned);
        if imports.is_empty() && !outline.mentions.iter().any(|mention| is_meant(mention.name)) {
            return;
        }
        let mut scope = Scope::new(self, at as u32);
        let first = found.len();
        let mut meant = |line, relation, from, meaning: Option<Meaning>| {
            let Some(meaning) = meaning.filter(|meaning| meaning.candidates.contains(&id.0)) else { return };
            let (how, weight, others) = (meaning.how, meaning.weight, meaning.candidates.len() as u32 - 1);
            found.push(Reference { file: FileId(at as u32), line, relation, from, how, weight, others });
        };
        for (import, _) in &imports {
            meant(import.line, Relation::Imports, None, scope.import(import, name));
        }
        for mention in outline.mentions.iter().filter(|mention| is_meant(mention.name)) {
            let from = (mention.from != NOWHERE).then(|| SymbolId(self.firsts[at] + mention.from));
            meant(mention.line, mention.relation, from, scope.meaning(mention));
        }
        found[first..].sort_by_key(|one| one.line);
    }
}
