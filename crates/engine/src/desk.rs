//! Where a backlog is kept: it is asked what is to be done, and told what becomes of it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ralph_core::agenda::{self, Selection};
use ralph_core::attempt::Attempt;
use ralph_core::backlog::{Backlog, Item, Order, Status};
use ralph_core::event::Event;
use ralph_core::id::TaskId;
use ralph_core::run::{Skipped, Step};
use ralph_core::stop::StopReason;
use ralph_core::verdict::Verdict;
use ralph_store::{Commit, Store};

use crate::drive::Drive;
use crate::error::EngineError;
use crate::settle::Settled;

/// How often a tracker is tried before it is taken for broken: another program may be in the middle of writing it.
const TRIES: usize = 4;
const BETWEEN: Duration = Duration::from_millis(500);
/// How many tasks a sentence names.
const NAMED: usize = 20;

/// A tracker, as a run needs it. Its calls block.
pub trait Desk: Send + std::fmt::Debug {
    /// Everything that is there now, and what counts first.
    fn backlog(&mut self) -> Result<(Backlog, Order), DeskError>;
    /// Shows what becomes of a task, as far as the tracker's format can say it.
    fn show(&mut self, task: &TaskId, status: Status) -> Result<(), DeskError>;
    fn complete(&mut self, task: &TaskId, reason: &str) -> Result<(), DeskError>;
    fn circle(&self) -> Circle;
}

/// Who else changes a tracker, and so whose word it is that a task is done where it is not ralph's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Circle {
    /// Whoever is at this machine: the agent, most likely.
    Machine,
    /// People elsewhere, and the agent where it has the means.
    Team,
    /// People elsewhere, and hardly the agent.
    Others,
}

impl Circle {
    fn is_shared(self) -> bool {
        self != Circle::Machine
    }
}

/// When somebody may have closed a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// While an agent of this process worked on it.
    Work,
    /// At any time since the process that drove the run was gone.
    Crash,
}

impl Since {
    /// Whether what was closed is open again, for nothing proves that it is done.
    fn undoes(self, circle: Circle) -> bool {
        circle == Circle::Machine || (circle == Circle::Team && self == Since::Work)
    }
}

/// Why a tracker could not be read or written, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {next}")]
pub struct DeskError {
    pub what: String,
    pub next: String,
}

type Shared = Arc<Mutex<Box<dyn Desk>>>;

/// A desk that the loop can use without standing still.
#[derive(Debug, Clone)]
pub struct Tracking(Shared);

impl Tracking {
    pub fn new(desk: Box<dyn Desk>) -> Tracking {
        Tracking(Arc::new(Mutex::new(desk)))
    }
}

impl<S: Store + 'static> Drive<S> {
    /// What is to be done now; none where that cannot be told, and then the run has stopped. A prompt is its own only
    /// task.
    pub(crate) async fn selection(&mut self) -> Result<Option<Selection>, EngineError> {
        let Some(agenda) = self.run.agenda.clone() else {
            return Ok(Some(Selection::prompt(self.run.task.clone())));
        };
        let circle = self.at_desk(|desk| Ok(desk.circle())).await?.unwrap_or(Circle::Machine);
        match self.at_desk(in_order).await? {
            Ok((backlog, order)) => {
                let selection = agenda::select(&self.run, &agenda, &backlog, order, circle.is_shared());
                self.tell_of_closed(&backlog);
                self.run.saw(&backlog);
                Ok(Some(self.without_secrets(selection)))
            }
            Err(error) => {
                let evidence = self.parts.redactor.text(&error.to_string()).into_owned();
                if circle.is_shared() {
                    self.run.without_tracker(&evidence, self.now());
                } else {
                    self.run.fail(StopReason::Configuration, &evidence, self.now());
                }
                Ok(None)
            }
        }
    }

    /// What comes in here is journalled and shown.
    fn without_secrets(&self, selection: Selection) -> Selection {
        let clean = |text: &str| self.parts.redactor.text(text).into_owned();
        let all = |tasks: Vec<Skipped>| {
            tasks.into_iter().map(|Skipped { task, why }| Skipped { task, why: clean(&why) }).collect()
        };
        match selection {
            Selection::Task { mut task, why, left } => {
                (task.title, task.body) = (clean(&task.title), clean(&task.body));
                task.labels = task.labels.iter().map(|label| clean(label)).collect();
                Selection::Task { task, why: clean(&why), left: all(left) }
            }
            Selection::Nothing(undone) => Selection::Nothing(all(undone)),
        }
    }

    /// What others than ralph have closed counts as done, and nobody has looked whether it is.
    fn tell_of_closed(&mut self, backlog: &Backlog) {
        let open = |item: &&Item| !item.status.is_settled();
        let open: HashSet<TaskId> = backlog.items().iter().filter(open).map(|item| item.id.clone()).collect();
        let Some(before) = self.open_tasks.replace(open) else { return };
        let is_closed =
            |task: &&TaskId| backlog.item(task).is_some_and(|item| item.status == Status::Completed);
        let mut closed: Vec<&TaskId> = before.iter().filter(is_closed).collect();
        if closed.is_empty() {
            return;
        }
        closed.sort();
        let names: Vec<&str> = closed.iter().take(NAMED).map(|task| task.as_str()).collect();
        let more = if closed.len() > NAMED { " and more" } else { "" };
        let text = format!(
            "closed in the tracker by somebody else, and not looked at by ralph: {}{more}",
            names.join(", ")
        );
        self.run.note(self.now().at, Event::Notice { text });
    }

    /// A run that is taken up again in the middle of an iteration goes on only with what is still to be done.
    pub(crate) async fn still_wanted(&mut self) -> Result<(), EngineError> {
        let Some(task) = self.run.at_hand().cloned() else { return Ok(()) };
        if !matches!(self.run.step, Step::Think(_)) {
            return Ok(());
        }
        let id = task.clone();
        let found = self.at_desk(move |desk| Ok(desk.backlog()?.0.item(&id).map(|item| item.status)));
        // One that cannot be read is told of when the next task is chosen.
        let Ok(found) = found.await? else { return Ok(()) };
        let why = match found {
            None => "is not in the tracker any more",
            // The agent was at it when the process ended.
            Some(Status::Completed)
                if self.interrupted.contains(&task) && self.take_back(&task, Since::Crash).await? =>
            {
                return Ok(());
            }
            Some(Status::Completed) => "was completed by somebody else",
            Some(Status::Cancelled) => "was cancelled",
            Some(Status::Open | Status::InProgress | Status::Blocked) => return Ok(()),
        };
        self.run.task_is_gone(why, self.now());
        Ok(())
    }

    /// The tracker shows what is worked on, once that is journalled. One that cannot be written to is no reason to stop
    /// working.
    pub(crate) async fn show_at_hand(&mut self) -> Result<(), EngineError> {
        let left = self.run.no_longer_shown();
        let now = self.run.at_hand().filter(|task| self.told.as_ref() != Some(task)).cloned();
        if left.is_empty() && now.is_none() {
            return Ok(());
        }
        let wanted = self.run.at_hand().cloned();
        let told = self.at_desk(move |desk| {
            let taken_back = put_down(desk, &left, Since::Work)?;
            now.as_ref().map_or(Ok(()), |task| desk.show(task, Status::InProgress))?;
            Ok(taken_back)
        });
        match told.await? {
            Ok(taken_back) => {
                for task in &taken_back {
                    let text = format!(
                        "{task} was closed in the tracker while it was worked on, and nothing proves that it is done: it \
                         is open again"
                    );
                    self.run.note(self.now().at, Event::Notice { text });
                }
                self.told = wanted;
                self.run.tracker_told();
            }
            // What could not be told is told with the next commit.
            Err(error) => {
                self.tell_once(&format!("the tracker could not be told what is worked on: {error}"));
            }
        }
        Ok(())
    }

    /// Once the run has stopped, whatever its tracker shows is another's doing.
    pub(crate) async fn keep_told(&mut self) -> Result<(), EngineError> {
        if !self.run.has_backlog() {
            return Ok(());
        }
        if let Commit::Written(entries) = self.parts.store.commit(&self.run, self.now().at, &[]).await? {
            self.run.fresh.clear();
            self.parts.feed.entries(entries);
        }
        Ok(())
    }

    /// A task is completed in its tracker before the run goes on, and after the verdict is durable. Where that cannot
    /// be written, the run is left here, to be resumed.
    pub(crate) async fn close_task(
        &mut self,
        attempt: &Attempt,
        verdict: &Verdict,
    ) -> Result<Settled, EngineError> {
        let Verdict::Complete { evidence } = verdict else { return Ok(Settled::Stands) };
        if !self.run.has_backlog() {
            return Ok(Settled::Stands);
        }
        if self.commit().await? == Settled::Rewound {
            return Ok(Settled::Rewound);
        }
        let (task, reason) = (attempt.task.clone(), evidence.clone());
        let is_there = self.at_desk(move |desk| match desk.complete(&task, &reason) {
            Err(error) if desk.backlog()?.0.item(&task).is_some() => Err(error),
            told => Ok(told.is_ok()),
        });
        if !is_there.await?? {
            let text = format!("{} is done, and not in the tracker any more", attempt.task);
            self.run.note(self.now().at, Event::Notice { text });
        }
        if let Some(open) = &mut self.open_tasks {
            open.remove(&attempt.task);
        }
        Ok(Settled::Stands)
    }

    /// Whether somebody has closed the task since; an agent's doing, most likely.
    pub(crate) async fn is_closed(&mut self, task: &TaskId) -> Result<bool, EngineError> {
        if !self.run.has_backlog() {
            return Ok(false);
        }
        let task = task.clone();
        let found = self.at_desk(move |desk| {
            let (backlog, _) = desk.backlog()?;
            Ok(backlog.item(&task).is_some_and(|item| item.status == Status::Completed))
        });
        Ok(found.await?.unwrap_or(false))
    }

    /// A task that was closed before its time is open again; false where that is left to people.
    pub(crate) async fn take_back(&mut self, task: &TaskId, since: Since) -> Result<bool, EngineError> {
        let text =
            format!("{task} was closed in the tracker while the agent worked on it; that is taken back");
        let id = task.clone();
        let taken_back = self.at_desk(move |desk| {
            let undoes = since.undoes(desk.circle());
            if undoes { desk.show(&id, Status::Open).map(|()| true) } else { Ok(false) }
        });
        match taken_back.await? {
            Ok(true) => self.run.note(self.now().at, Event::Notice { text }),
            Ok(false) => return Ok(false),
            Err(error) => {
                let text = format!("{text}, but it could not be written: {error}");
                self.run.note(self.now().at, Event::Notice { text });
            }
        }
        self.told = None;
        Ok(true)
    }

    /// Tries it a few times. Who presses twice does not wait for a tracker.
    pub(crate) async fn at_desk<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Desk) -> Result<T, DeskError> + Send + 'static,
    ) -> Result<Result<T, DeskError>, EngineError> {
        let Some(Tracking(desk)) = self.parts.tracking.clone() else { return Err(EngineError::NoTracker) };
        self.beside(move || patiently(&desk, work)).await
    }
}

fn patiently<T>(desk: &Shared, work: impl Fn(&mut dyn Desk) -> Result<T, DeskError>) -> Result<T, DeskError> {
    let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
    let mut tries = 1;
    loop {
        match work(&mut **desk) {
            Err(_) if tries < TRIES => std::thread::sleep(BETWEEN),
            outcome => return outcome,
        }
        tries += 1;
    }
}

/// Everything that is there, once what is done with its parts is closed where something open depends on it: that could
/// not be closed otherwise.
fn in_order(desk: &mut dyn Desk) -> Result<(Backlog, Order), DeskError> {
    let (backlog, order) = desk.backlog()?;
    // Of what others keep, only a part may be seen here.
    if desk.circle() == Circle::Others {
        return Ok((backlog, order));
    }
    let is_waited_for = |id: &TaskId| backlog.dependents(id).any(|item| !item.status.is_settled());
    let finished = backlog.finished().map(|item| item.id.clone());
    let finished: Vec<TaskId> = finished.filter(is_waited_for).collect();
    if finished.is_empty() {
        return Ok((backlog, order));
    }
    for container in &finished {
        desk.complete(container, "everything in it is done")?;
    }
    desk.backlog()
}

/// Nobody works on these any more, and none of them is proven to be done; the ones that were closed and are open again.
pub fn put_down(desk: &mut dyn Desk, left: &[TaskId], since: Since) -> Result<Vec<TaskId>, DeskError> {
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let (backlog, _) = desk.backlog()?;
    let undoes = since.undoes(desk.circle());
    let mut taken_back = Vec::new();
    for task in left {
        match backlog.item(task).map(|item| item.status) {
            Some(Status::InProgress) => desk.show(task, Status::Open)?,
            Some(Status::Completed) if undoes => {
                desk.show(task, Status::Open)?;
                taken_back.push(task.clone());
            }
            Some(Status::Open | Status::Blocked | Status::Completed | Status::Cancelled) | None => {}
        }
    }
    Ok(taken_back)
}
