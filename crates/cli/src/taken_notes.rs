//! Notes of another tool, put down among ralph's own, each once.

use std::path::Path;

use jiff::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::MemoryEvent;
use ralph_memory::remember;
use ralph_migrate::FoundNote;
use ralph_store::{Notes, SqliteStore, StoreError, settle};
use schemars::JsonSchema;
use serde::Serialize;

use crate::perform::redactor;
use crate::problem::Problems;
use crate::project::{Project, store_problem};
use crate::settings::Given;

/// What became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct NotesTaken {
    /// Put down now, or would be without --dry-run.
    pub(crate) taken: u64,
    /// Taken over before; they are left as they are, and what was forgotten stays so.
    pub(crate) known: u64,
}

pub(crate) async fn take(root: &Path, found: Vec<FoundNote>, dry_run: bool) -> Result<NotesTaken, Problems> {
    if found.is_empty() {
        return Ok(NotesTaken::default());
    }
    let project = Project::at(root, Given::default())?;
    if !dry_run {
        settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
    }
    let store = match SqliteStore::open_existing(&project.place.common()) {
        Err(StoreError::NoDatabase { .. }) if dry_run => {
            return Ok(NotesTaken { taken: found.len() as u64, known: 0 });
        }
        Err(StoreError::NoDatabase { .. }) => project.common_store()?,
        other => other.map_err(|error| store_problem(&error))?,
    };
    put_down(&store, found, dry_run).await.map_err(|error| store_problem(&error).into())
}

/// All or nothing.
async fn put_down(
    store: &SqliteStore,
    found: Vec<FoundNote>,
    dry_run: bool,
) -> Result<NotesTaken, StoreError> {
    let mut told = NotesTaken::default();
    let mut events = Vec::new();
    for FoundNote { key, at, draft } in found {
        let note = id(&key, at);
        if store.memory_history(&note).await?.is_empty() {
            told.taken += 1;
            events.push(MemoryEvent::Observed { note, draft: Box::new(draft) });
        } else {
            told.known += 1;
        }
    }
    if !dry_run && !events.is_empty() {
        remember(store, events, &redactor(), Timestamp::now()).await?;
    }
    Ok(told)
}

/// The same for the same note, so that nothing is taken over twice.
fn id(key: &str, at: Timestamp) -> NoteId {
    let mut entropy = [0; 8];
    entropy.copy_from_slice(&blake3::hash(key.as_bytes()).as_bytes()[..8]);
    NoteId::new(at, u64::from_le_bytes(entropy))
}
