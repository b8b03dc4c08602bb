//! A code graph: the outlines of all files of a tree, and what they come to together.

use std::sync::OnceLock;

use crate::extract::Skipped;
use crate::language::Language;
use crate::names::Names;
use crate::outline::{Digest, Kind, NOWHERE, Outline, Symbol};
use crate::resolve::{Index, Links};
use crate::walk::Stamp;

#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) digest: Digest,
    /// Nothing where the file was changed so shortly before it was read that its time could not tell another change.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) language: Language,
    pub(crate) state: State,
}

#[derive(Debug, Clone)]
pub(crate) enum State {
    Outlined(Outline),
    Skipped(Skipped),
}

impl File {
    pub(crate) fn outline(&self) -> Option<&Outline> {
        match &self.state {
            State::Outlined(outline) => Some(outline),
            State::Skipped(_) => None,
        }
    }
}

/// What is kept: everything else follows from it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    pub(crate) names: Names,
    /// Sorted by path.
    pub(crate) files: Vec<File>,
}

/// The number of a symbol in its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub(crate) u32);

/// The number of a file in its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// A symbol as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolView<'g> {
    pub id: SymbolId,
    pub name: &'g str,
    /// All that it stands in, from the outside to the inside, as the language writes it; often nothing.
    pub container: &'g str,
    pub kind: Kind,
    pub language: Language,
    /// Below the root of the tree, with slashes.
    pub path: &'g str,
    /// The first and the last one, counted from 1.
    pub lines: (u32, u32),
    /// From the first to after the last one.
    pub bytes: (u32, u32),
    /// Its beginning up to its body, on one line.
    pub signature: &'g str,
    /// Of its text: another one tells that it was changed.
    pub digest: Digest,
}

impl SymbolView<'_> {
    /// With its container, as the language writes it.
    pub fn qualified(&self) -> String {
        if self.container.is_empty() {
            return self.name.to_owned();
        }
        [self.container, self.language.separator(), self.name].concat()
    }
}

#[derive(Debug)]
pub struct Graph {
    pub(crate) parts: Parts,
    /// The number of the first symbol of each file, and at the end how many there are.
    pub(crate) firsts: Vec<u32>,
    index: OnceLock<Index>,
    links: OnceLock<Links>,
}

impl Graph {
    pub(crate) fn new(parts: Parts) -> Graph {
        let mut firsts = vec![0];
        let mut count = 0;
        for file in &parts.files {
            count += file.outline().map_or(0, |outline| outline.symbols.len() as u32);
            firsts.push(count);
        }
        Graph { parts, firsts, index: OnceLock::new(), links: OnceLock::new() }
    }

    /// The same for the same code, whenever and however it was read.
    pub fn fingerprint(&self) -> [u8; 32] {
        crate::keep::fingerprint(&self.parts)
    }

    pub fn symbol_count(&self) -> usize {
        self.firsts.last().copied().unwrap_or_default() as usize
    }

    pub fn file_count(&self) -> usize {
        self.parts.files.len()
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &str, Language)> {
        let files = self.parts.files.iter().enumerate();
        files.map(|(at, file)| (FileId(at as u32), file.path.as_str(), file.language))
    }

    pub fn path(&self, file: FileId) -> &str {
        &self.parts.files[file.0 as usize].path
    }

    pub fn file(&self, path: &str) -> Option<FileId> {
        let at = self.parts.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(FileId(at as u32))
    }

    /// Every symbol, by file and then by place.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolView<'_>> {
        (0..self.symbol_count() as u32).map(|id| self.symbol(SymbolId(id)))
    }

    pub fn symbol(&self, id: SymbolId) -> SymbolView<'_> {
        let (file, at) = self.place(id);
        let File { path, language, .. } = &self.parts.files[file];
        let outline = self.outline(file);
        let symbol = &outline.symbols[at];
        SymbolView {
            id,
            name: self.parts.names.get(symbol.name),
            container: self.parts.names.get(symbol.container),
            kind: symbol.kind,
            language: *language,
            path,
            lines: (symbol.line, symbol.last_line),
            bytes: (symbol.start, symbol.end),
            signature: outline.signature(at),
            digest: symbol.digest,
        }
    }

    /// The symbols of a file.
    pub fn symbols_of(&self, file: FileId) -> impl Iterator<Item = SymbolId> + use<> {
        let at = file.0 as usize;
        (self.firsts[at]..self.firsts[at + 1]).map(SymbolId)
    }

    /// The symbol that this one stands in or belongs to.
    pub fn parent(&self, id: SymbolId) -> Option<SymbolId> {
        let (file, at) = self.place(id);
        let parent = self.outline(file).symbols[at].parent;
        (parent != NOWHERE).then(|| SymbolId(self.firsts[file] + parent))
    }

    pub fn file_of(&self, id: SymbolId) -> FileId {
        FileId(self.place(id).0 as u32)
    }

    /// The file's number, and the symbol's in the file.
    pub(crate) fn place(&self, id: SymbolId) -> (usize, usize) {
        let file = self.firsts.partition_point(|first| *first <= id.0) - 1;
        (file, (id.0 - self.firsts[file]) as usize)
    }

    pub(crate) fn raw(&self, id: SymbolId) -> &Symbol {
        let (file, at) = self.place(id);
        &self.outline(file).symbols[at]
    }

    fn outline(&self, file: usize) -> &Outline {
        self.parts.files[file].outline().expect("a file with symbols has an outline")
    }

    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self))
    }

    /// What is tied to what, all of it; it takes longest of all questions and is answered once.
    pub(crate) fn links(&self) -> &Links {
        self.links.get_or_init(|| Links::new(self))
    }
}
