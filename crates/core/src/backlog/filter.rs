//! Which entries of a backlog a run is about.

use std::collections::HashMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::graph::Backlog;
use crate::id::TaskId;

/// All that is said must hold; of several epics, labels or ids one is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// What is below one of these, at any depth.
    pub epics: Vec<TaskId>,
    pub labels: Vec<String>,
    /// By place in the tracker, counted from 1, so that it stays the same while tasks are completed.
    pub range: Option<Range>,
    pub tasks: Vec<TaskId>,
}

/// `3`, `1-5`, `3-`, `-10`, and several of them with commas between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range(Vec<(usize, usize)>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a range of tasks such as 3, 1-5, 3-, -10 or 1-2,5")]
pub struct RangeError(String);

impl FromStr for Range {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Range, RangeError> {
        let wrong = || RangeError(text.chars().take(80).collect());
        let parts = text.split(',').map(|part| span(part.trim()).ok_or_else(wrong));
        Ok(Range(parts.collect::<Result<_, _>>()?))
    }
}

fn span(part: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| *number > 0);
    let (first, last) = match part.split_once('-') {
        None => (number(part)?, number(part)?),
        Some(("", "")) => return None,
        Some(("", last)) => (1, number(last)?),
        Some((first, "")) => (number(first)?, usize::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    (first <= last).then_some((first, last))
}

impl Range {
    /// Whether the place is within, counted from 1.
    pub fn holds(&self, place: usize) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&place))
    }
}

impl Filter {
    /// The epics and ids that it names and the backlog does not have: a slip of the finger, most likely.
    pub fn unknown<'a>(&'a self, backlog: &'a Backlog) -> impl Iterator<Item = &'a TaskId> {
        self.epics.iter().chain(&self.tasks).filter(|id| backlog.item(id).is_none())
    }

    /// For each entry, by its place, whether it is meant.
    pub fn meant(&self, backlog: &Backlog) -> Vec<bool> {
        let below = if self.epics.is_empty() { None } else { Some(below(&self.epics, backlog)) };
        let meant = backlog.items().iter().enumerate().map(|(at, item)| {
            below.as_ref().is_none_or(|below| below[at])
                && (self.labels.is_empty() || item.labels.iter().any(|label| self.labels.contains(label)))
                && self.range.as_ref().is_none_or(|range| range.holds(at + 1))
                && (self.tasks.is_empty() || self.tasks.contains(&item.id))
        });
        meant.collect()
    }
}

/// What is below an epic, found from the epics down; parents that go round in a circle are visited once.
fn below(epics: &[TaskId], backlog: &Backlog) -> Vec<bool> {
    let mut children: HashMap<&TaskId, Vec<usize>> = HashMap::new();
    for (at, item) in backlog.items().iter().enumerate() {
        if let Some(parent) = &item.parent {
            children.entry(parent).or_default().push(at);
        }
    }
    let mut below = vec![false; backlog.items().len()];
    let mut to_visit: Vec<&TaskId> = epics.iter().collect();
    while let Some(id) = to_visit.pop() {
        for at in children.remove(id).unwrap_or_default() {
            below[at] = true;
            to_visit.push(&backlog.items()[at].id);
        }
    }
    below
}

#[cfg(test)]
mod tests {
    use super::{Filter, Range};
    use crate::backlog::{Backlog, Item};
    use crate::id::TaskId;

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).unwrap()
    }

    #[test]
    fn ranges_as_people_write_them() {
        let held = |text: &str| -> Vec<usize> {
            let range: Range = text.parse().unwrap();
            (1..=8).filter(|place| range.holds(*place)).collect()
        };
        assert_eq!(held("3"), [3]);
        assert_eq!(held("2-4"), [2, 3, 4]);
        assert_eq!(held("6-"), [6, 7, 8]);
        assert_eq!(held("-2"), [1, 2]);
        assert_eq!(held("1-2, 5,8-"), [1, 2, 5, 8]);
        for wrong in ["", "-", "0", "5-2", "a", "1..3", "1-2-3", "1,,2", "99999999999999999999999"] {
            assert!(wrong.parse::<Range>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_epic_means_what_is_below_it_at_any_depth_and_not_itself() {
        let item = |name: &str, parent: Option<&str>| {
            let mut item = Item::new(id(name), name);
            item.parent = parent.map(id);
            item
        };
        // `x` and `y` are each other's parents.
        let items = vec![
            item("e", None),
            item("a", Some("e")),
            item("b", Some("a")),
            item("c", None),
            item("x", Some("y")),
            item("y", Some("x")),
        ];
        let backlog = Backlog::new(items).unwrap();
        let meant = |epics: &[&str]| {
            let filter = Filter { epics: epics.iter().map(|one| id(one)).collect(), ..Filter::default() };
            filter.meant(&backlog)
        };
        assert_eq!(meant(&["e"]), [false, true, true, false, false, false]);
        assert_eq!(meant(&["a", "x"]), [false, false, true, false, true, true]);
        assert_eq!(meant(&["nowhere"]), [false; 6]);
        let filter = Filter { epics: vec![id("nowhere")], ..Filter::default() };
        assert_eq!(filter.unknown(&backlog).collect::<Vec<_>>(), [&id("nowhere")]);
    }
}
