//! Which of several notes that say the same stays.

use std::cmp::Reverse;

use ralph_core::id::NoteId;
use ralph_core::note::{Confidence, KindName, Note, Origin};

use crate::alike::Reading;
use crate::capture::is_mended;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survivor {
    /// The one that others can see already.
    Known,
    /// The one of the task, which has something to rest on where the other has nothing.
    Staged,
}

/// What is known stays, with its history, unless that would lose what the note rests on, or it is not said in the same words
/// any more and what it was said of has changed, or it says how something was mended, which is then mended otherwise.
pub(super) fn survivor(known: &Note, staged: &Note) -> Survivor {
    let is_outdated = known.stale || (is_mended(&known.said) && is_mended(&staged.said));
    if is_outdated && known.said.origin != Origin::Person && known.said.content != staged.said.content {
        return Survivor::Staged;
    }
    let rests_on_nothing = known.said.citations.is_empty() && known.said.origin != Origin::Person;
    if rests_on_nothing && !staged.said.citations.is_empty() { Survivor::Staged } else { Survivor::Known }
}

/// Each thing once, in the best of its notes; and each note that goes, with the one that stays. They come in the order in
/// which they were put down, and stay in it.
pub(super) fn among_themselves(notes: Vec<Note>) -> (Vec<Note>, Vec<(NoteId, NoteId)>) {
    let mut ranked: Vec<(usize, Note)> = notes.into_iter().enumerate().collect();
    // Of several ways in which something was mended the last one stays, of all else what was said first.
    ranked.sort_by_cached_key(|(at, note)| {
        (Reverse(worth(note)), is_mended(&note.said).then_some(Reverse(*at)), *at)
    });
    let readings: Vec<Reading<'_>> = ranked.iter().map(|(_, note)| Reading::of(&note.said)).collect();
    let mut stays: Vec<usize> = Vec::new();
    let mut said_again = Vec::new();
    for (at, (_, note)) in ranked.iter().enumerate() {
        match stays.iter().find(|better| readings[**better].is_like(&readings[at])) {
            Some(better) => said_again.push((note.id.clone(), ranked[*better].1.id.clone())),
            None => stays.push(at),
        }
    }
    let mut unique: Vec<(usize, Note)> = stays.into_iter().map(|at| ranked[at].clone()).collect();
    unique.sort_by_key(|(at, _)| *at);
    (unique.into_iter().map(|(_, note)| note).collect(), said_again)
}

/// What rests on something before what was verified before what is of more use before what is more certain.
fn worth(note: &Note) -> (bool, bool, u8, Confidence) {
    let said = &note.said;
    let use_of = use_of(said.kind.name());
    if is_mended(said) {
        return (!said.citations.is_empty(), true, use_of, Confidence::MOST);
    }
    (!said.citations.is_empty(), note.verified, use_of, said.confidence)
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
