//! Symbols by the names that they keep when they move within their files, with what tells that they were changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use crate::graph::{FileId, Graph, SymbolId};
use crate::outline::Digest;

/// All that has one qualified name in one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    /// Below the root of the tree, with slashes.
    pub path: String,
    /// With its container, as the language writes it.
    pub symbol: String,
    /// Of its text, or of the texts of all that are called so in the file. Another one tells that it was changed; that
    /// it only moved does not.
    pub digest: Digest,
}

impl Graph {
    /// What a file defines, sorted by name; nothing for a file without code.
    pub fn definitions(&self, path: &str) -> Vec<Definition> {
        let Some(file) = self.file(path) else { return Vec::new() };
        self.told_of(file, self.symbols_of(file))
    }

    /// A symbol as it is now: in the file if it is there, otherwise wherever something has its name.
    pub fn definition(&self, symbol: &str, path: &str) -> Vec<Definition> {
        let mut files: BTreeMap<FileId, Vec<SymbolId>> = BTreeMap::new();
        for id in self.named(symbol) {
            if self.symbol(id).qualified() == symbol {
                files.entry(self.file_of(id)).or_default().push(id);
            }
        }
        if let Some(own) = self.file(path).filter(|own| files.contains_key(own)) {
            files.retain(|file, _| *file == own);
        }
        files.into_iter().flat_map(|(file, ids)| self.told_of(file, ids.into_iter())).collect()
    }

    /// What of a file these lines, counted from 1, are part of. A line in a method is a line of the method, not of its
    /// class.
    pub fn definitions_at(&self, path: &str, lines: &[RangeInclusive<u32>]) -> Vec<Definition> {
        let Some(file) = self.file(path) else { return Vec::new() };
        let is_touched = |id: &SymbolId| lines.iter().any(|lines| self.owns_one_of(file, *id, lines));
        self.told_of(file, self.symbols_of(file).filter(is_touched))
    }

    /// Whether one of the lines is in the symbol and in nothing inside it.
    fn owns_one_of(&self, file: FileId, id: SymbolId, lines: &RangeInclusive<u32>) -> bool {
        let own = self.raw(id);
        let (mut line, last) = (own.line.max(*lines.start()), own.last_line.min(*lines.end()));
        let later = (id.0 + 1..self.firsts[file.0 as usize + 1]).map(|other| self.raw(SymbolId(other)));
        for inside in later.take_while(|other| other.start < own.end) {
            if inside.line > line {
                break;
            }
            line = line.max(inside.last_line + 1);
        }
        line <= last
    }

    fn told_of(&self, file: FileId, ids: impl Iterator<Item = SymbolId>) -> Vec<Definition> {
        let wanted: BTreeSet<String> = ids.map(|id| self.symbol(id).qualified()).collect();
        let mut texts: BTreeMap<String, Vec<Digest>> = BTreeMap::new();
        for id in self.symbols_of(file) {
            let symbol = self.symbol(id);
            texts.entry(symbol.qualified()).or_default().push(symbol.digest);
        }
        let path = self.path(file);
        let told = wanted.into_iter().filter_map(|symbol| {
            let digest = match texts.get(&symbol)?.as_slice() {
                [one] => *one,
                all => Digest::of(&all.iter().flat_map(|digest| digest.0).collect::<Vec<u8>>()),
            };
            Some(Definition { path: path.to_owned(), symbol, digest })
        });
        told.collect()
    }
}
