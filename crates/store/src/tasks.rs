//! A backlog that is kept in the store, with the history of each task.

use std::future::Future;

use ralph_core::Timestamp;
use ralph_core::id::TaskId;

use crate::error::StoreError;
use crate::task::{By, Edited, NewTask, TaskChange, TaskEdit, TaskRecord};

type Result<T> = std::result::Result<T, StoreError>;

/// One project's own backlog. Whatever is written leaves it sound: what tasks say of each other can be so.
pub trait Tasks: Send + Sync {
    /// In the order in which they were added.
    fn tasks(&self) -> impl Future<Output = Result<Vec<TaskRecord>>> + Send;

    fn has_tasks(&self) -> impl Future<Output = Result<bool>> + Send;

    fn task(&self, id: &TaskId) -> impl Future<Output = Result<Option<TaskRecord>>> + Send;

    /// The oldest first; the first is how it was added. Empty for a task that is not there.
    fn task_history(&self, id: &TaskId) -> impl Future<Output = Result<Vec<TaskChange>>> + Send;

    /// Adds all or none, and tells their ids: those that have none are given the next numbers.
    fn add_tasks(
        &self,
        tasks: Vec<NewTask>,
        at: Timestamp,
        by: By,
    ) -> impl Future<Output = Result<Vec<TaskId>>> + Send;

    /// Makes all changes or none, and tells what came of them. What is so already leaves no line in the history.
    fn edit_task(
        &self,
        id: &TaskId,
        edits: Vec<TaskEdit>,
        at: Timestamp,
        by: By,
    ) -> impl Future<Output = Result<Edited>> + Send;
}
