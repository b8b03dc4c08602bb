//! `ralph graph build`.

use std::time::Instant;

use serde::Serialize;

use super::opened::{kept, open, reason};
use crate::commands::Outcome;
use crate::render::{CALM, FAINT, inert, paint};
use crate::words::{counted, print, print_json, size, span};

/// How many files without an outline are named.
const NAMED: usize = 20;

/// Bring the graph up to date, and say what that took; the other commands do it by themselves.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph graph build
  ralph graph build --json | jq '.skipped'")]
pub(super) struct BuildArgs {
    /// Print it as JSON (docs/schema/graph-build.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Built {
    /// Of languages that are read.
    files: usize,
    /// Of them, how many had changed and were parsed.
    parsed: usize,
    /// Of what was parsed.
    bytes: u64,
    /// How many are no longer there.
    removed: usize,
    symbols: usize,
    /// Names that are called, referred to or implemented.
    mentions: usize,
    seconds: f64,
    /// Files without symbols, for a reason.
    skipped: Vec<Left>,
    /// Why what was kept could not be used; null if it could, or if there was nothing.
    rebuilt: Option<&'static str>,
    /// Where it is kept.
    file: String,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Left {
    path: String,
    /// too_large, binary, minified, too_slow, unreadable or not_utf8.
    why: &'static str,
}

pub(super) fn run(args: &BuildArgs) -> Outcome {
    let begun = Instant::now();
    let opened = open()?;
    let took = begun.elapsed();
    let report = &opened.report;
    let skipped = report.skipped.iter().map(|(path, why)| Left { path: path.clone(), why: why.name() });
    let built = Built {
        files: report.files,
        parsed: report.parsed,
        bytes: report.bytes,
        removed: report.removed,
        symbols: report.symbols,
        mentions: report.mentions,
        seconds: took.as_secs_f64(),
        skipped: skipped.collect(),
        rebuilt: report.unusable.map(reason),
        file: kept(&opened.project).display().to_string(),
    };
    if args.json {
        print_json(&built);
        return Ok(0);
    }
    let files = counted(built.files as u64, "file");
    let mut text = format!(
        "{files}, {}, {}\n",
        counted(built.symbols as u64, "symbol"),
        counted(built.mentions as u64, "mention")
    );
    let parsed = format!("{} parsed ({})", built.parsed, size(built.bytes));
    text += &format!("{parsed}, {} gone, in {}\n", built.removed, span(took));
    if let Some(reason) = built.rebuilt {
        text += &paint(CALM, &format!("all files were read: {reason}\n"));
    }
    for Left { path, why } in built.skipped.iter().take(NAMED) {
        text += &paint(CALM, &format!("  left out: {} ({})\n", inert(path), why.replace('_', " ")));
    }
    if built.skipped.len() > NAMED {
        text += &paint(CALM, &format!("  left out: {} more\n", built.skipped.len() - NAMED));
    }
    print(&(text + &paint(FAINT, &format!("in {}\n", inert(&built.file)))));
    Ok(0)
}
