//! Where a backlog is kept: it is asked what is to be done, and told what becomes of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ralph_core::agenda::{self, Selection};
use ralph_core::attempt::Attempt;
use ralph_core::backlog::{Backlog, Order, Status};
use ralph_core::event::Event;
use ralph_core::id::TaskId;
use ralph_core::stop::StopReason;
use ralph_core::verdict::Verdict;
use ralph_store::Store;

use crate::drive::Drive;
use crate::error::EngineError;
use crate::settle::Settled;

/// How often a tracker is tried before it is taken for broken: another program may be in the middle of writing it.
const TRIES: usize = 4;
const BETWEEN: Duration = Duration::from_millis(500);

/// A tracker, as a run needs it. Its calls block.
pub trait Desk: Send + std::fmt::Debug {
    /// Everything that is there now, and what counts first.
    fn backlog(&mut self) -> Result<(Backlog, Order), DeskError>;
    /// Shows what becomes of a task, as far as the tracker's format can say it.
    fn show(&mut self, task: &TaskId, status: Status) -> Result<(), DeskError>;
    fn complete(&mut self, task: &TaskId, reason: &str) -> Result<(), DeskError>;
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
        match self.at_desk(in_order).await? {
            Ok((backlog, order)) => {
                let selection = agenda::select(&self.run, &agenda, &backlog, order);
                self.run.saw(&backlog);
                Ok(Some(self.without_secrets(selection)))
            }
            Err(error) => {
                let evidence = self.parts.redactor.text(&error.to_string()).into_owned();
                self.run.fail(StopReason::Configuration, &evidence, self.now());
                Ok(None)
            }
        }
    }

    /// What comes in here is journalled and shown.
    fn without_secrets(&self, selection: Selection) -> Selection {
        let clean = |text: &str| self.parts.redactor.text(text).into_owned();
        match selection {
            Selection::Task { mut task, why } => {
                (task.title, task.body) = (clean(&task.title), clean(&task.body));
                task.labels = task.labels.iter().map(|label| clean(label)).collect();
                Selection::Task { task, why: clean(&why) }
            }
            Selection::Nothing(undone) => Selection::Nothing(undone),
        }
    }

    /// The tracker shows what is worked on, once that is journalled. One that cannot be written to is no reason to stop
    /// working.
    pub(crate) async fn show_at_hand(&mut self) -> Result<(), EngineError> {
        let Some((before, now)) = self.run.to_show() else { return Ok(()) };
        let (before, now) = (before.cloned(), now.cloned());
        let wanted = now.clone();
        let told = self.at_desk(move |desk| {
            if let Some(task) = &before {
                reopen(desk, task)?;
            }
            now.as_ref().map_or(Ok(()), |task| desk.show(task, Status::InProgress))
        });
        if let Err(error) = told.await? {
            let text = format!("the tracker could not be told what is worked on: {error}");
            let text = self.parts.redactor.text(&text).into_owned();
            self.run.note(self.now().at, Event::Notice { text });
        }
        self.run.tracker_shows(wanted);
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
        self.at_desk(move |desk| desk.complete(&task, &reason)).await??;
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

    /// A task that was closed before its time is open again.
    pub(crate) async fn take_back(&mut self, task: &TaskId) -> Result<(), EngineError> {
        let text =
            format!("{task} was closed in the tracker while the agent worked on it; that is taken back");
        let id = task.clone();
        match self.at_desk(move |desk| desk.show(&id, Status::Open)).await? {
            Ok(()) => self.run.note(self.now().at, Event::Notice { text }),
            Err(error) => {
                let text = format!("{text}, but it could not be written: {error}");
                self.run.note(self.now().at, Event::Notice { text });
            }
        }
        self.run.tracker_shows(None);
        Ok(())
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

/// Nobody works on it any more; what somebody else has made of it stays.
fn reopen(desk: &mut dyn Desk, task: &TaskId) -> Result<(), DeskError> {
    let (backlog, _) = desk.backlog()?;
    match backlog.item(task) {
        Some(item) if item.status == Status::InProgress => desk.show(task, Status::Open),
        Some(_) | None => Ok(()),
    }
}
