//! What was said of code that is no longer what it was falls back to a hypothesis.

use std::collections::BTreeSet;

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Anchor, Evidence, MemoryEvent, Note, Recorded};
use ralph_store::{Notes, StoreError};

use crate::analysis::facet;
use crate::anchors::Now;
use crate::catch_up::catch_up;
use crate::listed::listed;

/// The notes that are anchored to a symbol which is not as it was, of those that `current` tells of. Each is doubted once
/// for a change, and again only when it was confirmed and the code has changed since.
pub async fn rot(store: &impl Notes, current: &[Anchor], at: Timestamp) -> Result<Vec<NoteId>, StoreError> {
    catch_up(store).await?;
    let now = Now::of(current);
    let mut rotten = Vec::new();
    let mut events = Vec::new();
    let anchored: BTreeSet<String> = current.iter().map(facet::anchor).collect();
    for note in listed(store, anchored).await? {
        let Some(renewed) = now.changed(&note.said.anchors) else { continue };
        if note.stale || note.said.kind.is_history() {
            continue;
        }
        let id = note.id.clone();
        if was_doubted(&store.memory_history(&id).await?) {
            // It was confirmed after the change: of the code as it is now.
            events.push(MemoryEvent::Anchored { note: id, anchors: renewed });
        } else {
            events.push(MemoryEvent::Doubted { note: id.clone(), evidence: Evidence::Changed });
            rotten.push(id);
        }
    }
    if !events.is_empty() {
        store.append_memory(events, at).await?;
    }
    Ok(rotten)
}

/// Whether a note was said of code that is another by now, as far as `current` tells of it. What happened stays so.
pub fn is_outdated(note: &Note, current: &[Anchor]) -> bool {
    let has_changed = |anchor: &Anchor| {
        let same = |now: &&Anchor| now.symbol == anchor.symbol && now.file == anchor.file;
        let mut now = current.iter().filter(same).peekable();
        now.peek().is_some() && now.all(|now| now.digest != anchor.digest)
    };
    !note.said.kind.is_history() && note.said.anchors.iter().any(has_changed)
}

/// Whether it was doubted for a change since it was last anchored.
fn was_doubted(history: &[Recorded]) -> bool {
    let changed = |line: &Recorded| {
        matches!(&line.event, Some(MemoryEvent::Doubted { evidence: Evidence::Changed, .. }))
    };
    let since = history.iter().rposition(|line| line.name == "ANCHORED").map_or(0, |at| at + 1);
    history[since..].iter().any(changed)
}
