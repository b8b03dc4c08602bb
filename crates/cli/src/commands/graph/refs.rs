//! `ralph graph refs`.

use ralph_graph::{Node, Reference, Relation, SymbolId, Use};
use serde::Serialize;

use super::opened::{Opened, open};
use super::shown::{Symbol, Thing};
use crate::commands::Outcome;
use crate::render::{CALM, FAINT, inert, paint};
use crate::words::{counted, print, print_json};

/// Show where a symbol is used, and with --uses what it uses itself.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph graph refs Basket::add             of one type's
  ralph graph refs src/price.rs:42         of the symbol at that line
  ralph graph refs round --uses --json | jq '.symbols[].uses'

No type is known: a name is looked for in its file, among its imports, in its directory or crate,
and then everywhere. What could mean several symbols is shown with how sure it is.")]
pub(super) struct RefsArgs {
    /// NAME, TYPE::NAME, PATH:NAME or PATH:LINE
    symbol: String,
    /// What it uses, too
    #[arg(long)]
    uses: bool,
    /// Print it as JSON (docs/schema/graph-refs.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct References {
    /// All that are called so.
    symbols: Vec<Used>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Used {
    symbol: Symbol,
    /// By file and line.
    references: Vec<Referred>,
    /// What it uses and defines; null without --uses.
    uses: Option<Vec<Using>>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Referred {
    path: String,
    line: u32,
    /// calls, references or implements.
    relation: &'static str,
    /// What it stands in.
    from: Thing,
    /// Why it is taken to mean this: same_file, imported, qualified, same_package, unique or ambiguous.
    how: &'static str,
    /// How sure it is, from 0 to 1.
    sure: f32,
    /// How many other symbols it could mean as well.
    others: u32,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Using {
    /// calls, references, implements, imports or defines.
    relation: &'static str,
    to: Thing,
    /// How sure it is, from 0 to 1.
    sure: f32,
    /// How often.
    times: u32,
}

pub(super) fn run(args: &RefsArgs) -> Outcome {
    let opened = open()?;
    let nodes = opened.meant(&args.symbol)?;
    let ids = nodes.into_iter().flat_map(|node| match node {
        Node::Symbol(id) => vec![id],
        Node::File(file) => opened.graph.symbols_of(file).collect(),
    });
    let ids: Vec<SymbolId> = ids.collect();
    let references = opened.graph.references_to(&ids);
    let symbols = ids.into_iter().zip(references).map(|(id, one)| used(&opened, id, one, args.uses));
    let found = References { symbols: symbols.collect() };
    if args.json {
        print_json(&found);
        return Ok(0);
    }
    print(&found.symbols.iter().map(tell).collect::<String>());
    Ok(0)
}

fn used(opened: &Opened, id: SymbolId, references: Vec<Reference>, with_uses: bool) -> Used {
    let graph = &opened.graph;
    let referred = |one: Reference| Referred {
        path: graph.path(one.file).to_owned(),
        line: one.line,
        relation: one.relation.name(),
        from: Thing::new(graph, one.from.map_or(Node::File(one.file), Node::Symbol)),
        how: one.how.name(),
        sure: one.weight,
        others: one.others,
    };
    let using = |one: Use| Using {
        relation: one.relation.name(),
        to: Thing::new(graph, one.to),
        sure: one.weight,
        times: one.count,
    };
    Used {
        symbol: Symbol::new(graph, id),
        references: references.into_iter().map(referred).collect(),
        uses: with_uses.then(|| graph.uses(Node::Symbol(id)).into_iter().map(using).collect()),
    }
}

fn tell(used: &Used) -> String {
    let mut text = used.symbol.heading();
    if used.references.is_empty() {
        text += &paint(FAINT, "  not used, as far as names tell\n");
    }
    for one in &used.references {
        let from = match &one.from.symbol {
            Some(_) => format!(" in {}", one.from.words()),
            None => String::new(),
        };
        text += &format!("  {}:{} {}{from}{}\n", inert(&one.path), one.line, one.relation, doubt(one));
    }
    for one in used.uses.iter().flatten().filter(|one| one.relation != Relation::Defines.name()) {
        text += &format!("  {} {}\n", one.relation, one.to.words());
    }
    text
}

/// Nothing where it is as good as sure.
fn doubt(one: &Referred) -> String {
    match one.others {
        0 if one.sure > 0.6 => String::new(),
        0 => paint(CALM, " (only by its name)"),
        others => paint(CALM, &format!(" (or {})", counted(u64::from(others), "other"))),
    }
}
