//! What the code is, from its graph, which is brought up to date before it is asked.

use std::fmt::Write;
use std::path::Path;

use ralph_graph::{Graph, Node, Reach, SymbolId, map_head, map_line};

use super::{Library, shown};
use crate::inquiry::{Impact, Map, Refs, Symbols};

const LABEL: &str = "code";
/// Lines of an answer.
const MOST: usize = 200;
const FEW: usize = 50;
/// Tokens of a map.
const BUDGET: usize = 1_000;
const WIDEST: usize = 20_000;
/// What is less sure than this is marked.
const DOUBTFUL: f32 = 0.3;

impl Library {
    pub(super) fn symbols(&self, symbols: &Symbols) -> Result<String, String> {
        let inside = symbols.inside.as_deref().map(|path| self.below(path)).transpose()?;
        let symbols = Symbols { inside, ..symbols.clone() };
        self.code.ask(|graph| symbols_in(graph, &symbols))
    }

    pub(super) fn refs(&self, refs: &Refs) -> Result<String, String> {
        let refs = Refs { symbol: self.name_or_below(&refs.symbol)? };
        self.code.ask(|graph| refs_in(graph, &refs))
    }

    pub(super) fn impact(&self, impact: &Impact) -> Result<String, String> {
        let impact = Impact { what: self.names_or_below(&impact.what)?, ..impact.clone() };
        self.code.ask(|graph| impact_in(graph, &impact))
    }

    pub(super) fn map(&self, map: &Map) -> Result<String, String> {
        let mut focus = self.names_or_below(&map.focus)?;
        // The root is everything.
        focus.retain(|name| !name.is_empty());
        let map = Map { focus, ..map.clone() };
        self.code.ask(|graph| map_in(graph, &map))
    }

    fn names_or_below(&self, given: &[String]) -> Result<Vec<String>, String> {
        given.iter().map(|name| self.name_or_below(name)).collect()
    }
}

fn symbols_in(graph: &Graph, symbols: &Symbols) -> Result<String, String> {
    let part = symbols.part.to_lowercase();
    let inside = symbols.inside.as_deref().unwrap_or_default().trim_start_matches("./");
    let wanted = graph.symbols().filter(|symbol| {
        Path::new(symbol.path).starts_with(inside) && symbol.qualified().to_lowercase().contains(&part)
    });
    let all: Vec<SymbolId> = wanted.map(|symbol| symbol.id).collect();
    let most = symbols.limit.unwrap_or(FEW).clamp(1, MOST);
    let lines: String = all.iter().take(most).map(|id| line(graph, *id)).collect();
    let left = all.len().saturating_sub(most);
    Ok(shown(&format!("{} symbols, {left} of them not shown.", all.len()), LABEL, &lines))
}

fn refs_in(graph: &Graph, refs: &Refs) -> Result<String, String> {
    let nodes = meant(graph, &refs.symbol)?;
    let ids = nodes.into_iter().flat_map(|node| match node {
        Node::Symbol(id) => vec![id],
        Node::File(file) => graph.symbols_of(file).collect(),
    });
    let ids: Vec<SymbolId> = ids.collect();
    let mut text = String::new();
    for (id, references) in ids.iter().zip(graph.references_to(&ids)) {
        text += &line(graph, *id);
        for one in references {
            let from = one.from.map_or(String::new(), |id| format!(" in {}", graph.symbol(id).qualified()));
            let doubt = if one.others > 0 { format!(" (or {} others)", one.others) } else { String::new() };
            let _written = writeln!(
                text,
                "  {}:{} {}{from}{doubt}",
                graph.path(one.file),
                one.line,
                one.relation.name()
            );
        }
    }
    Ok(shown("Where it is used, as far as names tell.", LABEL, &bounded(&text)))
}

fn impact_in(graph: &Graph, impact: &Impact) -> Result<String, String> {
    let nodes = all_meant(graph, &impact.what)?;
    let reach = Reach { depth: impact.depth.unwrap_or(Reach::default().depth).min(10), ..Reach::default() };
    let mut text = String::new();
    for one in graph.impact(&nodes, reach) {
        let doubt = if one.sure < DOUBTFUL { " (perhaps)" } else { "" };
        let _written = writeln!(text, "{} {}{doubt}", one.depth, named(graph, one.node));
    }
    if text.is_empty() {
        return Ok("Nothing depends on it, as far as names tell.".to_owned());
    }
    Ok(shown("What depends on it, with the number of steps, the nearest first.", LABEL, &bounded(&text)))
}

fn map_in(graph: &Graph, map: &Map) -> Result<String, String> {
    let focus = if map.focus.is_empty() { Vec::new() } else { all_meant(graph, &map.focus)? };
    let drawn = graph.map(&focus, map.budget.unwrap_or(BUDGET).clamp(100, WIDEST));
    let mut text = String::new();
    for (file, symbols) in &drawn.files {
        text += &map_head(graph.path(*file));
        symbols.iter().for_each(|one| text += &map_line(graph, one.symbol));
    }
    let before = match (drawn.files.is_empty(), drawn.left_out) {
        (true, 0) => "There is no code here that the graph knows of.".to_owned(),
        (_, left) => format!("What matters most; there was no room for {left} symbols."),
    };
    Ok(shown(&before, LABEL, &text))
}

fn all_meant(graph: &Graph, texts: &[String]) -> Result<Vec<Node>, String> {
    let mut nodes = Vec::new();
    for text in texts {
        nodes.extend(meant(graph, text)?);
    }
    if nodes.is_empty() { Err("nothing is named".to_owned()) } else { Ok(nodes) }
}

fn meant(graph: &Graph, text: &str) -> Result<Vec<Node>, String> {
    let text = text.trim().trim_start_matches("./");
    let mut found = graph.find(text);
    if found.is_empty() && !text.is_empty() {
        let files = graph.files().filter(|(_, path, _)| Path::new(path).starts_with(text));
        found = files.map(|(id, _, _)| Node::File(id)).collect();
    }
    if found.is_empty() {
        return Err(format!(
            "no symbol and no file with code is called `{text}`; `graph_symbols` looks for parts of names"
        ));
    }
    Ok(found)
}

fn named(graph: &Graph, node: Node) -> String {
    match node {
        Node::File(file) => graph.path(file).to_owned(),
        Node::Symbol(id) => {
            let symbol = graph.symbol(id);
            format!("{}:{} {} {}", symbol.path, symbol.lines.0, symbol.kind.name(), symbol.qualified())
        }
    }
}

fn line(graph: &Graph, id: SymbolId) -> String {
    format!("{}\n    {}\n", named(graph, Node::Symbol(id)), graph.symbol(id).signature)
}

fn bounded(text: &str) -> String {
    let mut shown: String = text.lines().take(MOST).map(|line| format!("{line}\n")).collect();
    let left = text.lines().count().saturating_sub(MOST);
    if left > 0 {
        let _written = writeln!(shown, "… {left} more lines");
    }
    shown
}

#[cfg(test)]
mod tests {
    use ralph_graph::{Options, update};

    use super::{map_in, symbols_in};
    use crate::inquiry::{Map, Symbols};

    #[test]
    fn where_there_is_no_code_no_fence_is_spoken_of() {
        let dir = tempfile::tempdir().expect("a directory");
        let tree = dir.path().join("tree");
        std::fs::create_dir(&tree).expect("a directory");
        let kept = dir.path().join("graph");
        let (graph, _) = update(&tree, &kept, &Options::default(), &|_, _| {}).expect("a graph of nothing");
        let map = map_in(&graph, &Map { focus: Vec::new(), budget: None });
        assert_eq!(map, Ok("There is no code here that the graph knows of.".to_owned()));
        let symbols = symbols_in(&graph, &Symbols { part: "a".to_owned(), inside: None, limit: None });
        assert_eq!(symbols, Ok("0 symbols, 0 of them not shown.".to_owned()));
    }
}
