//! How a run goes through a backlog: what begins, what is completed, what is given up, and what is left at the end.

use crate::agenda::{Agenda, Parked, Selection};
use crate::backlog::Backlog;
use crate::event::Event;
use crate::id::TaskId;
use crate::moment::Moment;
use crate::policy::Signal;
use crate::run::{Pace, Run, Skipped, Step, Until};
use crate::stop::{Stop, StopReason};
use crate::task::Task;

/// How many tasks a sentence names.
const NAMED: usize = 20;
/// Why a task is skipped that nobody gave up.
const ASKED: &str = "a person asked for it";

impl Run {
    /// Whether it goes through a backlog.
    pub fn has_backlog(&self) -> bool {
        self.agenda.is_some()
    }

    /// The backlog was looked at, to choose a task from it.
    pub fn saw(&mut self, backlog: &Backlog) {
        let settled = backlog.items().iter().filter(|item| item.status.is_settled()).count();
        if let Some(agenda) = &mut self.agenda {
            agenda.settled = Some(settled);
        }
    }

    /// How many tasks others have settled since the one at hand was chosen. Who closed that one cannot be told.
    pub fn settled_by_others(&self, backlog: &Backlog) -> usize {
        let Some(then) = self.agenda.as_ref().and_then(|agenda| agenda.settled) else { return 0 };
        let others = backlog.items().iter().filter(|item| item.id != self.task.id);
        others.filter(|item| item.status.is_settled()).count().saturating_sub(then)
    }

    /// A task was chosen, or there is none.
    pub fn after_select(&mut self, selection: Selection, now: Moment) {
        self.tally.running = now.running;
        self.expire_parked(now);
        match selection {
            Selection::Task { task, .. } if self.is_skipped(&task) => {
                self.halt(StopReason::TasksUndone, &self.undone(), now);
            }
            Selection::Task { task, why } => match self.iterations_used_up().filter(|_| self.has_backlog()) {
                Some(stop) => self.stop_at(&stop, now),
                None => self.begin_iteration(task, why, now),
            },
            Selection::Nothing(undone) => self.nothing_left(&undone, now),
        }
    }

    /// Before the first iteration on a task, nothing is known of it but what the tracker says.
    pub(super) fn take_in_hand(&mut self, task: &Task, why: String, now: Moment) {
        if task.id != self.task.id {
            self.troubles.clear();
        }
        let Some(agenda) = &mut self.agenda else { return };
        *agenda.had.entry(task.id.clone()).or_default() += 1;
        if agenda.at_hand.as_ref() == Some(&task.id) {
            return;
        }
        agenda.at_hand = Some(task.id.clone());
        agenda.why.clone_from(&why);
        self.tried.clear();
        self.progress.forgive();
        self.crew.start_afresh();
        let (title, iteration) = (task.title.clone(), self.tally.iterations);
        self.note(now.at, Event::TaskStarted { task: task.id.clone(), title, iteration, why });
    }

    /// The run goes on in the middle of an iteration.
    pub(super) fn take_back_in_hand(&mut self) {
        if let Some(agenda) = &mut self.agenda {
            agenda.at_hand = Some(self.task.id.clone());
        }
    }

    /// A tracker has been told what is being worked on.
    pub fn tracker_shows(&mut self, task: Option<TaskId>) {
        if let Some(agenda) = &mut self.agenda {
            agenda.shown = task;
        }
    }

    /// What the tracker is to be told: that the first is no longer worked on, and that the second is.
    pub fn to_show(&self) -> Option<(Option<&TaskId>, Option<&TaskId>)> {
        let Agenda { at_hand, shown, .. } = self.agenda.as_ref()?;
        (at_hand != shown).then_some((shown.as_ref(), at_hand.as_ref()))
    }

    /// A task of a backlog is completed, and its tracker says so; others may be left. Checks that pass now say nothing
    /// about the next task.
    pub(super) fn task_completed(&mut self, task: &TaskId, now: Moment) {
        let Some(agenda) = &mut self.agenda else { return };
        agenda.completed += 1;
        agenda.had.remove(task);
        agenda.forget_stints(task);
        (agenda.at_hand, agenda.shown) = (None, None);
        let decides = self.policy.completion.require.contains(&Signal::Criteria);
        if decides && self.policy.completion.require.insert(Signal::Promise) {
            let text = "every check passes now, so from here on the agent's promise is required as well";
            self.note(now.at, Event::Notice { text: text.to_owned() });
        }
    }

    /// Puts a task away until its question is answered; the others go on.
    pub(super) fn put_away(&mut self, parked: Parked) {
        if let Some(agenda) = &mut self.agenda {
            agenda.at_hand = None;
            agenda.parked.push(parked);
        }
    }

    /// Nobody answered in time.
    fn expire_parked(&mut self, now: Moment) {
        let Some(agenda) = &self.agenda else { return self.assume_open(now) };
        let late: Vec<_> = agenda.parked.iter().filter(|parked| parked.to <= now.at).collect();
        let late: Vec<_> = late.into_iter().map(|parked| parked.question).collect();
        late.into_iter().for_each(|no| self.assume(no, now));
    }

    /// What ends a task, and only that: its own iterations, and those that led nowhere.
    pub(super) fn task_spent(&self) -> Option<Stop> {
        let agenda = self.agenda.as_ref()?;
        let task = agenda.at_hand.as_ref()?;
        if let Some(stop) = self.stuck() {
            return Some(stop);
        }
        let max = self.policy.limits.max_iterations_per_task?;
        (agenda.iterations_on(task) >= max.get()).then(|| {
            let last = self.tried.last().and_then(|tried| tried.findings.first());
            let last = last.map_or_else(String::new, |finding| format!("; the last: {finding}"));
            let evidence = format!("{max} iterations did not complete it{last}");
            Stop { reason: StopReason::MaxIterations, evidence }
        })
    }

    /// The task at hand goes to the skipped ones; the run goes on.
    pub(super) fn skip_task(&mut self, task: TaskId, why: String, now: Moment) {
        if let Some(agenda) = &mut self.agenda {
            agenda.at_hand = None;
        }
        self.progress.forgive();
        self.give_up_on(task, why, now);
    }

    fn give_up_on(&mut self, task: TaskId, why: String, now: Moment) {
        let iteration = self.tally.iterations;
        self.note(now.at, Event::TaskSkipped { task: task.clone(), iteration, why: why.clone() });
        if let Some(agenda) = &mut self.agenda {
            agenda.parked.retain(|parked| parked.task != task);
            agenda.forget_stints(&task);
        }
        self.skipped.push(Skipped { task, why });
    }

    /// A person wants no more of a task; the one at hand is ended, whatever is being done about it.
    pub(super) fn skip(&mut self, named: Option<&TaskId>, now: Moment) {
        let Some(agenda) = &self.agenda else { return };
        match (named, &agenda.at_hand) {
            (None, Some(_)) => self.pace = Pace::Skipping,
            (Some(task), Some(at_hand)) if task == at_hand => self.pace = Pace::Skipping,
            (Some(task), _) if !self.is_given_up(task) => {
                self.give_up_on(task.clone(), ASKED.to_owned(), now);
            }
            (Some(_) | None, _) => {}
        }
    }

    /// Goes on without the task at hand; false where there is none any more.
    pub(super) fn leave_task(&mut self, now: Moment) -> bool {
        let at_hand = self.agenda.as_ref().and_then(|agenda| agenda.at_hand.clone());
        let Some(task) = at_hand else { return false };
        if std::mem::take(&mut self.mid_iteration) {
            let iteration = self.tally.iterations;
            self.note(now.at, Event::IterationEnded { iteration, task: task.clone(), complete: false });
        }
        self.skip_task(task, ASKED.to_owned(), now);
        true
    }

    fn nothing_left(&mut self, undone: &[Skipped], now: Moment) {
        let Some(agenda) = &self.agenda else {
            return self.halt(StopReason::NoTasks, "nothing is open", now);
        };
        if let Some(first) = agenda.parked.iter().min_by_key(|parked| parked.to) {
            let until = Until::Answer { from: now.at, to: first.to, question: first.question };
            let why = "only an answer can let the run go on; `ralph inbox` shows the question".to_owned();
            self.note(now.at, Event::Waiting { until: first.to, why });
            self.step = Step::Wait(until, Box::new(Step::Select));
            return;
        }
        let completed = agenda.completed;
        let is_beginning = self.tally.iterations == 0;
        let (reason, evidence) = match undone {
            [] if is_beginning => (StopReason::NoTasks, "nothing is open".to_owned()),
            [] => (StopReason::Completed, format!("{} completed", tasks(completed as usize))),
            undone if is_beginning => {
                (StopReason::NoTasks, format!("nothing can be worked on: {}", named(undone)))
            }
            undone => {
                let evidence = format!(
                    "{} completed, {} undone: {}",
                    tasks(completed as usize),
                    undone.len(),
                    named(undone)
                );
                (StopReason::TasksUndone, evidence)
            }
        };
        self.halt(reason, &evidence, now);
    }
}

fn tasks(count: usize) -> String {
    if count == 1 { "1 task".to_owned() } else { format!("{count} tasks") }
}

/// As many as a sentence holds, each with the reason.
fn named(undone: &[Skipped]) -> String {
    let told = undone.iter().take(NAMED).map(|one| format!("{} {}", one.task, one.why));
    let more = undone.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    told.collect::<Vec<_>>().join("; ") + &rest
}
