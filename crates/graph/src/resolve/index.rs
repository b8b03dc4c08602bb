//! Symbols by name, by what they belong to, and files by how imports name them.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::paths::package;
use crate::extract::module;
use crate::graph::{File, Graph};
use crate::language::Language;
use crate::names::NONE;
use crate::outline::{Kind, NOWHERE, NameId, Symbol};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) file: u32,
    pub(crate) container: NameId,
    /// The last part of the container.
    pub(crate) holder: NameId,
    pub(crate) kind: Kind,
    /// The symbol that it stands in or belongs to, or none.
    pub(crate) parent: u32,
    pub(crate) standing: Standing,
}

/// From how far a symbol can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It stands in nothing but modules.
    Open,
    /// Its type, or whatever it belongs to, is named before it or imported.
    InType,
    /// Only what is in the same function can name it.
    InFunction,
}

#[derive(Debug)]
pub(crate) struct Index {
    /// One for each symbol.
    pub(crate) entries: Vec<Entry>,
    /// Where the symbols of each name begin in `ids`.
    starts: Vec<u32>,
    /// By name, then by holder, then by number.
    ids: Vec<u32>,
    /// For each file, the number of the package it is in.
    pub(crate) packages: Vec<u32>,
    /// Files by the last part of their path as imports write it, and by their directory's.
    modules: HashMap<String, Vec<u32>>,
    /// Files by what they define and by its containers, where imports name those.
    spaces: HashMap<String, Vec<u32>>,
    /// The parts of all paths, and the first parts of all containers.
    parts: HashSet<String>,
}

/// What an import begins with where it means the project itself, or a place beside the file.
const OWN: [&str; 7] = ["", ".", "..", "crate", "self", "super", "~"];

impl Index {
    pub(crate) fn new(graph: &Graph) -> Index {
        let entries = entries(graph);
        let count = graph.parts.names.len();
        let mut starts = vec![0_u32; count + 1];
        for symbol in symbols(graph) {
            starts[symbol.name as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut ids = vec![0; entries.len()];
        for (id, symbol) in symbols(graph).enumerate() {
            let at = &mut next[symbol.name as usize];
            ids[*at as usize] = id as u32;
            *at += 1;
        }
        for range in starts.windows(2) {
            ids[range[0] as usize..range[1] as usize]
                .sort_unstable_by_key(|id| (entries[*id as usize].holder, *id));
        }
        let mut numbers = HashMap::new();
        let mut packages = Vec::with_capacity(graph.file_count());
        let mut modules: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, file) in graph.parts.files.iter().enumerate() {
            let fresh = numbers.len() as u32;
            packages.push(*numbers.entry(package(file.language, &file.path)).or_insert(fresh));
            let module = module(&file.path);
            modules.entry(last(module).to_owned()).or_default().push(at as u32);
            if file.language == Language::Go {
                let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                modules.entry(last(folder).to_owned()).or_default().push(at as u32);
            }
        }
        Index { entries, starts, ids, packages, modules, spaces: spaces(graph), parts: parts(graph) }
    }

    /// All symbols of a name.
    pub(crate) fn named(&self, name: NameId) -> &[u32] {
        let at = name as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(begin), Some(end)) => &self.ids[*begin as usize..*end as usize],
            _ => &[],
        }
    }

    /// Those of a name that belong to something of a name.
    pub(crate) fn held(&self, name: NameId, holder: NameId) -> &[u32] {
        let all = self.named(name);
        let begin = all.partition_point(|id| self.entries[*id as usize].holder < holder);
        let end = all.partition_point(|id| self.entries[*id as usize].holder <= holder);
        &all[begin..end]
    }

    /// Whether an import can be of this project: it begins with something that is called so here. A package is often
    /// called after its folder, with the project's name before it.
    pub(crate) fn is_ours(&self, import: &str) -> bool {
        let mut parts = import.split('/').skip_while(|part| part.starts_with('@'));
        let root = parts.next().unwrap_or_default();
        let has = |part: &str| self.parts.contains(part);
        OWN.contains(&root)
            || has(root)
            || root.split_once(['_', '-']).is_some_and(|(_, after)| has(after))
            // A host's name stands before the names of the project.
            || (root.contains('.') && parts.any(has))
    }

    /// Files that an import with this last part could name.
    pub(crate) fn modules(&self, last: &str) -> &[u32] {
        self.modules.get(last).map(Vec::as_slice).unwrap_or_default()
    }

    /// Files with something in the container that an import names.
    pub(crate) fn space(&self, import: &str) -> &[u32] {
        self.spaces.get(import).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Imports of these languages name namespaces, packages and classes, wherever their files are.
fn spaces(graph: &Graph) -> HashMap<String, Vec<u32>> {
    let mut spaces: HashMap<String, Vec<u32>> = HashMap::new();
    for (at, file) in graph.parts.files.iter().enumerate() {
        if !matches!(file.language, Language::Java | Language::CSharp | Language::Php) {
            continue;
        }
        let texts = &graph.parts.names;
        let mut own: BTreeSet<String> = BTreeSet::new();
        for symbol in file.outline().iter().flat_map(|outline| &outline.symbols) {
            let container = texts.get(symbol.container).replace("::", "/").replace(['.', '\\'], "/");
            own.insert(format!("{container}/{}", texts.get(symbol.name)));
            own.insert(container);
        }
        for space in own {
            spaces.entry(space).or_default().push(at as u32);
        }
    }
    spaces
}

fn parts(graph: &Graph) -> HashSet<String> {
    let mut all = HashSet::new();
    for file in &graph.parts.files {
        all.extend(module(&file.path).split('/').map(str::to_owned));
    }
    for symbol in symbols(graph) {
        let container = graph.parts.names.get(symbol.container);
        if let Some(first) = container.split(['/', '.', ':', '\\']).next() {
            all.insert(first.to_owned());
        }
    }
    all
}

/// The last part of a path, or of a container.
pub(crate) fn last(path: &str) -> &str {
    path.rsplit(['/', '.', ':', '\\']).next().unwrap_or(path)
}

fn symbols(graph: &Graph) -> impl Iterator<Item = &Symbol> {
    graph.parts.files.iter().filter_map(File::outline).flat_map(|outline| &outline.symbols)
}

fn entries(graph: &Graph) -> Vec<Entry> {
    let names = &graph.parts.names;
    // Qualifiers are compared by their numbers, so the last part of a container is looked up among all texts.
    let mut wanted: HashMap<&str, NameId> = HashMap::new();
    for symbol in symbols(graph) {
        wanted.entry(last(names.get(symbol.container))).or_insert(NONE);
    }
    for (at, text) in names.iter().enumerate() {
        if let Some(number) = wanted.get_mut(text) {
            *number = at as NameId;
        }
    }
    let mut entries = Vec::with_capacity(graph.symbol_count());
    for (at, file) in graph.parts.files.iter().enumerate() {
        let symbols = file.outline().map(|outline| outline.symbols.as_slice()).unwrap_or_default();
        for symbol in symbols {
            let holder = wanted.get(last(names.get(symbol.container))).copied().unwrap_or(NONE);
            let (file_number, container, kind) = (at as u32, symbol.container, symbol.kind);
            let parent = if symbol.parent == NOWHERE { NOWHERE } else { graph.firsts[at] + symbol.parent };
            let standing = standing(file.language, symbols, symbol);
            entries.push(Entry { file: file_number, container, holder, kind, parent, standing });
        }
    }
    entries
}

fn standing(language: Language, symbols: &[Symbol], symbol: &Symbol) -> Standing {
    let mut standing = Standing::Open;
    let mut at = symbol.parent;
    // What belongs to what is read from a file, where it could go in circles.
    for _ in 0..symbols.len() {
        let Some(around) = symbols.get(at as usize) else { break };
        match around.kind {
            // A function of the shell is everybody's once the one around it was called.
            Kind::Function | Kind::Method if language != Language::Bash => return Standing::InFunction,
            Kind::Function | Kind::Method | Kind::Module => {}
            Kind::Class
            | Kind::Struct
            | Kind::Interface
            | Kind::Trait
            | Kind::Enum
            | Kind::Macro
            | Kind::Constant
            | Kind::Type
            | Kind::Variable
            | Kind::Property => standing = Standing::InType,
        }
        at = around.parent;
    }
    standing
}
