//! The most important symbols of a tree within a budget of tokens.

use std::collections::BTreeMap;

use super::find::Node;
use super::rank::{Arrow, page_rank};
use crate::graph::{FileId, Graph, SymbolId};
use crate::outline::{Kind, Relation};

/// A token is at least this long in code; counting fewer would promise room that is not there.
const BYTES_A_TOKEN: usize = 3;

/// So many guesses at a symbol count in full; more of them together count no more.
const BELIEVED_GUESSES: f64 = 8.0;

/// How many tokens a text is taken to have: a third of its bytes, rounded up. Real tokenizers find fewer in code.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_A_TOKEN)
}

/// What a map shows: files, each with its most important symbols in the order of the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// The most important first.
    pub files: Vec<(FileId, Vec<Ranked>)>,
    /// Of all lines together, as [`tokens`] counts them.
    pub tokens: usize,
    /// How many symbols there was no room for.
    pub left_out: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    pub symbol: SymbolId,
    /// All ranks of a graph add up to 1.
    pub rank: f64,
}

/// How much of a node's rank goes along each kind of link, and how much from what is in something to that.
fn pull(relation: Relation) -> f64 {
    match relation {
        Relation::Calls | Relation::Implements => 1.0,
        Relation::References => 0.8,
        Relation::Imports => 0.5,
        Relation::Defines => 0.2,
    }
}

impl Graph {
    /// The rank of every symbol, and after them that of every file. What is near `focus` ranks higher.
    pub fn ranks(&self, focus: &[Node]) -> Vec<f64> {
        let symbols = self.symbol_count();
        let count = symbols + self.file_count();
        let links = &self.links().all;
        let mut guesses = vec![0_u32; count];
        for link in links.iter().filter(|link| link.is_a_guess()) {
            guesses[link.to as usize] += 1;
        }
        let mut arrows = Vec::with_capacity(links.len());
        for link in links {
            // Used twice is not twice as important.
            let weight = pull(link.relation) * f64::from(link.weight) * f64::from(link.count).sqrt();
            // A name that hundreds of places have is rather that of something in a library.
            let weight = match link.is_a_guess() {
                true => weight * (BELIEVED_GUESSES / f64::from(guesses[link.to as usize])).min(1.0),
                false => weight,
            };
            // What is used makes what it stands in matter, and not the other way round: the two would keep each other up.
            let (from, to) = match link.relation == Relation::Defines && (link.from as usize) < symbols {
                true => (link.to, link.from),
                false => (link.from, link.to),
            };
            arrows.push(Arrow { from, to, weight });
        }
        let mut preference = vec![0.0; count];
        for node in focus {
            preference[self.node_number(*node) as usize] = 1.0;
        }
        page_rank(count, &arrows, &preference)
    }

    /// Symbols come first, files after them.
    pub(crate) fn node_number(&self, node: Node) -> u32 {
        match node {
            Node::Symbol(id) => id.0,
            Node::File(id) => self.symbol_count() as u32 + id.0,
        }
    }

    /// As many of the most important symbols as there is room for; what is near `focus` first.
    pub fn map(&self, focus: &[Node], budget: usize) -> Map {
        let ranks = self.ranks(focus);
        // A file's module says nothing that the file's path does not.
        let is_shown = |id: &u32| self.raw(SymbolId(*id)).kind != Kind::Module;
        let mut order: Vec<u32> = (0..self.symbol_count() as u32).filter(is_shown).collect();
        order.sort_by(|one, other| {
            ranks[*other as usize].total_cmp(&ranks[*one as usize]).then(one.cmp(other))
        });
        let mut files: BTreeMap<FileId, Vec<Ranked>> = BTreeMap::new();
        let (mut used, mut shown) = (0, 0);
        for id in &order {
            let symbol = SymbolId(*id);
            let file = self.file_of(symbol);
            let head = if files.contains_key(&file) { 0 } else { tokens(&map_head(self.path(file))) };
            let cost = head + tokens(&map_line(self, symbol));
            if used + cost > budget {
                break;
            }
            used += cost;
            shown += 1;
            files.entry(file).or_default().push(Ranked { symbol, rank: ranks[*id as usize] });
        }
        let mut files: Vec<(FileId, Vec<Ranked>)> = files.into_iter().collect();
        // By their best symbol, which was taken in first.
        files.sort_by(|one, other| other.1[0].rank.total_cmp(&one.1[0].rank).then(one.0.cmp(&other.0)));
        for (_, symbols) in &mut files {
            symbols.sort_by_key(|ranked| ranked.symbol);
        }
        Map { files, tokens: used, left_out: order.len() - shown }
    }
}

/// The line of a file in a map, as it is counted.
pub fn map_head(path: &str) -> String {
    format!("{path}\n")
}

/// The line of a symbol in a map, as it is counted.
pub fn map_line(graph: &Graph, id: SymbolId) -> String {
    let symbol = graph.symbol(id);
    let indent = if symbol.container.is_empty() { "  " } else { "    " };
    format!("{indent}{}: {}\n", symbol.lines.0, symbol.signature)
}
