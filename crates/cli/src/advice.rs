//! What a person can do about a run that failed, as commands that can be typed.

use ralph_core::event::{Entry, Event};
use ralph_core::put_back::Why;
use ralph_core::run::Run;
use ralph_core::stop::RunState;
use ralph_engine::Place;
use serde::Serialize;

use crate::words::counted;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Advice {
    /// As it can be typed.
    command: String,
    /// What it does.
    does: String,
}

impl Advice {
    pub(crate) fn new(command: String, does: impl Into<String>) -> Advice {
        Advice { command, does: does.into() }
    }
}

/// Nothing for a run that goes on, succeeded, or was stopped by a person.
pub(crate) fn advice(run: &Run, journal: &[Entry], place: &Place) -> Vec<Advice> {
    let Some(stop) = run.stop().filter(|stop| stop.reason.state() == RunState::Failed) else {
        return Vec::new();
    };
    let (id, last) = (&run.id, run.tally.iterations);
    let mut all = Vec::new();
    if stop.reason.is_resumable() {
        all.push(Advice::new(format!("ralph resume {id}"), "go on, once that is mended"));
    }
    if let Some(origin) = &run.origin {
        if let Some(undo) = put_back(journal) {
            let command = format!("ralph rollback --snapshot {}", undo.get(..12).unwrap_or(undo));
            all.push(Advice::new(command, "bring back what the run had done"));
        } else {
            all.push(Advice::new(
                format!("ralph rollback --run {id}"),
                format!(
                    "everything as it was before the run (snapshot {})",
                    origin.get(..12).unwrap_or(origin)
                ),
            ));
        }
        if last > 1 {
            let does = format!("as it was when iteration {last} began");
            all.push(Advice::new(format!("ralph rollback --run {id} --to {last}"), does));
        }
        if last > 0 {
            let does = format!("a new run from where iteration {last} began");
            all.push(Advice::new(format!("ralph fork {last} {id}"), does));
        }
        let recipe = place.snapshots().join("restore.sh");
        let recipe = shell_words::quote(&recipe.to_string_lossy()).into_owned();
        let does = "without ralph: the tree as it was before the run, in a new directory";
        all.push(Advice::new(format!("sh {recipe} {origin} DIRECTORY"), does));
    }
    all.push(Advice::new(format!("ralph why {id}"), "what it failed on, and what was tried"));
    all.push(Advice::new(format!("ralph logs {id}"), "what the agent did"));
    all
}

/// What brings back the work of a run that has put its tree back because it failed.
fn put_back(journal: &[Entry]) -> Option<&str> {
    journal.iter().rev().find_map(|entry| match &entry.event {
        Event::RolledBack { why: Why::Failed, undo, .. } => Some(undo.as_str()),
        _ => None,
    })
}

/// As lines under a heading; nothing where there is nothing to do.
pub(crate) fn told(run: &Run, advice: &[Advice]) -> Option<String> {
    if advice.is_empty() {
        return None;
    }
    let tried = counted(run.tally.iterations.into(), "iteration");
    Some(format!("  {tried} tried; what can be done:\n{}", lines(advice, "    ")))
}

/// One a line, the command first; a long one has its explanation below it.
pub(crate) fn lines(advice: &[Advice], indent: &str) -> String {
    const WIDTH: usize = 44;
    let line = |one: &Advice| match one.command.len() {
        0..=WIDTH => format!("{indent}{:<WIDTH$}  {}\n", one.command, one.does),
        _ => format!("{indent}{}\n{indent}  {}\n", one.command, one.does),
    };
    advice.iter().map(line).collect()
}
