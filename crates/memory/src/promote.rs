//! Notes on their way up: from a task to its project, and from there to all projects. Doing it twice changes nothing.

use ralph_core::Timestamp;
use ralph_core::id::{NoteId, TaskId};
use ralph_core::note::{Draft, Evidence, MemoryEvent, Note, Scope, Status};
use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};

use crate::catch_up::catch_up;
use crate::remember::remember;

/// Why a note stays where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromoteError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no note {id}")]
    NoNote { id: NoteId },
    #[error("note {id} was superseded by {by}")]
    Superseded { id: NoteId, by: NoteId },
    #[error("note {id} is in the scope of task {task} and not yet the project's")]
    OfATask { id: NoteId, task: TaskId },
    #[error("note {id} was for all projects already, and was forgotten there")]
    Forgotten { id: NoteId },
}

/// From a task to the project; the answer is no where it is the project's already, or everybody's.
pub async fn promote(store: &impl Notes, id: &NoteId, at: Timestamp) -> Result<bool, PromoteError> {
    let note = active(store, id).await?;
    if !note.said.scope.can_become(&Scope::Project) {
        return Ok(false);
    }
    raise(store, id, Scope::Project, at).await?;
    Ok(true)
}

/// From a project to all: a copy under the same id, with where it comes from, and then a line in the project's log. Whoever is
/// interrupted between the two finishes by doing it again. `project` is what people call it.
pub async fn promote_to_all<S: Notes>(
    (project, global): (&S, &S),
    id: &NoteId,
    name: &str,
    redactor: &Redactor,
    at: Timestamp,
) -> Result<bool, PromoteError> {
    let note = active(project, id).await?;
    if let Scope::Task { task } = note.said.scope {
        return Err(PromoteError::OfATask { id: id.clone(), task });
    }
    catch_up(global).await?;
    let there = global.memory_history(id).await?;
    if !there.is_empty() && global.note(id).await?.is_none() {
        return Err(PromoteError::Forgotten { id: id.clone() });
    }
    if there.is_empty() {
        let draft = Box::new(copy(&note, name, at));
        let mut events = vec![MemoryEvent::Observed { note: id.clone(), draft }];
        if note.verified {
            // What was shown to hold there is put before everybody by a person.
            events.push(MemoryEvent::Confirmed { note: id.clone(), evidence: Evidence::Approved });
        }
        remember(global, events, redactor, at).await?;
    }
    let is_new = note.said.scope.can_become(&Scope::Global);
    if is_new {
        raise(project, id, Scope::Global, at).await?;
    }
    Ok(is_new || there.is_empty())
}

/// What is said of one project's code says nothing of another's: it comes without anchors.
fn copy(note: &Note, name: &str, at: Timestamp) -> Draft {
    let mut draft = note.said.clone();
    draft.scope = Scope::Global;
    draft.confidence = note.confidence_at(at);
    draft.valid_from = Some(note.valid_from());
    draft.anchors.clear();
    draft.tags.push(format!("project:{name}"));
    draft
}

async fn raise(store: &impl Notes, id: &NoteId, to: Scope, at: Timestamp) -> Result<(), StoreError> {
    store.append_memory(vec![MemoryEvent::Promoted { note: id.clone(), to }], at).await?;
    Ok(())
}

async fn active(store: &impl Notes, id: &NoteId) -> Result<Note, PromoteError> {
    catch_up(store).await?;
    let note = store.note(id).await?.ok_or_else(|| PromoteError::NoNote { id: id.clone() })?;
    match note.status {
        Status::Active => Ok(note),
        Status::Superseded { by, .. } => Err(PromoteError::Superseded { id: id.clone(), by }),
    }
}
