//! What an earlier process has consolidated and did not live to tell: the log knows.

use ralph_core::Timestamp;
use ralph_core::id::{NoteId, TaskId};
use ralph_core::note::{MemoryEvent, Scope};
use ralph_store::{Notes, StoreError};

use super::Consolidation;
use super::plan::{SAID, WRONG};

/// How many events are read at a time.
const PAGE: usize = 1_000;

/// What became of a task's notes since then, as far as events tell: what was dropped has left none.
pub async fn consolidated_since(
    store: &impl Notes,
    task: &TaskId,
    since: Timestamp,
) -> Result<Consolidation, StoreError> {
    let (mut found, mut after) = (Consolidation::default(), 0);
    loop {
        let page = store.memory_log(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = last.seq;
        for event in page.into_iter().filter(|line| line.at >= since).filter_map(|line| line.event) {
            match event {
                MemoryEvent::Promoted { note, to: Scope::Project } if is_of(store, &note, task).await? => {
                    found.promoted += 1;
                }
                MemoryEvent::Superseded { note, by, why, .. }
                    if is_of(store, &note, task).await? || is_of(store, &by, task).await? =>
                {
                    found.deduplicated += u64::from(why == SAID);
                    found.conflicts_resolved += u64::from(why == WRONG);
                }
                _ => {}
            }
        }
    }
}

async fn is_of(store: &impl Notes, note: &NoteId, task: &TaskId) -> Result<bool, StoreError> {
    Ok(store.note(note).await?.is_some_and(|note| note.said.source.task.as_ref() == Some(task)))
}
