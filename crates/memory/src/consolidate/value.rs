//! Which notes of a task are worth anything to others.

use ralph_core::Timestamp;
use ralph_core::note::{Confidence, Kind, KindName, Note, Observation};

use crate::contradict::clauses;
use crate::stated::APPROACH;

/// Words that a note has to have beyond those that every text has.
const FEWEST: usize = 3;

/// Whether others should know it. What is left out stays with its task.
pub(super) fn is_of_value(note: &Note, at: Timestamp) -> bool {
    is_said_of_more_than_its_task(note) && says_something(note) && is_believed(note, at)
}

fn is_said_of_more_than_its_task(note: &Note) -> bool {
    match &note.said.kind {
        Kind::Observation(Observation::ToolUse { .. }) => false,
        // What the agent meant to do is no decision that binds others.
        Kind::Observation(Observation::Decision { .. }) => !note.said.tags.iter().any(|tag| tag == APPROACH),
        // Without fingerprints nothing can be recognised by it.
        Kind::Failure { diff, errors, .. } => diff.is_some() && !errors.is_empty(),
        Kind::Observation(Observation::Discovery | Observation::Command { .. })
        | Kind::Skill
        | Kind::Pattern
        | Kind::Gotcha { .. } => true,
    }
}

fn says_something(note: &Note) -> bool {
    let said = &note.said;
    let text = format!("{}\n{}", said.title, said.content);
    let clauses = clauses(&text);
    let words: std::collections::BTreeSet<&str> =
        clauses.iter().flat_map(|clause| clause.stems()).map(|(stem, _)| stem).collect();
    match said.kind.name() {
        // A command is one word to readers.
        KindName::Command => !words.is_empty(),
        KindName::Discovery
        | KindName::Decision
        | KindName::ToolUse
        | KindName::Skill
        | KindName::Pattern
        | KindName::Gotcha
        | KindName::Failure => words.iter().filter(|word| !REPORTS.contains(word)).count() >= FEWEST,
    }
}

/// Words of reports on work rather than of knowledge, as stems: "all tests pass now", "fixed the bug".
const REPORTS: [&str; 22] = [
    "test",
    "pass",
    "fix",
    "bug",
    "done",
    "work",
    "complet",
    "finish",
    "implement",
    "task",
    "updat",
    "chang",
    "file",
    "made",
    "success",
    "successfulli",
    "good",
    "great",
    "ok",
    "look",
    "issu",
    "add",
];

/// Doubted more often than confirmed, and never shown to hold.
fn is_believed(note: &Note, at: Timestamp) -> bool {
    note.verified || note.confidence_at(at) >= Confidence::nearest(0.3)
}
