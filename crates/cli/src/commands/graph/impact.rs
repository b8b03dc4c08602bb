//! `ralph graph impact`.

use std::collections::BTreeSet;

use ralph_graph::{Affected, Reach};
use serde::Serialize;

use super::opened::{Opened, open};
use super::shown::Thing;
use crate::commands::Outcome;
use crate::problem::{Problem, Problems};
use crate::render::{CALM, FAINT, HEAD, paint};
use crate::words::{counted, print, print_json};

/// What is less sure than this is marked.
const DOUBTFUL: f32 = 0.3;

/// Show what depends on a symbol, a file or a directory: directly, and through others.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph graph impact src/price.rs              before changing a file
  ralph graph impact Price::sum --depth 1      only what uses it directly
  ralph graph impact src/price.rs --json | jq -r '.files[]'")]
pub(super) struct ImpactArgs {
    /// NAME, TYPE::NAME, PATH, PATH:NAME or PATH:LINE
    #[arg(required = true)]
    what: Vec<String>,
    /// Over how many steps
    #[arg(long, default_value_t = Reach::default().depth)]
    depth: u32,
    /// Leave out what is less sure than this, from 0 to 1
    #[arg(long, default_value_t = Reach::default().least)]
    least: f32,
    /// Print it as JSON (docs/schema/graph-impact.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Impact {
    /// What was asked about.
    of: Vec<Thing>,
    /// The nearest first, and of these the surest.
    affected: Vec<Dependent>,
    /// All files that hold something affected.
    files: BTreeSet<String>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Dependent {
    what: Thing,
    /// Over how many steps.
    depth: u32,
    /// How sure it is, from 0 to 1: the product of all steps.
    sure: f32,
    /// calls, references, implements or imports.
    relation: &'static str,
    /// What it depends on directly.
    through: Thing,
}

pub(super) fn run(args: &ImpactArgs) -> Outcome {
    let opened = open()?;
    let impact = look(&opened, args)?;
    if args.json {
        print_json(&impact);
    } else {
        print(&tell(&impact));
    }
    Ok(0)
}

fn look(opened: &Opened, args: &ImpactArgs) -> Result<Impact, Problems> {
    if !(0.0..=1.0).contains(&args.least) {
        return Err(Problem::new(format!("--least {} is not between 0 and 1", args.least)).into());
    }
    let nodes = opened.all_meant(&args.what)?;
    let graph = &opened.graph;
    let dependent = |one: Affected| Dependent {
        what: Thing::new(graph, one.node),
        depth: one.depth,
        sure: one.sure,
        relation: one.relation.name(),
        through: Thing::new(graph, one.through),
    };
    // Nothing is sure enough for a limit of 0, which would go round for ever through what is impossible.
    let reach = Reach { depth: args.depth, least: args.least.max(0.001) };
    let affected: Vec<Dependent> = graph.impact(&nodes, reach).into_iter().map(dependent).collect();
    let files = affected.iter().map(|one| one.what.path.clone()).collect();
    Ok(Impact { of: nodes.into_iter().map(|node| Thing::new(graph, node)).collect(), affected, files })
}

fn tell(impact: &Impact) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for one in &impact.affected {
        if one.depth != depth {
            depth = one.depth;
            let head = if depth == 1 { "directly".to_owned() } else { format!("over {depth} steps") };
            text += &(paint(HEAD, &head) + "\n");
        }
        let doubt = if one.sure < DOUBTFUL { paint(CALM, " (perhaps)") } else { String::new() };
        text += &format!("  {}{doubt}\n", one.what.words());
    }
    let (things, files) = (impact.affected.len() as u64, impact.files.len() as u64);
    let all = format!("{} in {}\n", counted(things, "dependent"), counted(files, "file"));
    text + &paint(FAINT, &all)
}
