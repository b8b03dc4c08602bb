//! Why an entry of a backlog is not worked on.

use std::fmt;

use super::item::Item;
use crate::id::TaskId;

/// An entry that is not worked on.
#[derive(Debug, Clone, PartialEq)]
pub struct Held<'a> {
    pub item: &'a Item,
    pub why: Hold<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hold<'a> {
    Completed,
    Cancelled,
    Blocked,
    Container,
    Filtered,
    Skipped,
    Parked,
    /// Somebody else works on it.
    Taken,
    /// It waits for itself: each of these depends on the next, and the last on the first.
    Cycle(&'a [TaskId]),
    /// It depends on what is not there.
    Unknown(Vec<&'a TaskId>),
    /// It depends on what is itself held, or what it is part of does.
    Waits(Wait<'a>),
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait<'a> {
    /// What it is part of, where it is that which depends on something, and not the task itself.
    pub above: Option<&'a TaskId>,
    pub on: Vec<&'a TaskId>,
}

/// Why it is not worked on, as far as it is known.
impl fmt::Display for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.why, self.item.blocked_because()) {
            (Hold::Blocked, Some(why)) => write!(f, "{}: {why}", self.why),
            (why, _) => why.fmt(f),
        }
    }
}

impl fmt::Display for Hold<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hold::Completed => write!(f, "completed"),
            Hold::Cancelled => write!(f, "cancelled"),
            Hold::Blocked => write!(f, "marked as blocked in the tracker"),
            Hold::Container => write!(f, "holds other tasks, and is not worked on itself"),
            Hold::Filtered => write!(f, "not asked for"),
            Hold::Skipped => write!(f, "skipped"),
            Hold::Parked => write!(f, "waits for an answer"),
            Hold::Taken => write!(f, "somebody is at it; --task takes it all the same"),
            Hold::Cycle(round) => write!(f, "waits for itself: {}", circle(round)),
            Hold::Unknown(missing) => write!(f, "depends on {}, which is not there", list(missing)),
            Hold::Waits(wait) => wait.fmt(f),
        }
    }
}

impl fmt::Display for Wait<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.above {
            None => write!(f, "waits for {}, which is not going to be done", list(&self.on)),
            Some(above) => {
                write!(f, "is part of {above}, which waits for {}: not going to be done", list(&self.on))
            }
        }
    }
}

impl Hold<'_> {
    pub fn name(&self) -> &'static str {
        match self {
            Hold::Completed => "completed",
            Hold::Cancelled => "cancelled",
            Hold::Blocked => "blocked",
            Hold::Container => "container",
            Hold::Filtered => "filtered",
            Hold::Skipped => "skipped",
            Hold::Parked => "parked",
            Hold::Taken => "taken",
            Hold::Cycle(_) => "cycle",
            Hold::Unknown(_) => "unknown_dependency",
            Hold::Waits(_) => "waits",
        }
    }
}

/// As many names as one line holds.
const NAMED: usize = 8;

pub(super) fn list(ids: &[&TaskId]) -> String {
    joined(ids.iter().copied(), ids.len(), ", ")
}

/// `A → B → A`, as each depends on the next.
pub(super) fn circle(round: &[TaskId]) -> String {
    joined(round.iter().chain(round.first()), round.len() + 1, " → ")
}

fn joined<'a>(ids: impl Iterator<Item = &'a TaskId>, count: usize, between: &str) -> String {
    let named: Vec<&str> = ids.take(NAMED).map(TaskId::as_str).collect();
    let more = count.saturating_sub(NAMED);
    let rest = if more > 0 { format!("{between}… ({more} more)") } else { String::new() };
    named.join(between) + &rest
}
