//! How a run goes through a backlog: what begins, what is completed, what is given up, and what is left at the end.

use std::time::Duration;

use crate::agenda::{Agenda, Parked, Selection};
use crate::backlog::Backlog;
use crate::event::Event;
use crate::id::TaskId;
use crate::moment::Moment;
use crate::policy::Signal;
use crate::put_back::Why;
use crate::run::{Run, Skipped, Step, Until};
use crate::stop::{Stop, StopReason};
use crate::task::Task;

/// How often a tracker is asked again, and how soon at first; the pause doubles four times.
const MOST_UNREAD: u32 = 11;
const UNREAD_FIRST: Duration = Duration::from_secs(15);
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
        if let Some(agenda) = &mut self.agenda {
            agenda.unread = 0;
        }
        let expired = self.expire_parked(now);
        match selection {
            // What nobody waits for any more was held back when this was found out.
            Selection::Nothing(_) if expired => self.step = Step::Select,
            Selection::Task { task, .. } if self.is_skipped(&task) && self.has_backlog() => {
                self.step = Step::Select;
            }
            Selection::Task { task, .. } if self.is_skipped(&task) => {
                self.halt(StopReason::TasksUndone, &self.undone(), now);
            }
            Selection::Task { task, why, left } => {
                match self.iterations_used_up().filter(|_| self.has_backlog()) {
                    Some(Stop { reason, .. }) => {
                        let evidence = self.spent_on_backlog(&left);
                        self.stop_at(&Stop { reason, evidence }, now);
                    }
                    None => self.begin_iteration(task, why, now),
                }
            }
            Selection::Nothing(undone) => self.nothing_left(&undone, now),
        }
    }

    /// A tracker that others run does not answer just now: it is asked again, for half an hour.
    pub fn without_tracker(&mut self, why: &str, now: Moment) {
        self.tally.running = now.running;
        let Some(agenda) = &mut self.agenda else { return };
        let tries = agenda.unread;
        if tries >= MOST_UNREAD {
            return self.fail(StopReason::Configuration, why, now);
        }
        agenda.unread += 1;
        let delay = UNREAD_FIRST * 2_u32.pow(tries.min(4));
        self.proceed_after(delay, why, Step::Select, now);
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
        agenda.leaving = false;
        agenda.why.clone_from(&why);
        self.tried = agenda.put_away.remove(&task.id).unwrap_or_default();
        self.progress.forgive();
        self.crew.start_afresh();
        let (title, iteration) = (task.title.clone(), self.tally.iterations);
        self.note(now.at, Event::TaskStarted { task: task.id.clone(), title, iteration, why });
    }

    /// The run goes on in the middle of an iteration; false where a person has given the task up meanwhile.
    pub(super) fn take_back_in_hand(&mut self, now: Moment) -> bool {
        if self.is_given_up(&self.task.id) {
            self.end_iteration(now);
            return false;
        }
        if let Some(agenda) = &mut self.agenda {
            agenda.at_hand = Some(self.task.id.clone());
        }
        true
    }

    /// What was at hand when the run was last driven is settled or gone: nobody works on it any more.
    pub fn task_is_gone(&mut self, why: &str, now: Moment) {
        let Step::Think(_) = self.step else { return };
        let Some(agenda) = &mut self.agenda else { return };
        agenda.at_hand = None;
        self.note(now.at, Event::Notice { text: format!("{} {why}; the others go on", self.task.id) });
        self.end_iteration(now);
        self.proceed(Step::Select, now);
    }

    /// What the tracker is about to show is noted before it is told.
    pub fn will_show(&mut self) {
        if let Some(agenda) = &mut self.agenda {
            agenda.showing.extend(agenda.at_hand.clone());
        }
    }

    /// What the tracker may still show as being worked on, and is not.
    pub fn no_longer_shown(&self) -> Vec<TaskId> {
        let Some(Agenda { at_hand, showing, .. }) = &self.agenda else { return Vec::new() };
        showing.iter().filter(|task| at_hand.as_ref() != Some(task)).cloned().collect()
    }

    /// What is being worked on, and the tracker is to show.
    pub fn at_hand(&self) -> Option<&TaskId> {
        self.agenda.as_ref()?.at_hand.as_ref()
    }

    /// The tracker shows nothing else as being worked on.
    pub fn tracker_told(&mut self) {
        if let Some(agenda) = &mut self.agenda {
            let at_hand = agenda.at_hand.clone();
            agenda.showing.retain(|task| Some(task) == at_hand.as_ref());
        }
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.agenda.as_ref().is_some_and(|agenda| agenda.leaving)
    }

    /// A task of a backlog is completed, and its tracker says so; others may be left. Checks that pass now say nothing
    /// about the next task.
    pub(super) fn task_completed(&mut self, task: &TaskId, now: Moment) {
        let Some(agenda) = &mut self.agenda else { return };
        agenda.completed += 1;
        agenda.had.remove(task);
        agenda.forget_stints(task);
        agenda.at_hand = None;
        agenda.showing.remove(task);
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
            agenda.put_away.insert(parked.task.clone(), self.tried.clone());
            agenda.parked.push(parked);
        }
    }

    /// Nobody answered in time; says whether a task can be worked on again for that.
    fn expire_parked(&mut self, now: Moment) -> bool {
        let Some(agenda) = &self.agenda else {
            self.assume_open(now);
            return false;
        };
        let late = agenda.parked.iter().filter(|parked| parked.to <= now.at);
        let late: Vec<_> = late.map(|parked| parked.question).collect();
        late.iter().for_each(|no| self.assume(*no, now));
        !late.is_empty()
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
            let spent = if max.get() == 1 { "1 iteration".to_owned() } else { format!("{max} iterations") };
            let evidence = format!("{spent} did not complete it{last}");
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
        self.take_task_back(&task, Why::GivenUp);
        self.inbox.withdraw(&task);
        if let Some(agenda) = &mut self.agenda {
            agenda.parked.retain(|parked| parked.task != task);
            agenda.put_away.remove(&task);
            agenda.forget_stints(&task);
        }
        self.skipped.push(Skipped { task, why });
    }

    /// A person wants no more of a task; the one at hand is ended, whatever is being done about it.
    pub(super) fn skip(&mut self, named: Option<&TaskId>, now: Moment) {
        let meant = named.or(self.at_hand()).cloned();
        let (Some(task), Some(agenda)) = (meant, &mut self.agenda) else { return };
        if agenda.at_hand.as_ref() == Some(&task) {
            agenda.leaving = true;
        } else if !self.is_given_up(&task) {
            self.give_up_on(task, ASKED.to_owned(), now);
            // The answer that is waited for may be one that nobody needs any more.
            if let Step::Wait(Until::Answer { .. }, then) = self.step.clone() {
                self.proceed(*then, now);
            }
        }
    }

    /// A paused run goes on being paused without the task.
    pub(super) fn leave_while_paused(&mut self, now: Moment) {
        if let Step::Wait(Until::Told, _) = self.step
            && self.left_task(now)
        {
            self.step = Step::Wait(Until::Told, Box::new(Step::Select));
        }
    }

    /// Leaves the task at hand where a person wants that; false where nobody does, or there is none any more.
    pub(super) fn left_task(&mut self, now: Moment) -> bool {
        let wanted = self.agenda.as_mut().is_some_and(|agenda| std::mem::take(&mut agenda.leaving));
        wanted && self.leave_task(now)
    }

    fn leave_task(&mut self, now: Moment) -> bool {
        let Some(task) = self.at_hand().cloned() else { return false };
        self.end_iteration(now);
        self.skip_task(task, ASKED.to_owned(), now);
        true
    }

    /// It came to nothing.
    fn end_iteration(&mut self, now: Moment) {
        if std::mem::take(&mut self.mid_iteration) {
            let (iteration, task) = (self.tally.iterations, self.task.id.clone());
            self.note(now.at, Event::IterationEnded { iteration, task, complete: false });
        }
    }

    fn spent_on_backlog(&self, left: &[Skipped]) -> String {
        let completed = self.agenda.as_ref().map_or(0, |agenda| agenda.completed);
        let spent = self.tally.iterations;
        let spent = if spent == 1 { "1 iteration is".to_owned() } else { format!("{spent} iterations are") };
        format!(
            "{spent} used up: {} completed, {} left: {}",
            tasks(completed as usize),
            left.len(),
            named(left)
        )
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
