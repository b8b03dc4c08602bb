//! What is wrong with a backlog before anybody works on it.

use schemars::JsonSchema;
use serde::Serialize;

use super::graph::Backlog;
use super::hold::circle;
use super::item::{Item, Kind};
use crate::id::TaskId;

/// More criteria than this are seldom met in one iteration.
const MOST_CRITERIA: usize = 8;
/// A description that is longer, in characters, is seldom about one thing.
const LONGEST_DESCRIPTION: usize = 3_000;
/// A title that is longer, in characters, is a description.
const LONGEST_TITLE: usize = 120;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    pub severity: Severity,
    pub about: About,
    /// Whom it concerns: one task, or those of a cycle.
    pub tasks: Vec<TaskId>,
    pub what: String,
    pub next: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something will never be worked on.
    Error,
    /// An agent is likely to fail at it.
    Warning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// Nothing can be told of a backlog that cannot be read.
    Malformed,
    Cycle,
    UnknownDependency,
    NoCriteria,
    TooBig,
}

/// The errors first; what is settled already is not looked at.
pub fn review(backlog: &Backlog) -> Vec<Finding> {
    let cycles = backlog.cycles().map(|round| Finding {
        severity: Severity::Error,
        about: About::Cycle,
        tasks: round.to_vec(),
        what: format!("these wait for each other, so none is ever ready: {}", circle(round)),
        next: "take one of these dependencies away".to_owned(),
    });
    let unknown = backlog.unknown().iter().map(|one| Finding {
        severity: Severity::Error,
        about: About::UnknownDependency,
        tasks: vec![one.task.clone()],
        what: format!("{} depends on {}, which is not there", one.task, one.missing),
        next: format!("add {}, or correct the name", one.missing),
    });
    let open = |item: &&Item| !item.status.is_settled() && item.kind == Kind::Work;
    let weak = backlog
        .items()
        .iter()
        .filter(open)
        .flat_map(|item| no_criteria(item).into_iter().chain(too_big(item)));
    cycles.chain(unknown).chain(weak).collect()
}

fn warning(item: &Item, about: About, what: String, next: &str) -> Finding {
    let what = format!("{} {what}", item.id);
    Finding { severity: Severity::Warning, about, tasks: vec![item.id.clone()], what, next: next.to_owned() }
}

fn no_criteria(item: &Item) -> Option<Finding> {
    let has_none = item.acceptance_criteria.iter().all(|one| one.trim().is_empty());
    has_none.then(|| {
        let what = "has no acceptance criteria, so nobody can tell when it is done".to_owned();
        warning(
            item,
            About::NoCriteria,
            what,
            "say what must hold when it is done, best as something that can be run",
        )
    })
}

/// The measures are simple, and so is the advice.
fn too_big(item: &Item) -> Vec<Finding> {
    let measures = [
        (item.acceptance_criteria.len(), MOST_CRITERIA, "acceptance criteria"),
        (item.description.chars().count(), LONGEST_DESCRIPTION, "characters of description"),
        (item.title.chars().count(), LONGEST_TITLE, "characters in its title"),
    ];
    let over = measures.into_iter().filter(|(measured, most, _)| measured > most);
    let tell = |(measured, most, what): (usize, usize, &str)| {
        let what =
            format!("has {measured} {what}, more than {most}: too much for one iteration, most likely");
        warning(item, About::TooBig, what, "make several tasks of it, each with a result of its own")
    };
    over.map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::{About, review};
    use crate::backlog::{Backlog, Item, Status};
    use crate::id::TaskId;

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).unwrap()
    }

    fn item(name: &str, depends_on: &[&str]) -> Item {
        let mut item = Item::new(id(name), "title");
        item.depends_on = depends_on.iter().map(|one| id(one)).collect();
        item.acceptance_criteria = vec!["`cargo test` passes".to_owned()];
        item
    }

    #[test]
    fn everything_that_is_wrong_is_found_and_what_is_done_is_left_alone() {
        let mut bare = item("bare", &[]);
        bare.acceptance_criteria.clear();
        let mut big = item("big", &[]);
        big.acceptance_criteria = vec!["x".to_owned(); 9];
        big.description = "d".repeat(3_001);
        let settled = |name: &str, depends_on: &[&str], status: Status| {
            let mut item = item(name, depends_on);
            (item.status, item.acceptance_criteria) = (status, Vec::new());
            item
        };
        let items = vec![
            item("a", &["b"]),
            item("b", &["a"]),
            item("c", &["nowhere"]),
            bare,
            big,
            settled("done", &["gone", "dropped"], Status::Completed),
            settled("dropped", &["done"], Status::Cancelled),
        ];
        let found = review(&Backlog::new(items).unwrap());
        let told: Vec<(About, Vec<&str>)> =
            found.iter().map(|one| (one.about, one.tasks.iter().map(TaskId::as_str).collect())).collect();
        assert_eq!(
            told,
            [
                (About::Cycle, vec!["a", "b"]),
                (About::UnknownDependency, vec!["c"]),
                (About::NoCriteria, vec!["bare"]),
                (About::TooBig, vec!["big"]),
                (About::TooBig, vec!["big"]),
            ]
        );
        assert!(found[0].what.ends_with("a → b → a"), "{}", found[0].what);
    }
}
