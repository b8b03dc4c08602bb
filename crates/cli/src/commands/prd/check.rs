//! `ralph prd check`: whether a backlog is fit to be worked on.

use std::path::PathBuf;

use ralph_core::backlog::{About, Finding, Severity, review};
use ralph_trackers::TrackerError;
use serde::Serialize;

use crate::backlog::{TrackerFlags, tracker_problem};
use crate::commands::Outcome;
use crate::render::{BAD, CALM, FAINT, GOOD, inert, paint};
use crate::words::{counted, print, print_json};

/// The exit code where the file makes no sense.
const UNREADABLE: u8 = 2;

/// Report what would keep a backlog from being done: cycles, unknown dependencies, duplicate ids, tasks without
/// acceptance criteria, tasks that are too big for one iteration.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 1 if something will never be worked on, 2 if the file cannot be read.")]
pub(crate) struct Args {
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

pub(super) fn run(args: &Args) -> Outcome {
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

/// A line for each, with what to do about it.
pub(super) fn listed(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let label = match finding.severity {
            Severity::Error => paint(BAD, "error:"),
            Severity::Warning => paint(CALM, "warning:"),
        };
        text += &format!("{label} {}\n", inert(&finding.what));
        text += &paint(FAINT, &format!("  next: {}\n", inert(&finding.next)));
    }
    text
}

fn told(checked: &Checked, errors: usize) -> String {
    let text = listed(&checked.findings);
    let tasks = counted(checked.tasks as u64, "task");
    let warnings = checked.findings.len() - errors;
    let result = if checked.findings.is_empty() {
        paint(GOOD, "nothing to complain of")
    } else {
        format!("{}, {}", counted(errors as u64, "error"), counted(warnings as u64, "warning"))
    };
    text + &format!("{}: {tasks}, {result}\n", inert(&checked.source))
}
