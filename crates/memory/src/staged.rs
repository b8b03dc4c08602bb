//! What a task has put down that only it can see yet.

use ralph_core::id::TaskId;
use ralph_core::note::Note;
use ralph_store::{Notes, StoreError};

use crate::analysis::facet;
use crate::catch_up::catch_up;
use crate::listed::listed;

/// The notes in a task's scope, the oldest first.
pub async fn staged(store: &impl Notes, task: &TaskId) -> Result<Vec<Note>, StoreError> {
    catch_up(store).await?;
    listed(store, [facet::task(task)]).await
}
