//! What is tied to what in a whole tree: one link for each pair and relation.

use super::index::last;
use super::paths::names;
use super::{How, Scope};
use crate::graph::Graph;
use crate::language::Language;
use crate::outline::{Import, NOWHERE, Relation, What};

/// From one node to another. Symbols are the first nodes, files those after them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Link {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) relation: Relation,
    /// How sure the surest mention is.
    pub(crate) weight: f32,
    /// How many mentions there are.
    pub(crate) count: u32,
}

impl Link {
    /// Whether nothing but the name speaks for it.
    pub(crate) fn is_a_guess(&self) -> bool {
        self.weight <= How::Unique.weight()
    }
}

/// No import of one thing names more files.
const MOST_FILES: usize = 64;

#[derive(Debug)]
pub(crate) struct Links {
    /// Sorted by where they come from.
    pub(crate) all: Vec<Link>,
    /// Numbers of links, sorted by where they go.
    incoming: Vec<u32>,
}

impl Links {
    pub(crate) fn new(graph: &Graph) -> Links {
        let files = graph.file_count();
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let share = files.div_ceil(threads).max(1);
        graph.index();
        let mut all: Vec<Link> = std::thread::scope(|scope| {
            let begins = (0..files).step_by(share);
            let workers: Vec<_> = begins
                .map(|begin| scope.spawn(move || of_files(graph, begin..(begin + share).min(files))))
                .collect();
            let done =
                workers.into_iter().map(|worker| worker.join().expect("links are made without a panic"));
            done.flatten().collect()
        });
        all.sort_unstable_by_key(|link| (link.from, link.to, link.relation));
        all.dedup_by(|next, kept| {
            let same = (next.from, next.to, next.relation) == (kept.from, kept.to, kept.relation);
            if same {
                kept.weight = kept.weight.max(next.weight);
                kept.count += next.count;
            }
            same
        });
        let mut incoming: Vec<u32> = (0..all.len() as u32).collect();
        incoming.sort_unstable_by_key(|at| (all[*at as usize].to, *at));
        Links { all, incoming }
    }

    /// Where a node leads.
    pub(crate) fn from(&self, node: u32) -> impl Iterator<Item = &Link> {
        let begin = self.all.partition_point(|link| link.from < node);
        self.all[begin..].iter().take_while(move |link| link.from == node)
    }

    /// What leads to a node.
    pub(crate) fn to(&self, node: u32) -> impl Iterator<Item = &Link> {
        let begin = self.incoming.partition_point(|at| self.all[*at as usize].to < node);
        let links = self.incoming[begin..].iter().map(|at| &self.all[*at as usize]);
        links.take_while(move |link| link.to == node)
    }
}

fn of_files(graph: &Graph, files: std::ops::Range<usize>) -> Vec<Link> {
    let symbols = graph.symbol_count() as u32;
    let mut links = Vec::new();
    for number in files {
        let Some(outline) = graph.parts.files[number].outline() else { continue };
        let node = symbols + number as u32;
        let first = graph.firsts[number];
        let mut scope = Scope::new(graph, number as u32);
        for mention in &outline.mentions {
            let from = if mention.from == NOWHERE { node } else { first + mention.from };
            if let Some(meaning) = scope.meaning(mention) {
                let new =
                    |to: u32| Link { from, to, relation: mention.relation, weight: meaning.weight, count: 1 };
                links.extend(meaning.candidates.iter().copied().map(new).filter(|link| link.to != from));
            }
        }
        for import in &outline.imports {
            of_import(graph, &scope, number, import, &mut links);
        }
        for (at, symbol) in outline.symbols.iter().enumerate() {
            let from = if symbol.parent == NOWHERE { node } else { first + symbol.parent };
            links.push(Link {
                from,
                to: first + at as u32,
                relation: Relation::Defines,
                weight: 1.0,
                count: 1,
            });
        }
    }
    links
}

/// From a file to what it imports: the symbol, if it names one, and the files.
fn of_import(graph: &Graph, scope: &Scope<'_>, number: usize, import: &Import, links: &mut Vec<Link>) {
    let symbols = graph.symbol_count() as u32;
    let from = symbols + number as u32;
    let new = |to, weight| Link { from, to, relation: Relation::Imports, weight, count: 1 };
    if let What::Name { original, .. } = import.what
        && let Some(meaning) = scope.import(import, original)
    {
        links.extend(meaning.candidates.iter().map(|to| new(*to, meaning.weight)));
    }
    let texts = &graph.parts.names;
    let path = texts.get(import.path);
    let deeper = match import.what {
        What::Name { original, .. } => Some(format!("{path}/{}", texts.get(original))),
        What::File | What::All | What::Module(_) => None,
    };
    // Of a container, one name is imported alone.
    let space = in_space(graph, number, deeper.as_deref().unwrap_or(path));
    let named = std::iter::once(path).chain(deeper.as_deref()).map(|path| files(graph, number, path));
    let mut linked = Vec::new();
    for mut reached in named.chain([space]) {
        reached.retain(|file| !linked.contains(file));
        let weight = 1.0 / reached.len().max(1) as f32;
        links.extend(reached.iter().map(|file| new(symbols + file, weight)));
        linked.extend(reached);
    }
}

fn files(graph: &Graph, number: usize, import: &str) -> Vec<u32> {
    let own = &graph.parts.files[number];
    let candidates = graph.index().modules(last(import)).iter().copied();
    let reached = candidates.filter(|at| {
        let file = &graph.parts.files[*at as usize];
        *at as usize != number
            && own.language.reaches(file.language)
            && names(import, (own.language, &own.path), &file.path, "")
    });
    let mut reached: Vec<u32> = reached.take(MOST_FILES).collect();
    // What is included is a header, if there is one of that name.
    let is_header = |at: &u32| {
        graph.parts.files[*at as usize].path.rsplit('.').next().is_some_and(|ending| ending.starts_with('h'))
    };
    if matches!(own.language, Language::C | Language::Cpp) && reached.iter().any(is_header) {
        reached.retain(is_header);
    }
    reached
}

/// The files with something in the namespace, the package or the class that an import names.
fn in_space(graph: &Graph, number: usize, import: &str) -> Vec<u32> {
    let own = graph.parts.files[number].language;
    let others = graph.index().space(import).iter().copied();
    let is_reached = |at: &u32| *at as usize != number && graph.parts.files[*at as usize].language == own;
    others.filter(is_reached).take(MOST_FILES).collect()
}
