//! Where a symbol is used, and what it uses.

use std::collections::{HashMap, HashSet};

use super::find::Node;
use crate::graph::{FileId, Graph, SymbolId};
use crate::outline::{Import, Mention, NOWHERE, NameId, Outline, Relation, What};
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
        self.references_to(&[id]).remove(0)
    }

    /// The same for several, in their order. What a name means at a place is found out once, however many of them have it.
    pub fn references_to(&self, ids: &[SymbolId]) -> Vec<Vec<Reference>> {
        let mut wanted =
            Wanted { names: vec![false; self.parts.names.len()], ids: ids.iter().map(|id| id.0).collect() };
        ids.iter().for_each(|id| wanted.names[self.raw(*id).name as usize] = true);
        let mut found: HashMap<u32, Vec<Reference>> = HashMap::new();
        for (at, file) in self.parts.files.iter().enumerate() {
            if let Some(outline) = file.outline() {
                for (id, reference) in self.references_in(at, outline, &wanted) {
                    found.entry(id).or_default().push(reference);
                }
            }
        }
        ids.iter().map(|id| found.get(&id.0).cloned().unwrap_or_default()).collect()
    }

    /// By line, each with the symbol that it means.
    fn references_in(&self, at: usize, outline: &Outline, wanted: &Wanted) -> Vec<(u32, Reference)> {
        let imports: Vec<(&Import, NameId, NameId)> = outline
            .imports
            .iter()
            .filter_map(|import| match import.what {
                What::Name { original, local } if wanted.has(original) => Some((import, original, local)),
                What::Name { .. } | What::File | What::All | What::Module(_) => None,
            })
            .collect();
        // Under another name it is used only where it is imported so.
        let names = |mentioned: NameId, meant: NameId| {
            let as_is = mentioned == meant && wanted.has(meant);
            as_is || imports.iter().any(|(_, original, local)| (*original, *local) == (meant, mentioned))
        };
        let is_meant = |mention: &&Mention| {
            let name = mention.name;
            wanted.has(name) || imports.iter().any(|(_, _, local)| *local == name)
        };
        if imports.is_empty() && !outline.mentions.iter().any(|mention| is_meant(&mention)) {
            return Vec::new();
        }
        let mut scope = Scope::new(self, at as u32);
        let mut found = Vec::new();
        let mut meant = |name, line, relation, from, meaning: Option<Meaning>| {
            let Some(meaning) = meaning else { return };
            let (how, weight, others) = (meaning.how, meaning.weight, meaning.candidates.len() as u32 - 1);
            let reference = Reference { file: FileId(at as u32), line, relation, from, how, weight, others };
            let is_it = |id: &&u32| wanted.ids.contains(*id) && names(name, self.raw(SymbolId(**id)).name);
            found.extend(meaning.candidates.iter().filter(is_it).map(|id| (*id, reference)));
        };
        for (import, original, local) in &imports {
            meant(*local, import.line, Relation::Imports, None, scope.import(import, *original));
        }
        for mention in outline.mentions.iter().filter(is_meant) {
            let from = (mention.from != NOWHERE).then(|| SymbolId(self.firsts[at] + mention.from));
            meant(mention.name, mention.line, mention.relation, from, scope.meaning(mention));
        }
        found.sort_by_key(|(_, one)| one.line);
        found
    }
}

/// Symbols that are asked for together.
struct Wanted {
    /// For each name whether one of them has it: every mention of a tree is looked at.
    names: Vec<bool>,
    ids: HashSet<u32>,
}

impl Wanted {
    fn has(&self, name: NameId) -> bool {
        self.names.get(name as usize).copied().unwrap_or_default()
    }
}
