//! What a note names of the code, as it is when the note is put down or confirmed: what changes later makes it a
//! hypothesis.

use ralph_core::note::{Anchor, Draft};
use ralph_graph::{Definition, Graph};

use super::survey::{anchor, as_they_are};

/// A name that more than so many symbols have means none of them.
const MOST_MEANT: usize = 3;

/// What the symbols mean that a note is about: in the files that it names, if they are there.
pub fn anchors(graph: &Graph, said: &Draft) -> Vec<Anchor> {
    let mut found: Vec<Anchor> = said.symbols.iter().flat_map(|symbol| meant(graph, symbol, said)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The anchors of a note that is confirmed now: of the code as it is now.
pub fn anchored_anew(graph: &Graph, said: &Draft) -> Vec<Anchor> {
    if said.anchors.is_empty() { anchors(graph, said) } else { as_they_are(graph, said.anchors.clone()) }
}

fn meant(graph: &Graph, symbol: &str, said: &Draft) -> Vec<Anchor> {
    let mut all: Vec<Definition> = Vec::new();
    for id in graph.named(symbol) {
        let named = graph.symbol(id);
        all.extend(graph.definition(&named.qualified(), named.path));
    }
    all.sort_unstable();
    all.dedup();
    if all.iter().any(|one| said.files.contains(&one.path)) {
        all.retain(|one| said.files.contains(&one.path));
    }
    if all.len() > MOST_MEANT { Vec::new() } else { all.into_iter().map(anchor).collect() }
}
