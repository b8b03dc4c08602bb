//! Puts things down: nothing is stored that was not redacted, and what a note takes the place of is marked so.

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Draft, MemoryEvent};
use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};

/// Puts a note down and tells its id. `entropy` has to be different for every note of a second.
pub async fn note_down(
    store: &impl Notes,
    draft: Draft,
    redactor: &Redactor,
    at: Timestamp,
    entropy: u64,
) -> Result<NoteId, StoreError> {
    let note = NoteId::new(at, entropy);
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
        for text in texts(event) {
            if let std::borrow::Cow::Owned(redacted) = redactor.text(text) {
                *text = redacted;
            }
        }
    }
    store.append_memory(events, at).await
}

fn texts(event: &mut MemoryEvent) -> Vec<&mut String> {
    match event {
        MemoryEvent::Observed { draft, .. } => draft.texts_mut(),
        MemoryEvent::Superseded { why, .. } => vec![why],
        MemoryEvent::Anchored { anchors, .. } => {
            anchors.iter_mut().flat_map(|anchor| [&mut anchor.symbol, &mut anchor.file]).collect()
        }
        MemoryEvent::Confirmed { .. }
        | MemoryEvent::Doubted { .. }
        | MemoryEvent::Used { .. }
        | MemoryEvent::Withheld { .. }
        | MemoryEvent::Promoted { .. }
        | MemoryEvent::Forgotten { .. } => Vec::new(),
    }
}
