//! Puts things down: nothing is stored that was not redacted, and what a note takes the place of is marked so.
//!
//! Whoever says something decides what it can become. What is made of the words of tools is never a skill; what anybody but
//! a person says while a task is worked on is for that task alone, until it is consolidated; and nobody but a person may
//! say as much as they like.

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Draft, Kind, KindName, MemoryEvent, Observation, Origin, Scope};
use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};

use crate::capture::clipped;
use crate::quota::Quota;
use crate::staged::staged;

/// Letters of each text of a note that no person has written.
const LONGEST: usize = 4000;
/// Of a title.
const LONGEST_TITLE: usize = 240;
/// Files, symbols, tags, citations and anchors, of each.
const MOST_NAMED: usize = 32;

/// What became of a note that somebody other than a person wants to put down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staged {
    Kept(NoteId),
    Refused(Refusal),
}

/// Why a note is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It belongs to no task, and what agents and tools say goes no further than their task.
    NoTask,
    /// This attempt or session has said enough.
    OverQuota,
    /// There is nothing in it.
    Empty,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Refusal::NoTask => {
                "it belongs to no task, and only a person can put down a note for the whole project"
            }
            Refusal::OverQuota => "there are enough notes of this attempt already; keep what matters most",
            Refusal::Empty => "there is nothing to remember; say what there is to know",
        })
    }
}

/// Puts down what an agent, a tool or a rule has to say about the task that is worked on: in that task's scope, whatever
/// the draft asks for, and no more than there is room for. `entropy` as in [`note_down`].
pub async fn stage(
    store: &impl Notes,
    draft: Draft,
    redactor: &Redactor,
    at: Timestamp,
    entropy: u64,
) -> Result<Staged, StoreError> {
    let mut draft = confined(draft);
    if draft.origin == Origin::Agent && draft.kind.name() == KindName::Skill {
        // Only what was seen to work becomes a skill, and that is for consolidation to say.
        draft.kind = Kind::Observation(Observation::Discovery);
    }
    if draft.content.trim().is_empty() {
        return Ok(Staged::Refused(Refusal::Empty));
    }
    if let (Scope::Project | Scope::Global, Origin::Rule | Origin::Agent | Origin::Tool) =
        (&draft.scope, draft.origin)
    {
        return Ok(Staged::Refused(Refusal::NoTask));
    }
    if let Scope::Task { task } = &draft.scope {
        let known = staged(store, task).await?;
        if !Quota::beside(&known, &draft).take(draft.origin) {
            return Ok(Staged::Refused(Refusal::OverQuota));
        }
    }
    note_down(store, draft, redactor, at, entropy).await.map(Staged::Kept)
}

/// Puts a note down and tells its id. `entropy` has to be different for every note of a second. A note of anybody but a
/// person that belongs to a task is put into its scope.
pub async fn note_down(
    store: &impl Notes,
    draft: Draft,
    redactor: &Redactor,
    at: Timestamp,
    entropy: u64,
) -> Result<NoteId, StoreError> {
    let note = NoteId::new(at, entropy);
    let draft = confined(draft);
    let superseded = draft.supersedes.clone();
    let mut events = vec![MemoryEvent::Observed { note: note.clone(), draft: Box::new(draft) }];
    events.extend(superseded.into_iter().map(|old| MemoryEvent::Superseded {
        note: old,
        by: note.clone(),
        why: "a newer note takes its place".to_owned(),
        valid_to: None,
    }));
    remember(store, events, redactor, at).await?;
    Ok(note)
}

/// Appends events to the log, all or nothing, without the secrets that were in them.
pub async fn remember(
    store: &impl Notes,
    mut events: Vec<MemoryEvent>,
    redactor: &Redactor,
    at: Timestamp,
) -> Result<Vec<u64>, StoreError> {
    for event in &mut events {
        redact_event(event, redactor);
        if let MemoryEvent::Observed { draft, .. } = event {
            bound(draft);
        }
    }
    store.append_memory(events, at).await
}

/// Takes the secrets out of an event.
pub(crate) fn redact_event(event: &mut MemoryEvent, redactor: &Redactor) {
    if let MemoryEvent::Observed { draft, .. } = event {
        redact(draft, redactor);
    }
    for text in texts(event) {
        clean(text, redactor);
    }
}

/// Takes the secrets out of a draft.
pub(crate) fn redact(draft: &mut Draft, redactor: &Redactor) {
    for text in draft.texts_mut() {
        clean(text, redactor);
    }
}

fn clean(text: &mut String, redactor: &Redactor) {
    if let std::borrow::Cow::Owned(redacted) = redactor.text(text) {
        *text = redacted;
    }
}

/// In the scope that its origin allows while its task is worked on.
fn confined(mut draft: Draft) -> Draft {
    match (draft.origin, &draft.source.task) {
        (Origin::Rule | Origin::Agent | Origin::Tool, Some(task)) => {
            draft.scope = Scope::Task { task: task.clone() };
        }
        (Origin::Rule | Origin::Agent | Origin::Tool, None) | (Origin::Person, _) => {}
    }
    draft
}

/// As much, and as what, its origin allows.
fn bound(draft: &mut Draft) {
    if draft.origin.is_tainted() && draft.kind.name() == KindName::Skill {
        draft.kind = Kind::Observation(Observation::Discovery);
    }
    if draft.origin == Origin::Person {
        return;
    }
    draft.files.truncate(MOST_NAMED);
    draft.symbols.truncate(MOST_NAMED);
    draft.tags.truncate(MOST_NAMED);
    draft.citations.truncate(MOST_NAMED);
    draft.anchors.truncate(MOST_NAMED);
    for text in draft.texts_mut() {
        shorten(text, LONGEST);
    }
    shorten(&mut draft.title, LONGEST_TITLE);
}

fn shorten(text: &mut String, most: usize) {
    // A letter has at least a byte.
    if text.len() > most && text.chars().count() > most {
        *text = clipped(text, most);
    }
}

/// The texts of an event beside those of a draft.
fn texts(event: &mut MemoryEvent) -> Vec<&mut String> {
    match event {
        MemoryEvent::Superseded { why, .. } => vec![why],
        MemoryEvent::Anchored { anchors, .. } => {
            anchors.iter_mut().flat_map(|anchor| [&mut anchor.symbol, &mut anchor.file]).collect()
        }
        MemoryEvent::Observed { .. }
        | MemoryEvent::Confirmed { .. }
        | MemoryEvent::Doubted { .. }
        | MemoryEvent::Used { .. }
        | MemoryEvent::Withheld { .. }
        | MemoryEvent::Promoted { .. }
        | MemoryEvent::Forgotten { .. } => Vec::new(),
    }
}
