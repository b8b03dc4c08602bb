//! A task that a project keeps in its store, how it changes, and what is not let in.

use std::collections::BTreeMap;

use ralph_core::Timestamp;
use ralph_core::backlog::{Item, Kind, Priority, Status, Unsound};
use ralph_core::id::TaskId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A task as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRecord {
    #[serde(flatten)]
    pub item: Item,
    /// Why it was completed, cancelled or blocked.
    pub reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// When it was completed or cancelled.
    pub closed_at: Option<Timestamp>,
}

/// A task to be added: also what a line of `ralph tasks export` is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewTask {
    /// Given if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<TaskId>,
    pub title: String,
    pub status: Status,
    pub priority: Priority,
    pub description: String,
    pub acceptance_criteria: Vec<String>,
    pub labels: Vec<String>,
    pub depends_on: Vec<TaskId>,
    pub blocks: Vec<TaskId>,
    pub parent: Option<TaskId>,
    pub kind: Kind,
    pub metadata: BTreeMap<String, Value>,
    /// Why it was completed, cancelled or blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Now, if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
}

/// One change of a task. Those of lists say what comes and what goes, so that two who change a list at once both count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEdit {
    Title(String),
    /// With the reason for it; nothing is changed, the reason neither, where this is its status already.
    Status(Status, Option<String>),
    Priority(Priority),
    Description(String),
    ClearCriteria,
    AddCriterion(String),
    AddLabel(String),
    RemoveLabel(String),
    AddDependency(TaskId),
    RemoveDependency(TaskId),
    AddBlocked(TaskId),
    RemoveBlocked(TaskId),
    Parent(Option<TaskId>),
    Kind(Kind),
}

/// What an edit came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    pub task: TaskRecord,
    pub has_changed: bool,
}

/// Whose doing a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Somebody who gave a command.
    Person,
    /// A run that worked on it.
    Run,
}

/// A line of a task's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskChange {
    /// Counted from 1.
    pub no: u64,
    pub at: Timestamp,
    pub by: By,
    /// The values as they were from then on: all of them in the first line, later those that changed. `updated_at` is
    /// the time of the line itself, except in the first.
    pub fields: BTreeMap<String, Value>,
}

/// Why a task was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskRefused {
    #[error("there is no task {id}")]
    NoTask { id: TaskId },
    #[error("there is a task {id} already")]
    Exists { id: TaskId },
    #[error("a task has to have a title")]
    NoTitle,
    #[error("{count} tasks are more than {most}")]
    TooMany { count: usize, most: usize },
    #[error(transparent)]
    Unsound(#[from] Unsound),
}

impl TaskRefused {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            TaskRefused::NoTask { .. } => "`ralph tasks` lists those that are there".to_owned(),
            TaskRefused::Exists { id } => {
                format!("choose another id, or change the one that is there: `ralph tasks edit {id}`")
            }
            TaskRefused::NoTitle => "say in a few words what is to be done".to_owned(),
            TaskRefused::TooMany { .. } => "split it".to_owned(),
            TaskRefused::Unsound(
                Unsound::UnknownDependency { missing, .. }
                | Unsound::UnknownBlocked { missing, .. }
                | Unsound::UnknownParent { missing, .. },
            ) => format!("nothing was written; add {missing} first, or correct the name"),
            TaskRefused::Unsound(Unsound::Cycle(_)) => {
                "nothing was written; leave out one of these dependencies".to_owned()
            }
            TaskRefused::Unsound(Unsound::ParentCycle(_)) => {
                "nothing was written; choose another parent".to_owned()
            }
            TaskRefused::Unsound(Unsound::Twice(_)) => "nothing was written; rename one of them".to_owned(),
        }
    }
}

impl From<Item> for NewTask {
    fn from(item: Item) -> NewTask {
        NewTask {
            id: Some(item.id),
            title: item.title,
            status: item.status,
            priority: item.priority,
            description: item.description,
            acceptance_criteria: item.acceptance_criteria,
            labels: item.labels,
            depends_on: item.depends_on,
            blocks: item.blocks,
            parent: item.parent,
            kind: item.kind,
            metadata: item.metadata,
            ..NewTask::default()
        }
    }
}

impl From<TaskRecord> for NewTask {
    fn from(record: TaskRecord) -> NewTask {
        NewTask {
            reason: record.reason,
            created_at: Some(record.created_at),
            updated_at: Some(record.updated_at),
            closed_at: record.closed_at,
            ..NewTask::from(record.item)
        }
    }
}

impl NewTask {
    pub fn titled(title: impl Into<String>) -> NewTask {
        NewTask { title: title.into(), ..NewTask::default() }
    }

    /// Whether it says anything of other tasks.
    pub(crate) fn has_relations(&self) -> bool {
        !self.depends_on.is_empty() || !self.blocks.is_empty() || self.parent.is_some()
    }

    pub(crate) fn into_record(self, id: TaskId, at: Timestamp) -> TaskRecord {
        let closed_at = self.closed_at.or(Some(at)).filter(|_| self.status.is_settled());
        let item = Item {
            id,
            title: self.title,
            status: self.status,
            priority: self.priority,
            description: self.description,
            acceptance_criteria: self.acceptance_criteria,
            labels: self.labels,
            depends_on: self.depends_on,
            blocks: self.blocks,
            parent: self.parent,
            kind: self.kind,
            metadata: self.metadata,
        };
        TaskRecord {
            item,
            reason: self.reason,
            created_at: self.created_at.unwrap_or(at),
            updated_at: self.updated_at.unwrap_or(at),
            closed_at,
        }
    }
}

impl TaskEdit {
    /// Whether it says anything of other tasks.
    pub(crate) fn is_relation(&self) -> bool {
        match self {
            TaskEdit::AddDependency(_) | TaskEdit::AddBlocked(_) | TaskEdit::Parent(Some(_)) => true,
            TaskEdit::Title(_)
            | TaskEdit::Status(..)
            | TaskEdit::Priority(_)
            | TaskEdit::Description(_)
            | TaskEdit::ClearCriteria
            | TaskEdit::AddCriterion(_)
            | TaskEdit::AddLabel(_)
            | TaskEdit::RemoveLabel(_)
            | TaskEdit::RemoveDependency(_)
            | TaskEdit::RemoveBlocked(_)
            | TaskEdit::Parent(None)
            | TaskEdit::Kind(_) => false,
        }
    }

    pub(crate) fn apply(self, record: &mut TaskRecord, at: Timestamp) {
        let item = &mut record.item;
        match self {
            TaskEdit::Title(title) => item.title = title,
            TaskEdit::Status(status, _) if item.status == status => {}
            TaskEdit::Status(status, reason) => {
                item.status = status;
                record.reason = reason;
                record.closed_at = status.is_settled().then_some(at);
            }
            TaskEdit::Priority(priority) => item.priority = priority,
            TaskEdit::Description(description) => item.description = description,
            TaskEdit::ClearCriteria => item.acceptance_criteria.clear(),
            TaskEdit::AddCriterion(text) => add(&mut item.acceptance_criteria, text),
            TaskEdit::AddLabel(label) => add(&mut item.labels, label),
            TaskEdit::RemoveLabel(label) => item.labels.retain(|one| *one != label),
            TaskEdit::AddDependency(id) => add(&mut item.depends_on, id),
            TaskEdit::RemoveDependency(id) => item.depends_on.retain(|one| *one != id),
            TaskEdit::AddBlocked(id) => add(&mut item.blocks, id),
            TaskEdit::RemoveBlocked(id) => item.blocks.retain(|one| *one != id),
            TaskEdit::Parent(parent) => item.parent = parent,
            TaskEdit::Kind(kind) => item.kind = kind,
        }
    }
}

/// To the end, unless it is there.
fn add<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if !list.contains(&one) {
        list.push(one);
    }
}
