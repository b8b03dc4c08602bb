//! `ralph graph map`.

use ralph_graph::{Map, map_head, map_line};
use serde::Serialize;

use super::opened::{Opened, open};
use super::shown::Symbol;
use crate::commands::{NOTHING, Outcome, most};
use crate::render::{HEAD, inert, paint};
use crate::words::{counted, print, print_json};

/// Print the most important symbols of the project within a budget of tokens.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph graph map --budget 2000
  ralph graph map --budget 800 src/price.rs Basket    what matters to a file and a symbol
  ralph graph map --json | jq -r '.files[].path'

What is used by much that is used by much comes first (PageRank over calls, references, imports and
inheritance). Tokens are estimated as a third of the bytes, which is more than tokenizers find in code.

Exit codes: 4 if there is no code, or no room for any of it.")]
pub(super) struct MapArgs {
    /// Files, directories and symbols that the map is about; everything by default
    focus: Vec<String>,
    /// How many tokens it may have
    #[arg(long, default_value_t = 2_000, value_parser = most)]
    budget: usize,
    /// Print it as JSON (docs/schema/graph-map.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Mapped {
    /// The most important first.
    files: Vec<MappedFile>,
    budget: usize,
    /// How many it is taken to have as text.
    tokens: usize,
    /// How many symbols there was no room for.
    left_out: usize,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct MappedFile {
    path: String,
    /// In the order of the text.
    symbols: Vec<RankedSymbol>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct RankedSymbol {
    /// All ranks of a project, those of files too, add up to 1.
    rank: f64,
    symbol: Symbol,
}

pub(super) fn run(args: &MapArgs) -> Outcome {
    let opened = open()?;
    let focus = opened.all_meant(&args.focus)?;
    let map = opened.graph.map(&focus, args.budget);
    if args.json {
        print_json(&mapped(&opened, &map, args.budget));
    } else {
        print(&tell(&opened, &map));
    }
    Ok(if map.files.is_empty() { NOTHING } else { 0 })
}

fn mapped(opened: &Opened, map: &Map, budget: usize) -> Mapped {
    let graph = &opened.graph;
    let files = map.files.iter().map(|(file, symbols)| MappedFile {
        path: graph.path(*file).to_owned(),
        symbols: symbols
            .iter()
            .map(|one| RankedSymbol { rank: one.rank, symbol: Symbol::new(graph, one.symbol) })
            .collect(),
    });
    Mapped { files: files.collect(), budget, tokens: map.tokens, left_out: map.left_out }
}

fn tell(opened: &Opened, map: &Map) -> String {
    if map.files.is_empty() {
        return match map.left_out {
            0 => "there is no code here that the graph knows of\n".to_owned(),
            count => format!("no room for any of {}: --budget makes some\n", counted(count as u64, "symbol")),
        };
    }
    let mut text = String::new();
    for (file, symbols) in &map.files {
        let head = map_head(opened.graph.path(*file));
        text += &format!("{}\n", paint(HEAD, &inert(head.trim_end_matches('\n'))));
        for one in symbols {
            let line = map_line(&opened.graph, one.symbol);
            text += &format!("{}\n", inert(line.trim_end_matches('\n')));
        }
    }
    text
}
