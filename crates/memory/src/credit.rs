//! What became of the work that a note was shown for, or kept from.

use std::collections::BTreeSet;

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{MemoryEvent, Recorded, Use};
use ralph_store::{Notes, StoreError};

/// Gives the notes that were in a brief their part in how the work went, and the one that was left out of it on purpose.
/// Once for every attempt, however often it is done.
pub async fn credit(
    store: &impl Notes,
    notes: &[NoteId],
    withheld: Option<&NoteId>,
    used: &Use,
    at: Timestamp,
) -> Result<(), StoreError> {
    let shown: BTreeSet<&NoteId> = notes.iter().filter(|note| Some(*note) != withheld).collect();
    let used_events =
        shown.into_iter().map(|note| MemoryEvent::Used { note: note.clone(), used: used.clone() });
    let left_out = withheld.map(|note| MemoryEvent::Withheld { note: note.clone(), used: used.clone() });
    let mut events = Vec::new();
    for event in used_events.chain(left_out) {
        let history = store.memory_history(event.note()).await?;
        let is_known = history.iter().any(|line| line.name == "OBSERVED");
        if is_known && !history.iter().any(|line| tells_of(line, used)) {
            events.push(event);
        }
    }
    if !events.is_empty() {
        store.append_memory(events, at).await?;
    }
    Ok(())
}

/// Whether a line is about the same attempt. One that no run tells of cannot be told from others.
fn tells_of(line: &Recorded, used: &Use) -> bool {
    match &line.event {
        Some(MemoryEvent::Used { used: earlier, .. } | MemoryEvent::Withheld { used: earlier, .. }) => {
            used.run.is_some()
                && (&earlier.run, &earlier.task, earlier.iteration) == (&used.run, &used.task, used.iteration)
        }
        Some(
            MemoryEvent::Observed { .. }
            | MemoryEvent::Confirmed { .. }
            | MemoryEvent::Doubted { .. }
            | MemoryEvent::Anchored { .. }
            | MemoryEvent::Superseded { .. }
            | MemoryEvent::Promoted { .. }
            | MemoryEvent::Forgotten { .. },
        )
        | None => false,
    }
}
