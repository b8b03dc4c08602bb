//! What stands at the beginning of a log: the fields that ralph-tui's logs have, by the same names, and ralph's own.

use std::fmt::Write;

use crate::iteration::{Iteration, Outcome};
use crate::text::{one_line, took};

const DESCRIPTION: usize = 200;
const LINE: usize = 1_000;
const LINES: usize = 100;

/// Every value is in one line, so that no text in it can pass for the beginning of a section.
pub(super) fn text(iteration: &Iteration) -> String {
    let mut text = format!("# Iteration {} Log\n\n## Metadata\n\n", iteration.number);
    for (name, value) in fields(iteration) {
        let value = one_line(&value, if name == "Description" { DESCRIPTION } else { LINE });
        if !value.is_empty() {
            let _ = writeln!(text, "- **{name}**: {value}");
        }
    }
    let switches =
        iteration.switches.iter().map(|switch| format!("{} → {}: {}", switch.from, switch.to, switch.why));
    section(&mut text, "Agent Switches", switches);
    section(
        &mut text,
        "Checks",
        iteration.checks.iter().map(|check| format!("`{}`: {}", check.command, check.summary())),
    );
    section(&mut text, "Findings", iteration.outcome.findings().iter().cloned());
    let files = iteration.files.iter().map(|file| file.to_string_lossy().into_owned());
    section(&mut text, "Files Changed", files);
    text
}

fn section(text: &mut String, name: &str, lines: impl ExactSizeIterator<Item = String>) {
    let count = lines.len();
    if count == 0 {
        return;
    }
    let _ = write!(text, "\n## {name}\n\n");
    for line in lines.take(LINES) {
        let _ = writeln!(text, "- {}", one_line(&line, LINE));
    }
    if count > LINES {
        let _ = writeln!(text, "- and {} more", count - LINES);
    }
}

fn fields(iteration: &Iteration) -> Vec<(&'static str, String)> {
    let yes = |holds: bool| if holds { "Yes" } else { "No" }.to_owned();
    let maybe = |value: &Option<String>| value.clone().unwrap_or_default();
    let usage = &iteration.usage;
    let (status, error) = match &iteration.outcome {
        Outcome::Complete { .. } => ("completed", String::new()),
        Outcome::Incomplete { .. } => ("incomplete", String::new()),
        Outcome::Failed { why } => ("failed", why.clone()),
        Outcome::CutShort { why } => ("interrupted", why.clone()),
    };
    let judgement = iteration.judgement.as_ref();
    let ground = iteration.outcome.ground().map_or(String::new(), |ground| format!(": {ground}"));
    vec![
        ("Run", iteration.run.to_string()),
        ("Task ID", iteration.task.to_string()),
        ("Task Title", iteration.title.clone()),
        ("Description", iteration.description.clone()),
        ("Status", status.to_owned()),
        ("Task Completed", yes(iteration.outcome.is_complete())),
        ("Promise Detected", yes(iteration.promised)),
        ("Started At", iteration.started_at.to_string()),
        ("Ended At", iteration.ended_at.to_string()),
        ("Duration", took(iteration.duration)),
        ("Input Tokens", usage.input_tokens.to_string()),
        ("Cached Tokens", usage.cached_tokens.to_string()),
        ("Output Tokens", usage.output_tokens.to_string()),
        ("Total Tokens", usage.tokens().to_string()),
        ("Cost", usage.price()),
        ("Error", error),
        ("Agent", iteration.agent.to_string()),
        ("Model", maybe(&iteration.model)),
        ("Effort", maybe(&iteration.effort)),
        ("Attempts", iteration.attempts.to_string()),
        ("Epic", maybe(&iteration.epic)),
        ("Sandbox Mode", iteration.sandbox.mode.name().to_owned()),
        ("Sandbox Network", yes(iteration.sandbox.network)),
        ("Verdict", format!("{}{ground}", iteration.outcome.name())),
        ("Judge", judgement.map_or(String::new(), |one| format!("{}: {}", one.opinion.name(), one.reason))),
        ("Snapshot Before", maybe(&iteration.snapshots.before)),
        ("Snapshot After", maybe(&iteration.snapshots.after)),
        ("Commit", maybe(&iteration.commit)),
        ("Completion Summary", iteration.said.clone()),
    ]
}
