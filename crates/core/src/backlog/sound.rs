//! What a backlog must be where nothing else is let in: every name that it mentions is there, and nothing waits for
//! itself.

use std::collections::HashMap;

use super::graph::{Backlog, DuplicateId};
use super::hold::circle;
use super::item::{Item, Status};
use crate::id::TaskId;

/// The first thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsound {
    #[error(transparent)]
    Twice(#[from] DuplicateId),
    #[error("{task} would depend on {missing}, which is not there")]
    UnknownDependency { task: TaskId, missing: TaskId },
    #[error("{task} would block {missing}, which is not there")]
    UnknownBlocked { task: TaskId, missing: TaskId },
    #[error("{task} would be below {missing}, which is not there")]
    UnknownParent { task: TaskId, missing: TaskId },
    /// Each waits for the next, and the last for the first.
    #[error("these would wait for each other, so none would ever be ready: {}", circle(.0))]
    Cycle(Vec<TaskId>),
    /// Each is below the next, and the last below the first.
    #[error("these would be below each other: {}", circle(.0))]
    ParentCycle(Vec<TaskId>),
}

impl Backlog {
    /// Whether all that entries say of each other can be so.
    pub fn sound(mut items: Vec<Item>) -> Result<(), Unsound> {
        // What is settled waits for nothing, until somebody opens it again.
        items.iter_mut().for_each(|item| item.status = Status::Open);
        let backlog = Backlog::new(items)?;
        if let Some(one) = backlog.unknown().first() {
            let (task, missing) = (one.task.clone(), one.missing.clone());
            return Err(Unsound::UnknownDependency { task, missing });
        }
        for item in backlog.items() {
            let is_missing = |id: &&TaskId| backlog.item(id).is_none();
            let task = || item.id.clone();
            if let Some(missing) = item.blocks.iter().find(is_missing) {
                return Err(Unsound::UnknownBlocked { task: task(), missing: missing.clone() });
            }
            if let Some(missing) = item.parent.as_ref().filter(is_missing) {
                return Err(Unsound::UnknownParent { task: task(), missing: missing.clone() });
            }
        }
        if let Some(round) = backlog.cycles().next() {
            return Err(Unsound::Cycle(round.to_vec()));
        }
        match round_of_parents(&backlog) {
            Some(round) => Err(Unsound::ParentCycle(round)),
            None => Ok(()),
        }
    }
}

/// Each entry is walked through once: whoever comes upon an earlier walk has its answer.
fn round_of_parents(backlog: &Backlog) -> Option<Vec<TaskId>> {
    let mut walk_of: HashMap<&TaskId, usize> = HashMap::with_capacity(backlog.items().len());
    for (walk, start) in backlog.items().iter().enumerate() {
        let mut way: Vec<&TaskId> = Vec::new();
        let mut at = Some(start);
        while let Some(item) = at {
            match walk_of.get(&item.id) {
                Some(earlier) if *earlier == walk => {
                    let from = way.iter().position(|id| **id == item.id).unwrap_or_default();
                    return Some(way[from..].iter().copied().cloned().collect());
                }
                Some(_) => break,
                None => {
                    walk_of.insert(&item.id, walk);
                    way.push(&item.id);
                    at = item.parent.as_ref().and_then(|parent| backlog.item(parent));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Unsound;
    use crate::backlog::{Backlog, Item, Status};
    use crate::id::TaskId;

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).unwrap()
    }

    fn items() -> Vec<Item> {
        ["a", "b", "c", "d"].map(|name| Item::new(id(name), name)).to_vec()
    }

    #[test]
    fn what_cannot_be_is_named() {
        let with = |change: fn(&mut [Item])| {
            let mut items = items();
            change(&mut items);
            Backlog::sound(items).map_err(|error| error.to_string())
        };
        assert_eq!(with(|_| {}), Ok(()));
        let said = |change| with(change).unwrap_err();
        assert_eq!(said(|all| all[0].depends_on = vec![id("x")]), "a would depend on x, which is not there");
        assert_eq!(said(|all| all[1].blocks = vec![id("x")]), "b would block x, which is not there");
        assert_eq!(said(|all| all[2].parent = Some(id("x"))), "c would be below x, which is not there");
        let round = said(|all| {
            all[0].depends_on = vec![id("b")];
            all[1].depends_on = vec![id("c")];
            all[0].blocks = vec![id("c")];
        });
        assert!(round.ends_with("a → b → c → a"), "{round}");
        assert!(said(|all| all[1].id = id("a")).contains("two tasks are called a"));
    }

    #[test]
    fn what_is_settled_may_be_opened_again_and_is_looked_at_too() {
        let mut all = items();
        all.iter_mut().for_each(|item| item.status = Status::Completed);
        all[0].depends_on = vec![id("b")];
        assert_eq!(Backlog::sound(all.clone()), Ok(()));
        all[1].depends_on = vec![id("a")];
        assert_eq!(Backlog::sound(all.clone()).err(), Some(Unsound::Cycle(vec![id("a"), id("b")])));
        all[1].depends_on = vec![id("x")];
        let missing = Unsound::UnknownDependency { task: id("b"), missing: id("x") };
        assert_eq!(Backlog::sound(all).err(), Some(missing));
    }

    #[test]
    fn nobody_is_above_itself() {
        let mut all = items();
        all[0].parent = Some(id("b"));
        all[1].parent = Some(id("c"));
        assert!(Backlog::sound(all.clone()).is_ok());
        all[2].parent = Some(id("b"));
        assert_eq!(Backlog::sound(all.clone()).err(), Some(Unsound::ParentCycle(vec![id("b"), id("c")])));
        all[2].parent = Some(id("c"));
        assert_eq!(Backlog::sound(all).err(), Some(Unsound::ParentCycle(vec![id("c")])));
    }
}
