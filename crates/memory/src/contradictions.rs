//! What a task has put down that cannot be true if what the project knows is.

use ralph_core::id::{NoteId, TaskId};
use ralph_core::note::{KindName, Note};
use ralph_store::{Notes, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::contradict::{Conflict, contradict};
use crate::fence::fenced;
use crate::headline::headline;
use crate::query::{Context, Query};
use crate::ranking::Ranking;
use crate::recall::recall;
use crate::staged::staged;

/// Notes of the project that are compared with one of a task: those that are nearest to it.
const COMPARED: usize = 12;

/// Notes of a task that are compared: the newest, for the others were when they were new.
const LOOKED_AT: usize = 20;

/// Two notes of which one is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Contradiction {
    /// Of the task.
    pub staged: Note,
    /// What the project knows.
    pub known: Note,
    pub conflict: Conflict,
}

/// More of them would make a brief about them.
const TOLD: usize = 5;

/// What a brief is told of contradictions; nothing where there are none.
pub fn disputed(found: &[Contradiction], nonce: &str) -> String {
    if found.is_empty() {
        return String::new();
    }
    let line = |one: &Contradiction| {
        let (new, old) = (headline(&one.staged), headline(&one.known));
        format!("{}: {new}\n  against {}: {old}", one.staged.id, one.known.id)
    };
    let lines: Vec<String> = found.iter().take(TOLD).map(line).collect();
    let told = fenced("contradictions", &lines.join("\n"), nonce);
    format!("These contradict each other. Find out which holds before you rely on either:\n\n{told}")
}

/// The contradictions between the notes of a task and those of its project.
pub async fn contradictions(store: &impl Notes, task: &TaskId) -> Result<Vec<Contradiction>, StoreError> {
    let mut found = Vec::new();
    let said = |note: &Note| !matches!(note.said.kind.name(), KindName::ToolUse | KindName::Failure);
    let newest = staged(store, task).await?.into_iter().rev().filter(said).take(LOOKED_AT);
    for note in newest {
        for known in near(store, &note).await? {
            if let Some(conflict) = contradict(&note.said, &known.said) {
                found.push(Contradiction { staged: note.clone(), known, conflict });
            }
        }
    }
    Ok(found)
}

/// The notes that others can see and that are about the same, the nearest first.
pub(crate) async fn near(store: &impl Notes, note: &Note) -> Result<Vec<Note>, StoreError> {
    let said = &note.said;
    let context = Context { files: said.files.clone(), symbols: said.symbols.clone(), ..Context::default() };
    let text = format!("{} {}", said.title, said.content);
    let query = Query { limit: COMPARED, context, ..Query::new(text) };
    let found = recall(store, &query, &Ranking::default(), note.recorded_at).await?;
    let is_other = |id: &NoteId| *id != note.id;
    Ok(found.into_iter().map(|one| one.note).filter(|other| is_other(&other.id)).collect())
}
