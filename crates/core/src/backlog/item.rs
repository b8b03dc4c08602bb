//! An entry of a backlog.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::TaskId;
use crate::task::Task;

/// An entry of a backlog, as its tracker has it. When its turn comes, a run is given a [`Task`] made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    pub id: TaskId,
    pub title: String,
    pub status: Status,
    pub priority: Priority,
    pub description: String,
    pub acceptance_criteria: Vec<String>,
    pub labels: Vec<String>,
    /// What must be done before.
    pub depends_on: Vec<TaskId>,
    /// What it is said to hold up; the same arrow as `depends_on`, told from the other end.
    pub blocks: Vec<TaskId>,
    pub parent: Option<TaskId>,
    pub kind: Kind,
    /// What the tracker has of it beyond this.
    pub metadata: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Open,
    InProgress,
    /// Somebody said that it cannot be worked on now.
    Blocked,
    Completed,
    Cancelled,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something to do.
    #[default]
    Work,
    /// Only holds others together, such as an epic: never worked on itself.
    Container,
}

/// From 0, critical, to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u8", into = "u8")]
#[schemars(with = "u8", extend("maximum" = 4))]
pub struct Priority(u8);

impl Item {
    /// One with nothing but a name and a title.
    pub fn new(id: TaskId, title: impl Into<String>) -> Item {
        Item {
            id,
            title: title.into(),
            status: Status::default(),
            priority: Priority::default(),
            description: String::new(),
            acceptance_criteria: Vec::new(),
            labels: Vec::new(),
            depends_on: Vec::new(),
            blocks: Vec::new(),
            parent: None,
            kind: Kind::default(),
            metadata: BTreeMap::new(),
        }
    }

    /// The key of what is known beyond that a task is blocked: since when, until when, by whom.
    pub const BLOCKED_BECAUSE: &'static str = "blockedBecause";
    /// The key of a priority that is beyond the scale, as the tracker has it: 1 is the highest, 5 the last on the scale.
    pub const PRIORITY: &'static str = "priority";
    /// The key of the moment when it was written down, where the tracker tells.
    pub const CREATED: &'static str = "created_at";

    pub(super) fn blocked_because(&self) -> Option<&str> {
        self.metadata.get(Item::BLOCKED_BECAUSE).and_then(Value::as_str)
    }

    /// How far its priority is beyond the scale, less than 0 before it: of those that share the end of the scale, the
    /// tracker's own numbers are the order.
    pub(super) fn beyond_scale(&self) -> i64 {
        match self.metadata.get(Item::PRIORITY).and_then(Value::as_i64) {
            Some(number) if number > 5 => number.saturating_sub(5),
            Some(number) if number < 1 => number.saturating_sub(1),
            Some(_) | None => 0,
        }
    }

    pub(super) fn created(&self) -> Option<Timestamp> {
        self.metadata.get(Item::CREATED)?.as_str()?.parse().ok()
    }

    /// What a run is given.
    pub fn to_task(&self) -> Task {
        let mut body = self.title.clone();
        let description = self.description.trim();
        if !description.is_empty() && description != self.title.trim() {
            body += &format!("\n\n{description}");
        }
        if !self.acceptance_criteria.is_empty() {
            body += "\n\nAcceptance criteria:\n";
            body += &self.acceptance_criteria.iter().map(|one| format!("\n- {one}")).collect::<String>();
        }
        Task {
            id: self.id.clone(),
            title: self.title.clone(),
            body,
            labels: self.labels.clone(),
            priority: Some(self.priority.get()),
            files: Vec::new(),
        }
    }
}

impl Status {
    pub const ALL: [Status; 5] =
        [Status::Open, Status::InProgress, Status::Blocked, Status::Completed, Status::Cancelled];

    pub fn name(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::InProgress => "in_progress",
            Status::Blocked => "blocked",
            Status::Completed => "completed",
            Status::Cancelled => "cancelled",
        }
    }

    /// Whether nothing is left to do, so that what depends on it need not wait.
    pub fn is_settled(self) -> bool {
        match self {
            Status::Completed | Status::Cancelled => true,
            Status::Open | Status::InProgress | Status::Blocked => false,
        }
    }
}

impl Priority {
    pub const LOWEST: Priority = Priority(4);

    /// The one that is nearest to a number, which may be beyond the scale.
    pub fn nearest(number: i64) -> Priority {
        Priority(number.clamp(0, Self::LOWEST.0.into()) as u8)
    }

    pub fn get(self) -> u8 {
        self.0
    }
}

/// What nobody said is in the middle.
impl Default for Priority {
    fn default() -> Priority {
        Priority(2)
    }
}

impl TryFrom<u8> for Priority {
    type Error = String;
    fn try_from(number: u8) -> Result<Priority, String> {
        if number <= Self::LOWEST.0 {
            Ok(Priority(number))
        } else {
            Err(format!("{number} is not from 0 to 4"))
        }
    }
}

impl From<Priority> for u8 {
    fn from(priority: Priority) -> u8 {
        priority.0
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Ids as people count: `US-2` before `US-10`.
pub(super) fn natural(one: &str, other: &str) -> Ordering {
    let (mut a, mut b) = (one.as_bytes(), other.as_bytes());
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (left, right) = (number(&mut a), number(&mut b));
            match left.len().cmp(&right.len()).then(left.cmp(right)) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        } else if x == y {
            (a, b) = (&a[1..], &b[1..]);
        } else {
            return x.cmp(y);
        }
    }
    // `US-01` and `US-1` count the same and are not the same.
    a.len().cmp(&b.len()).then_with(|| one.cmp(other))
}

/// The digits at the beginning, without leading zeros; they are taken off.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().position(|byte| *byte != b'0').unwrap_or(digits.len());
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::{Item, natural};
    use crate::id::TaskId;

    #[test]
    fn a_run_is_given_title_description_and_criteria() {
        let mut item = Item::new(TaskId::parse("US-1").unwrap(), "Add a login");
        assert_eq!(item.to_task().body, "Add a login");
        item.description = "As a user I want in.\n".to_owned();
        item.acceptance_criteria = vec!["a form".to_owned(), "a test".to_owned()];
        let task = item.to_task();
        assert_eq!(
            task.body,
            "Add a login\n\nAs a user I want in.\n\nAcceptance criteria:\n\n- a form\n- a test"
        );
        assert_eq!(task.priority, Some(2));
    }

    #[test]
    fn ids_are_sorted_as_people_count() {
        let mut ids = vec!["US-10", "US-2", "US-02", "a", "US-2b", "US-2.1", "US-"];
        ids.sort_by(|a, b| natural(a, b));
        assert_eq!(ids, ["US-", "US-02", "US-2", "US-2.1", "US-2b", "US-10", "a"]);
    }
}
