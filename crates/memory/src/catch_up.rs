//! Makes notes of what was appended to the log since the last time.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::id::NoteId;
use ralph_core::note::{Note, fold};
use ralph_store::{Batch, MemoryState, Notes, StoreError};

use crate::analysis::{ANALYSIS, index};

/// Lines of the log at a time: as many as the store keeps in one block.
const LINES: usize = 4096;

/// Brings the notes up to date with the log. Any number of processes may do so at the same time; whoever comes second
/// finds it done.
pub async fn catch_up(store: &impl Notes) -> Result<(), StoreError> {
    caught_up(store).await.map(|_| ())
}

/// The same, for whoever wants to know the state that it leads to.
pub(crate) async fn caught_up(store: &impl Notes) -> Result<MemoryState, StoreError> {
    loop {
        let state = store.memory_state().await?;
        if state.analysis != ANALYSIS && state.through > 0 {
            store.clear_notes(ANALYSIS).await?;
            continue;
        }
        if state.through >= state.last {
            return Ok(state);
        }
        let batch = next(store, state.through).await?;
        // Whether it was written or somebody else was faster: the state says how far it is now.
        store.write_notes(batch).await?;
    }
}

async fn next(store: &impl Notes, from: u64) -> Result<Batch, StoreError> {
    let lines = store.memory_log(from, LINES).await?;
    let mut notes: BTreeMap<NoteId, Option<Note>> = BTreeMap::new();
    let mut order: Vec<NoteId> = Vec::new();
    for line in &lines {
        if !notes.contains_key(&line.note) {
            notes.insert(line.note.clone(), store.note(&line.note).await?);
            order.push(line.note.clone());
        }
        let before = notes.remove(&line.note).flatten();
        notes.insert(line.note.clone(), fold(before, line));
    }
    let through = lines.last().map_or(from, |line| line.seq);
    let gone: BTreeSet<NoteId> =
        notes.iter().filter(|(_, note)| note.is_none()).map(|(id, _)| id.clone()).collect();
    // In the order of the log, for neighbours in a thread are those that were made one after the other.
    let changed = order.iter().filter_map(|id| notes.remove(id).flatten()).map(index).collect();
    Ok(Batch { from, through, analysis: ANALYSIS, changed, gone: gone.into_iter().collect() })
}
