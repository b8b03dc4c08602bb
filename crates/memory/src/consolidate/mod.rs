//! What a task leaves to its project: of what it has put down, that which is of value, once, and true.

mod before;
mod duplicates;
mod extract;
mod plan;
mod value;

pub use before::consolidated_since;
use ralph_core::Timestamp;
use ralph_core::id::{RunId, TaskId};
use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::remember::remember;
use plan::Plan;

/// A task that was completed or merged.
#[derive(Debug, Clone, Copy)]
pub struct Done<'a> {
    pub task: &'a TaskId,
    pub run: Option<&'a RunId>,
    /// By which it was merged.
    pub commit: Option<&'a str>,
    /// Into which it was merged.
    pub branch: Option<&'a str>,
    /// Whether the checks passed at its end.
    pub verified: bool,
    /// Symbols that the code graph has taken up.
    pub entities_updated: u64,
}

/// What consolidation came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Consolidation {
    /// Notes that the project can see from now on, those that were made of others among them.
    pub promoted: u64,
    /// Notes that another one says as well, and that are superseded by it.
    pub deduplicated: u64,
    /// Contradictions in which the newer note has taken the place of the older.
    pub conflicts_resolved: u64,
    /// Notes that stay with the task, where nobody else sees them: of too little value, or against what the project knows and
    /// not verified.
    pub dropped: u64,
    pub entities_updated: u64,
}

impl Consolidation {
    /// Whether nothing of the task has come to the project.
    pub fn is_idle(&self) -> bool {
        self.promoted + self.deduplicated + self.conflicts_resolved == 0
    }
}

/// Takes over what is of value. Everything is worked out first and then appended at once, so a process that is killed has
/// done all of it or nothing, and the next call does the rest. Done a second time it changes nothing.
pub async fn consolidate(
    store: &impl Notes,
    done: &Done<'_>,
    redactor: &Redactor,
    at: Timestamp,
) -> Result<Consolidation, StoreError> {
    let plan = Plan::of(store, done, at).await?;
    if !plan.events.is_empty() {
        remember(store, plan.events, redactor, at).await?;
    }
    Ok(Consolidation { entities_updated: done.entities_updated, ..plan.report })
}
