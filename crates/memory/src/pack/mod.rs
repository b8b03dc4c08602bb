//! Notes in a file, one JSON object a line: to be kept elsewhere, looked through, or taken up by another project.

mod import;

pub use import::{Import, Imported, Malformed, Terms};

use std::collections::BTreeSet;

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{MemoryEvent, Note, Scope};
use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catch_up::catch_up;
use crate::remember::redact_event;

/// What the file calls itself.
const NAME: &str = "ralph-memory";
/// A newer one is refused.
const VERSION: u32 = 1;
/// Lines of the log, or notes, at a time.
const PAGE: usize = 4096;

/// One line of the file. The first says what it is; each of the others is an event, in the order of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum PackLine {
    Head {
        /// `ralph-memory`
        format: String,
        /// 1
        version: u32,
    },
    Event {
        at: Timestamp,
        shelf: Shelf,
        entry: MemoryEvent,
    },
}

/// Where a note stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shelf {
    Project,
    Global,
}

/// Which notes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// What tasks have staged.
    Task,
    /// What is the project's, or was promoted from it.
    Project,
    /// What is for all projects.
    Global,
    All,
}

impl Wanted {
    fn takes(self, shelf: Shelf, note: &Note) -> bool {
        let is_staged = matches!(note.said.scope, Scope::Task { .. });
        match (self, shelf) {
            (Wanted::All, _) | (Wanted::Global, Shelf::Global) => true,
            (Wanted::Task, Shelf::Project) => is_staged,
            (Wanted::Project, Shelf::Project) => !is_staged,
            (Wanted::Task | Wanted::Project, Shelf::Global) | (Wanted::Global, Shelf::Project) => false,
        }
    }
}

/// The lines of the file. What was forgotten is not in it, and neither is a secret that can be recognised now.
pub async fn pack<S: Notes>(
    stores: &[(Shelf, &S)],
    wanted: Wanted,
    redactor: &Redactor,
) -> Result<Vec<PackLine>, StoreError> {
    let mut lines = vec![PackLine::Head { format: NAME.to_owned(), version: VERSION }];
    for (shelf, store) in stores {
        take(*store, *shelf, wanted, redactor, &mut lines).await?;
    }
    Ok(lines)
}

async fn take(
    store: &impl Notes,
    shelf: Shelf,
    wanted: Wanted,
    redactor: &Redactor,
    lines: &mut Vec<PackLine>,
) -> Result<(), StoreError> {
    catch_up(store).await?;
    let notes = notes(store, |note| wanted.takes(shelf, note)).await?;
    let mut after = 0;
    loop {
        let page = store.memory_log(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.seq;
        for line in page {
            let Some(mut entry) = line.event.filter(|_| notes.contains(&line.note)) else { continue };
            redact_event(&mut entry, redactor);
            lines.push(PackLine::Event { at: line.at, shelf, entry });
        }
    }
}

async fn notes(
    store: &impl Notes,
    is_wanted: impl Fn(&Note) -> bool,
) -> Result<BTreeSet<NoteId>, StoreError> {
    let mut wanted = BTreeSet::new();
    let mut before = None;
    loop {
        let page = store.newest_notes(before, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(wanted) };
        before = Some(*last);
        wanted.extend(page.into_iter().map(|(_, note)| note).filter(&is_wanted).map(|note| note.id));
    }
}
