//! Ids that depend on nothing but what is put down, so that doing it again after a crash changes nothing.

use ralph_core::id::{NoteId, RunId, TaskId};
use ralph_core::note::{Draft, Origin};

/// The same for the same texts, on every machine and in every version.
pub(crate) fn hash(parts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut eight = [0; 8];
    hasher.finalize_xof().fill(&mut eight);
    u64::from_le_bytes(eight)
}

/// A note of an attempt.
pub(crate) fn of_attempt(run: &RunId, task: &TaskId, iteration: u32, draft: &Draft) -> NoteId {
    let iteration = iteration.to_string();
    // What ralph saw is told by what it is about: the same checks, run again, print other times and places.
    let content = match draft.origin {
        Origin::Rule | Origin::Tool => "",
        Origin::Person | Origin::Agent => &draft.content,
    };
    let kind = draft.kind.name().as_str();
    NoteId::in_run(run, hash(&[task.as_str(), &iteration, kind, &draft.title, content]))
}
