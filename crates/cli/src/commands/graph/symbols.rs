//! `ralph graph symbols`.

use clap::builder::PossibleValuesParser;
use ralph_graph::{Kind, Language, Node};
use serde::Serialize;

use super::opened::{Opened, open};
use super::shown::Symbol;
use crate::commands::{NOTHING, Outcome, most};
use crate::problem::Problems;
use crate::render::{FAINT, paint};
use crate::words::{counted, print, print_json};

/// List symbols by a part of their names, by kind, language or file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph graph symbols basket                    whatever has that in its name
  ralph graph symbols --in src/price.rs         all of a file, in order
  ralph graph symbols --kind trait --json | jq -r '.symbols[].qualified'

Exit codes: 4 if nothing is like that.")]
pub(super) struct SymbolsArgs {
    /// A part of the name with its container; large and small letters are the same
    part: Option<String>,
    /// Only of these kinds
    #[arg(long, value_parser = PossibleValuesParser::new(Kind::ALL.map(Kind::name)))]
    kind: Vec<String>,
    /// Only of these languages
    #[arg(long, value_parser = PossibleValuesParser::new(Language::ALL.map(Language::name)))]
    language: Vec<String>,
    /// Only in these files and directories
    #[arg(long = "in", value_name = "PATH")]
    inside: Vec<String>,
    /// How many to list at most
    #[arg(long, default_value_t = 200, value_parser = most)]
    limit: usize,
    /// Print it as JSON (docs/schema/graph-symbols.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Symbols {
    /// By file, and there in the order of the text.
    symbols: Vec<Symbol>,
    /// How many more there are.
    left_out: usize,
}

pub(super) fn run(args: &SymbolsArgs) -> Outcome {
    let opened = open()?;
    let listed = list(&opened, args)?;
    let exit = if listed.symbols.is_empty() { NOTHING } else { 0 };
    if args.json {
        print_json(&listed);
        return Ok(exit);
    }
    let mut text: String = listed.symbols.iter().map(Symbol::lines).collect();
    if listed.left_out > 0 {
        text += &paint(FAINT, &format!("and {} more: --limit shows them\n", listed.left_out));
    }
    if listed.symbols.is_empty() {
        let all = counted(opened.graph.symbol_count() as u64, "symbol");
        text = format!("none of {all} is like that\n");
    }
    print(&text);
    Ok(exit)
}

fn list(opened: &Opened, args: &SymbolsArgs) -> Result<Symbols, Problems> {
    let inside = opened.all_meant(&args.inside)?;
    let part = args.part.as_deref().unwrap_or_default().to_lowercase();
    let one_of = |list: &[String], name: &str| list.is_empty() || list.iter().any(|one| one == name);
    let wanted = opened.graph.symbols().filter(|symbol| {
        let file = Node::File(opened.graph.file_of(symbol.id));
        one_of(&args.kind, symbol.kind.name())
            && one_of(&args.language, symbol.language.name())
            && (inside.is_empty() || inside.contains(&file))
            && (part.is_empty() || symbol.qualified().to_lowercase().contains(&part))
    });
    let all: Vec<_> = wanted.map(|symbol| symbol.id).collect();
    let symbols = all.iter().take(args.limit).map(|id| Symbol::new(&opened.graph, *id)).collect();
    Ok(Symbols { symbols, left_out: all.len().saturating_sub(args.limit) })
}
