//! Routes: which agent, model and effort a task gets, by what is known of it when an iteration begins.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::AgentName;
use crate::stop::StopReason;
use crate::task::Task;

/// All conditions must hold; what is not chosen is as for any other task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    pub when: Vec<Condition>,
    pub agent: Option<AgentName>,
    pub model: Option<String>,
    pub effort: Option<String>,
}

/// What may be asked of a [`Situation`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// The task has one of these.
    Labels(Vec<String>),
    /// The task's priority is within these, both included; 0 is the most urgent.
    Priority(Span),
    /// The iteration on this task, from 1, is within these.
    Iteration(Span),
    /// The task has been in one of these troubles.
    Trouble(Vec<Trouble>),
}

/// What a run would end for, were there no route that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// Iterations in a row left everything as it was.
    NoProgress,
    /// Iterations tried what had failed before.
    Circular,
}

impl Trouble {
    pub const ALL: [Trouble; 2] = [Trouble::NoProgress, Trouble::Circular];

    /// As it is written in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Trouble::NoProgress => "no_progress",
            Trouble::Circular => "circular",
        }
    }

    /// What a run ends for that nothing gets out of it.
    pub(crate) fn stop(self) -> StopReason {
        match self {
            Trouble::NoProgress => StopReason::NoProgress,
            Trouble::Circular => StopReason::Circular,
        }
    }
}

/// From a number up to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub from: u32,
    /// Without an end there is none.
    pub to: Option<u32>,
}

/// What is known when an iteration begins.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    pub task: &'a Task,
    /// How many iterations the task has had, with the one that begins.
    pub iteration: u32,
    /// The troubles that the task has been in so far.
    pub troubles: &'a [Trouble],
}

/// The first route whose conditions all hold, with its place among the routes.
pub fn first<'r>(routes: &'r [Route], situation: Situation<'_>) -> Option<(usize, &'r Route)> {
    routes.iter().enumerate().find(|(_, route)| route.matches(situation))
}

impl Route {
    /// A route without conditions would hide all that come after it, so it matches nothing.
    fn matches(&self, situation: Situation<'_>) -> bool {
        !self.when.is_empty() && self.when.iter().all(|condition| condition.holds(situation))
    }
}

impl Condition {
    fn holds(&self, situation: Situation<'_>) -> bool {
        match self {
            Condition::Labels(labels) => situation.task.labels.iter().any(|label| labels.contains(label)),
            Condition::Priority(span) => {
                situation.task.priority.is_some_and(|priority| span.holds(priority.into()))
            }
            Condition::Iteration(span) => span.holds(situation.iteration),
            Condition::Trouble(any) => any.iter().any(|trouble| situation.troubles.contains(trouble)),
        }
    }
}

impl Span {
    pub fn holds(self, number: u32) -> bool {
        number >= self.from && self.to.is_none_or(|to| number <= to)
    }
}

/// As it is written in a configuration.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to {
            Some(to) if to == self.from => write!(f, "{to}"),
            Some(to) => write!(f, "{}-{to}", self.from),
            None => write!(f, ">={}", self.from),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Labels(labels) => write!(f, "label {}", labels.join(" or ")),
            Condition::Priority(span) => write!(f, "priority {span}"),
            Condition::Iteration(span) => write!(f, "iteration {span}"),
            Condition::Trouble(troubles) => {
                let names: Vec<&str> = troubles.iter().map(|trouble| trouble.name()).collect();
                write!(f, "after {}", names.join(" or "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, Route, Situation, Span, Trouble, first};
    use crate::task::Task;

    fn route(when: Vec<Condition>) -> Route {
        Route { when, agent: None, model: Some("large".to_owned()), effort: None }
    }

    fn labelled(labels: &[&str], priority: Option<u8>) -> Task {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        Task { labels, priority, ..Task::prompt("do it") }
    }

    fn span(from: u32, to: Option<u32>) -> Span {
        Span { from, to }
    }

    #[test]
    fn the_first_route_whose_conditions_all_hold_is_taken() {
        let labels =
            |names: &[&str]| Condition::Labels(names.iter().map(|name| (*name).to_owned()).collect());
        let routes = [
            route(Vec::new()),
            route(vec![labels(&["hard", "slow"]), Condition::Priority(span(0, Some(1)))]),
            route(vec![labels(&["hard"])]),
            route(vec![Condition::Iteration(span(3, None))]),
        ];
        let check = |task: &Task, iteration: u32, expected: Option<usize>| {
            let situation = Situation { task, iteration, troubles: &[] };
            let found = first(&routes, situation).map(|(at, _)| at);
            assert_eq!(found, expected, "{task:?} iteration {iteration}");
        };
        check(&labelled(&["slow"], Some(1)), 1, Some(1));
        check(&labelled(&["hard"], Some(2)), 1, Some(2));
        check(&labelled(&["slow"], None), 1, None);
        check(&labelled(&[], Some(0)), 2, None);
        check(&labelled(&[], None), 3, Some(3));
        check(&labelled(&["hard"], None), 9, Some(2));
    }

    #[test]
    fn a_route_for_a_trouble_is_taken_from_then_on() {
        let when = Condition::Trouble(vec![Trouble::Circular, Trouble::NoProgress]);
        assert_eq!(when.to_string(), "after circular or no_progress");
        let routes = [route(vec![Condition::Trouble(vec![Trouble::Circular])]), route(vec![when])];
        let check = |troubles: &[Trouble], expected: Option<usize>| {
            let situation = Situation { task: &Task::prompt("do it"), iteration: 4, troubles };
            assert_eq!(first(&routes, situation).map(|(at, _)| at), expected, "{troubles:?}");
        };
        check(&[], None);
        check(&[Trouble::NoProgress], Some(1));
        check(&[Trouble::Circular], Some(0));
        check(&[Trouble::NoProgress, Trouble::Circular], Some(0));
    }

    #[test]
    fn a_span_includes_both_ends_and_is_shown_as_it_is_written() {
        let holds = |span: Span| (0..6).filter(|n| span.holds(*n)).collect::<Vec<_>>();
        assert_eq!(holds(span(2, Some(4))), [2, 3, 4]);
        assert_eq!(holds(span(4, None)), [4, 5]);
        assert_eq!(holds(span(1, Some(1))), [1]);
        let shown = [span(2, Some(4)), span(4, None), span(1, Some(1))].map(|span| span.to_string());
        assert_eq!(shown, ["2-4", ">=4", "1"]);
    }
}
