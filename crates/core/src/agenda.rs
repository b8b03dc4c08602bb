//! What a run over a backlog knows of it beyond what its tracker says.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::backlog::{Backlog, Filter, Hold, Order, Wanted};
use crate::id::TaskId;
use crate::question::QuestionNo;
use crate::run::{Run, Skipped, Tried};
use crate::task::Task;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agenda {
    pub source: Source,
    pub filter: Filter,
    /// How many iterations each task has had that is not completed.
    pub had: BTreeMap<TaskId, u32>,
    /// How many were completed in this run.
    pub completed: u32,
    /// Tasks that wait for a person's answer.
    pub parked: Vec<Parked>,
    /// What is being worked on.
    pub at_hand: Option<TaskId>,
    /// Why it was chosen.
    pub why: String,
    /// What the tracker may show as being worked on: noted before it is told.
    #[serde(default)]
    pub showing: BTreeSet<TaskId>,
    /// A person wants no more of what is at hand.
    #[serde(default)]
    pub leaving: bool,
    /// How often in a row its tracker could not be read.
    #[serde(default)]
    pub unread: u32,
    /// What was tried with tasks that were put away.
    #[serde(default)]
    pub put_away: BTreeMap<TaskId, Vec<Tried>>,
    /// From and to which snapshot tasks that are not completed were worked on, the latest last.
    #[serde(default)]
    pub stints: Vec<Stint>,
    /// How many tasks were settled when the last one was chosen.
    #[serde(default)]
    pub settled: Option<usize>,
    /// How completed tasks are committed, where that is wanted.
    #[serde(default)]
    pub commits: Option<Commits>,
}

/// A task was in hand from one snapshot to another, or still is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stint {
    pub task: TaskId,
    pub from: String,
    pub to: Option<String>,
    /// Which iteration it began with.
    #[serde(default)]
    pub iteration: u32,
    /// What git's HEAD pointed at then.
    #[serde(default)]
    pub head: Option<String>,
}

/// What was decided about commits when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commits {
    /// The template of their message.
    pub message: String,
    pub allow_dirty: bool,
    /// Whether files were uncommitted when the run began; none before anybody looked.
    #[serde(default)]
    pub dirty_at_start: Option<bool>,
    /// Where git's HEAD was when the last commit was to be made, and in which iteration: a crash may have come between
    /// the commit and the journal.
    #[serde(default)]
    pub intent: Option<Intent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    pub iteration: u32,
    /// None before the first commit of a repository.
    pub head: Option<String>,
}

impl Commits {
    pub fn new(message: String, allow_dirty: bool) -> Commits {
        Commits { message, allow_dirty, dirty_at_start: None, intent: None }
    }

    /// As another run begins with it.
    #[must_use]
    pub fn afresh(self) -> Commits {
        Commits::new(self.message, self.allow_dirty)
    }
}

/// Where a backlog is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The kind of tracker.
    pub tracker: String,
    /// The file, or the program and its directory, for people.
    pub name: String,
    /// The file, where it was named or found.
    pub file: Option<String>,
    /// How many tasks were to be done when the run began.
    pub open: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parked {
    pub task: TaskId,
    pub question: QuestionNo,
    /// Until when an answer is waited for.
    pub to: Timestamp,
}

/// What a run is to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    Task {
        task: Task,
        /// Why this one.
        why: String,
        /// Everything that is left undone if the run has no iteration for it, each with the reason.
        left: Vec<Skipped>,
    },
    /// Nothing can be worked on; what is left undone, each with the reason.
    Nothing(Vec<Skipped>),
}

impl Selection {
    /// A prompt is its own only task.
    pub fn prompt(task: Task) -> Selection {
        Selection::Task { task, why: String::new(), left: Vec::new() }
    }
}

impl Agenda {
    pub fn new(source: Source, filter: Filter) -> Agenda {
        Agenda {
            source,
            filter,
            had: BTreeMap::new(),
            completed: 0,
            parked: Vec::new(),
            at_hand: None,
            why: String::new(),
            showing: BTreeSet::new(),
            leaving: false,
            unread: 0,
            put_away: BTreeMap::new(),
            stints: Vec::new(),
            settled: None,
            commits: None,
        }
    }

    /// The tree was kept before an attempt: whoever has had the task in hand until now has it no longer.
    pub(crate) fn kept(&mut self, snapshot: &str, iteration: u32, head: Option<String>) {
        let Some(at_hand) = &self.at_hand else { return };
        if let Some(last) = self.stints.last_mut().filter(|last| last.to.is_none()) {
            if last.task == *at_hand {
                return;
            }
            last.to = Some(snapshot.to_owned());
        }
        let (task, from) = (at_hand.clone(), snapshot.to_owned());
        self.stints.push(Stint { task, from, to: None, iteration, head });
    }

    /// Since when nothing but this task was worked on, if that is so now.
    pub(crate) fn last_stint(&self, task: &TaskId) -> Option<&Stint> {
        self.stints.last().filter(|last| last.task == *task && last.to.is_none())
    }

    /// Nobody asks any more what was done for a task.
    pub(crate) fn forget_stints(&mut self, task: &TaskId) {
        self.stints.retain(|stint| stint.task != *task);
    }

    pub(crate) fn iterations_on(&self, task: &TaskId) -> u32 {
        self.had.get(task).copied().unwrap_or_default()
    }

    /// It waits for nobody any more.
    pub(crate) fn unpark(&mut self, question: QuestionNo) {
        self.parked.retain(|parked| parked.question != question);
    }
}

/// What of a backlog is to be done now: the task that is at hand while it can be worked on, then the tracker's order.
/// In one that is shared, what others work on is left to them unless it was named.
pub fn select(run: &Run, agenda: &Agenda, backlog: &Backlog, order: Order, is_shared: bool) -> Selection {
    let is_own = |id: &TaskId| {
        agenda.showing.contains(id) || agenda.at_hand.as_ref() == Some(id) || agenda.filter.tasks.contains(id)
    };
    let wanted = Wanted {
        taken: if is_shared { backlog.taken(is_own).cloned().collect() } else { BTreeSet::new() },
        filter: agenda.filter.clone(),
        skipped: run.skipped.iter().map(|skipped| skipped.task.clone()).collect(),
        parked: agenda.parked.iter().map(|parked| parked.task.clone()).collect(),
        order,
    };
    let next = at_hand(agenda, backlog, &wanted).map(|task| (task, "it is at hand".to_owned()));
    let next = next.or_else(|| backlog.next(&wanted).map(|turn| (turn.item.to_task(), turn.to_string())));
    match next {
        Some((task, why)) => {
            let is_over = run.iterations_used_up().is_some();
            let left = if is_over { left(run, backlog, &wanted) } else { Vec::new() };
            Selection::Task { task, why, left }
        }
        None => Selection::Nothing(undone(run, backlog, &wanted)),
    }
}

/// What would still be worked on, and what would not.
fn left(run: &Run, backlog: &Backlog, wanted: &Wanted) -> Vec<Skipped> {
    let plan = backlog.plan(wanted);
    let open =
        plan.turns.iter().map(|turn| Skipped { task: turn.item.id.clone(), why: "is open".to_owned() });
    open.chain(undone(run, backlog, wanted)).collect()
}

fn at_hand(agenda: &Agenda, backlog: &Backlog, wanted: &Wanted) -> Option<Task> {
    let id = agenda.at_hand.as_ref()?;
    let (place, item) = backlog.items().iter().enumerate().find(|(_, item)| item.id == *id)?;
    let is_wanted = !wanted.skipped.contains(id) && !wanted.parked.contains(id);
    let is_meant = wanted.filter.meant(backlog)[place];
    (is_wanted && is_meant && backlog.is_ready(id)).then(|| item.to_task())
}

/// What a person would miss.
fn undone(run: &Run, backlog: &Backlog, wanted: &Wanted) -> Vec<Skipped> {
    let is_owed = |id: &TaskId| run.agenda.as_ref().is_some_and(|agenda| agenda.showing.contains(id));
    let given_up = |id: &TaskId| run.skipped.iter().find(|skipped| skipped.task == *id);
    let held = backlog.plan(wanted).held.into_iter().filter_map(|held| {
        let why = match &held.why {
            // Its tracker could not be told that it is open again.
            Hold::Completed if is_owed(&held.item.id) => {
                given_up(&held.item.id).map_or_else(|| "is not proven".to_owned(), Skipped::told)
            }
            Hold::Completed | Hold::Cancelled | Hold::Container | Hold::Filtered => return None,
            Hold::Skipped => given_up(&held.item.id).map_or_else(String::new, Skipped::told),
            Hold::Blocked
            | Hold::Parked
            | Hold::Taken
            | Hold::Cycle(_)
            | Hold::Unknown(_)
            | Hold::Waits(_) => held.to_string(),
        };
        Some(Skipped { task: held.item.id.clone(), why })
    });
    held.collect()
}

#[cfg(test)]
mod tests {
    use super::{Agenda, Source};
    use crate::backlog::Filter;
    use crate::id::TaskId;

    #[test]
    fn a_task_that_waited_has_its_own_stints_and_none_of_what_was_done_in_between() {
        let source = Source { tracker: String::new(), name: String::new(), file: None, open: 2 };
        let mut agenda = Agenda::new(source, Filter::default());
        let [waits, other] = ["W", "O"].map(|id| TaskId::parse(id).unwrap());
        for (task, snapshots) in [(&waits, &["1", "2"][..]), (&other, &["3"]), (&waits, &["4", "5"])] {
            agenda.at_hand = Some(task.clone());
            snapshots.iter().for_each(|snapshot| agenda.kept(snapshot, 1, None));
        }
        let stints = |agenda: &Agenda, task: &TaskId| {
            let own = agenda.stints.iter().filter(|stint| stint.task == *task);
            own.map(|stint| (stint.from.clone(), stint.to.clone())).collect::<Vec<_>>()
        };
        let span = |from: &str, to: Option<&str>| (from.to_owned(), to.map(str::to_owned));
        assert_eq!(stints(&agenda, &waits), [span("1", Some("3")), span("4", None)]);
        assert_eq!(stints(&agenda, &other), [span("3", Some("4"))]);
        agenda.forget_stints(&waits);
        assert_eq!(stints(&agenda, &waits), []);
        agenda.kept("6", 1, None);
        assert_eq!(stints(&agenda, &waits), [span("6", None)]);
    }
}
