//! A wider search for what a task names and nothing tells of.

use std::collections::HashSet;

use ralph_core::Timestamp;
use ralph_core::note::Note;
use ralph_store::{Notes, StoreError};

use super::Missing;
use super::mention::MentionKind;
use super::names::names;
use crate::query::{Context, Query, Visible};
use crate::ranking::Ranking;
use crate::shelves::{Shelves, recall_all};

/// Of each search.
const LOOKED_AT: usize = 20;
/// More do not resolve it better.
const MOST_EACH: usize = 2;

/// Notes of any kind that tell of what is missing, the best for each first. What other tasks have staged is among
/// them: it answers what something is, and is not for the brief of this task.
pub async fn expand(
    shelves: &Shelves<'_, impl Notes>,
    missing: &[Missing],
    now: Timestamp,
) -> Result<Vec<Note>, StoreError> {
    let mut found: Vec<Note> = Vec::new();
    let mut ids = HashSet::new();
    for Missing { mention, .. } in missing {
        let mut context = Context::default();
        match mention.kind {
            MentionKind::File => context.files.push(mention.text.clone()),
            MentionKind::Symbol | MentionKind::Test => context.symbols.push(mention.text.clone()),
            MentionKind::Command => {}
        }
        let query =
            Query { limit: LOOKED_AT, visible: Visible::Everything, context, ..Query::new(&mention.text) };
        let recalled = recall_all(shelves, &query, &Ranking::default(), now).await?;
        let telling = recalled.into_iter().map(|one| one.note).filter(|note| names(note, mention));
        found.extend(telling.take(MOST_EACH).filter(|note| ids.insert(note.id.clone())));
    }
    Ok(found)
}
