//! Which of several notes that say the same stays.

use std::cmp::Reverse;

use ralph_core::id::NoteId;
use ralph_core::note::{Confidence, KindName, Note, Origin};

use crate::alike::alike;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survivor {
    /// The one that others can see already.
    Known,
    /// The one of the task, which has something to rest on where the other has nothing.
    Staged,
}

/// What is known stays, with its history, unless that would lose what the note rests on.
pub(super) fn survivor(known: &Note, staged: &Note) -> Survivor {
    let rests_on_nothing = known.said.citations.is_empty() && known.said.origin != Origin::Person;
    if rests_on_nothing && !staged.said.citations.is_empty() { Survivor::Staged } else { Survivor::Known }
}

/// Each thing once, in the best of its notes; and each note that goes, with the one that stays.
pub(super) fn among_themselves(notes: Vec<Note>) -> (Vec<Note>, Vec<(NoteId, NoteId)>) {
    let mut ranked = notes;
    ranked.sort_by_cached_key(|note| (Reverse(worth(note)), note.recorded_at, note.id.clone()));
    let mut unique: Vec<Note> = Vec::new();
    let mut said_again = Vec::new();
    for note in ranked {
        match unique.iter().find(|better| alike(&better.said, &note.said)) {
            Some(better) => said_again.push((note.id, better.id.clone())),
            None => unique.push(note),
        }
    }
    (unique, said_again)
}

/// What rests on something before what was verified before what is of more use before what is more certain.
fn worth(note: &Note) -> (bool, bool, u8, Confidence) {
    let said = &note.said;
    (!said.citations.is_empty(), note.verified, use_of(said.kind.name()), said.confidence)
}

fn use_of(kind: KindName) -> u8 {
    match kind {
        KindName::Skill => 6,
        KindName::Pattern => 5,
        KindName::Gotcha => 4,
        KindName::Decision => 3,
        KindName::Failure => 2,
        KindName::Discovery | KindName::Command => 1,
        KindName::ToolUse => 0,
    }
}
