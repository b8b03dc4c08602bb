//! A small project in each language: every symbol and every relation in it, as a person has checked them.

use std::fmt::Write;

use ralph_graph::{Graph, Node};

use crate::project::Project;

fn told(graph: &Graph, node: Node) -> String {
    match node {
        Node::File(file) => graph.path(file).to_owned(),
        Node::Symbol(id) => {
            let symbol = graph.symbol(id);
            format!("{}@{}", symbol.qualified(), symbol.lines.0)
        }
    }
}

/// All of a graph as text.
fn all(graph: &Graph) -> String {
    let mut text = String::new();
    for (file, path, language) in graph.files() {
        writeln!(text, "# {path} ({})", language.name()).unwrap();
        for id in graph.symbols_of(file) {
            let symbol = graph.symbol(id);
            let (first, last) = symbol.lines;
            writeln!(
                text,
                "{first}-{last} {} {} | {}",
                symbol.kind.name(),
                symbol.qualified(),
                symbol.signature
            )
            .unwrap();
        }
        let nodes = std::iter::once(Node::File(file)).chain(graph.symbols_of(file).map(Node::Symbol));
        for node in nodes {
            for used in graph.uses(node) {
                let (from, to) = (told(graph, node), told(graph, used.to));
                let times = if used.count > 1 { format!(" ×{}", used.count) } else { String::new() };
                writeln!(text, "  {from} {} {to} {:.2}{times}", used.relation.name(), used.weight).unwrap();
            }
        }
    }
    text
}

fn check(language: &str) {
    let (graph, report) = Project::fixture(language).update();
    assert_eq!(report.skipped, []);
    insta::assert_snapshot!(language, all(&graph));
}

macro_rules! languages {
    ($($language:ident)*) => { $(#[test] fn $language() { check(stringify!($language)); })* };
}

languages! { rust python typescript tsx javascript go java c cpp csharp ruby php bash }
