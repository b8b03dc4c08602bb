//! `ralph prd`: whether a backlog is fit to be worked on.

use std::path::PathBuf;

use ralph_core::backlog::{About, Finding, Severity, review};
use ralph_trackers::TrackerError;
use serde::Serialize;

use super::Outcome;
use crate::backlog::{TrackerFlags, tracker_problem};
use crate::render::{BAD, CALM, FAINT, GOOD, inert, paint};
use crate::words::{counted, print, print_json};

/// The exit code where the file makes no sense.
const UNREADABLE: u8 = 2;

/// Look after the file that a backlog is in.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph prd check prd.json
  ralph prd check TODO.md --json | jq '.findings[] | select(.severity == \"error\")'")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Check(CheckArgs),
}

/// Report what would keep a backlog from being done: cycles, unknown dependencies, duplicate ids, tasks without
/// acceptance criteria, tasks that are too big for one iteration.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 1 if something will never be worked on, 2 if the file cannot be read.")]
struct CheckArgs {
    /// A prd.json, or a Markdown file with checklists
    file: PathBuf,
    /// Print it as JSON (docs/schema/prd-check.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Checked {
    source: String,
    tasks: usize,
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let Action::Check(args) = &args.action;
    let mut tracker = TrackerFlags::of_file(&args.file).choose()?.tracker;
    let backlog = match tracker.load() {
        Ok(backlog) => backlog,
        // Who asked for JSON gets it of what is wrong with the file, too.
        Err(error @ TrackerError::Malformed { .. }) if args.json => {
            print_json(&Checked { source: tracker.source(), tasks: 0, findings: vec![unreadable(&error)] });
            return Ok(UNREADABLE);
        }
        Err(error) => return Err(tracker_problem(&error).into()),
    };
    let findings = review(&backlog);
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let checked = Checked { source: tracker.source(), tasks: backlog.items().len(), findings };
    if args.json {
        print_json(&checked);
    } else {
        print(&told(&checked, errors));
    }
    Ok(u8::from(errors > 0))
}

fn unreadable(error: &TrackerError) -> Finding {
    Finding {
        severity: Severity::Error,
        about: About::Malformed,
        tasks: Vec::new(),
        what: error.to_string(),
        next: error.hint(),
    }
}

fn told(checked: &Checked, errors: usize) -> String {
    let mut text = String::new();
    for finding in &checked.findings {
        let label = match finding.severity {
            Severity::Error => paint(BAD, "error:"),
            Severity::Warning => paint(CALM, "warning:"),
        };
        text += &format!("{label} {}\n", inert(&finding.what));
        text += &paint(FAINT, &format!("  next: {}\n", inert(&finding.next)));
    }
    let tasks = counted(checked.tasks as u64, "task");
    let warnings = checked.findings.len() - errors;
    let result = if checked.findings.is_empty() {
        paint(GOOD, "nothing to complain of")
    } else {
        format!("{}, {}", counted(errors as u64, "error"), counted(warnings as u64, "warning"))
    };
    text + &format!("{}: {tasks}, {result}\n", inert(&checked.source))
}
