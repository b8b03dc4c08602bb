//! What a task has put down that only it can see yet.

use ralph_core::id::TaskId;
use ralph_core::note::Note;
use ralph_store::{Notes, StoreError};

use crate::analysis::facet;
use crate::catch_up::catch_up;

/// The notes in a task's scope, the oldest first.
pub async fn staged(store: &impl Notes, task: &TaskId) -> Result<Vec<Note>, StoreError> {
    catch_up(store).await?;
    let words = store.words(vec![facet::task(task)]).await?;
    let lists = store.postings(words.into_iter().map(|word| word.no).collect()).await?;
    let numbers = lists.iter().flat_map(|list| list.iter()).map(|posting| posting.no).collect();
    Ok(store.numbered_notes(numbers).await?.into_iter().map(|(_, note)| note).collect())
}
