//! What a run over a backlog leaves in the project for people. Nothing here ends a run: what goes wrong is a notice.

mod commit;
mod iteration;
mod printed;

use std::collections::BTreeSet;
use std::path::PathBuf;

use ralph_chronicle::{Chronicle, ChronicleError, Iteration, Recorded, Room, Section, stated};
use ralph_core::attempt::Attempt;
use ralph_core::backlog::Item;
use ralph_core::event::{Event, Stream};
use ralph_core::id::TaskId;
use ralph_core::run::Run;
use ralph_core::verdict::Verdict;
use ralph_store::Store;

use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::{EngineError, chain};
use crate::place::Place;
use crate::settle::Settled;
use printed::Printed;

/// What the chronicle of a run needs beside the run.
#[derive(Debug, Default)]
pub struct Chronicling {
    /// What in the tree is ralph's own or the tracker's, from the root: never committed.
    pub own: Vec<PathBuf>,
    /// What commits say; none where none are made.
    pub messages: Option<Box<dyn Messages>>,
}

/// The message of a commit for a task.
pub trait Messages: Send + std::fmt::Debug {
    fn message(&mut self, told: &Told<'_>) -> Result<String, String>;
}

/// What a message may tell of.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    pub run: &'a Run,
    pub attempt: &'a Attempt,
    /// The task as its tracker has it, if it still does.
    pub item: Option<&'a Item>,
    /// What the task belongs to.
    pub epic: Option<&'a Item>,
}

/// What is remembered between two iterations, for as long as the process lives.
#[derive(Debug, Default)]
pub(crate) struct Diary {
    /// The last line of the journal that was read.
    read: u64,
    /// The last iteration that was told of.
    iteration: u32,
    /// What a person was told already.
    told: BTreeSet<String>,
    /// By which the last task was committed.
    pub(crate) commit: Option<String>,
}

impl Diary {
    /// What this process finds decided was told by the one before.
    pub(crate) fn of(run: &Run) -> Diary {
        let undecided = u32::from(run.mid_iteration);
        Diary { iteration: run.tally.iterations.saturating_sub(undecided), ..Diary::default() }
    }
}

/// The task as its tracker has it, and what it belongs to.
#[derive(Debug, Default)]
struct Entered {
    item: Option<Item>,
    epic: Option<Item>,
}

impl<S: Store + 'static> Drive<S> {
    pub(crate) async fn begin_chronicle(&mut self) -> Result<(), EngineError> {
        if !self.run.has_backlog() || self.run.stop().is_some() {
            return Ok(());
        }
        let chronicle = Chronicle::of(&self.parts.place.root);
        if let Err(error) = self.beside(move || chronicle.ignore()).await? {
            self.tell_once(&trouble("git is not told to ignore progress and logs", &error));
        }
        self.survey().await
    }

    /// An iteration is decided: its commit, then its entry and its log, which tell of the commit.
    pub(crate) async fn chronicle(
        &mut self,
        attempt: &Attempt,
        verdict: &Verdict,
    ) -> Result<Settled, EngineError> {
        if !self.run.has_backlog() {
            return Ok(Settled::Stands);
        }
        // What was decided is durable before this takes its time.
        if self.commit().await? == Settled::Rewound {
            return Ok(Settled::Rewound);
        }
        let entered = self.entered(&attempt.task).await?;
        let mut iteration = self.gather_iteration(Some(verdict)).await?;
        iteration.epic = self.epic(&entered);
        if verdict.is_complete() && iteration.commit.is_none() {
            match self.commit_task(attempt, &entered).await? {
                Ok(commit) => iteration.commit = commit,
                Err(_) => {
                    let (attempt, verdict) = (attempt.clone(), verdict.clone());
                    self.run.leave_unsettled(attempt, verdict, "was being committed", self.now());
                    return Ok(Settled::Rewound);
                }
            }
            crash_point("chronicle.committed");
        }
        self.diary.iteration = attempt.iteration;
        self.diary.commit.clone_from(&iteration.commit);
        self.write_down(iteration).await?;
        crash_point("chronicle.after");
        Ok(Settled::Stands)
    }

    /// An iteration that ended before anything was judged, its agent having failed or a person having skipped its task,
    /// is told as well.
    pub(crate) async fn chronicle_given_up(&mut self) -> Result<(), EngineError> {
        let last = self.run.tally.iterations;
        if !self.run.has_backlog() || self.run.mid_iteration || self.diary.iteration >= last {
            return Ok(());
        }
        self.diary.iteration = last;
        let entered = self.entered(&self.run.task.id.clone()).await?;
        let mut iteration = self.gather_iteration(None).await?;
        iteration.epic = self.epic(&entered);
        self.write_down(iteration).await
    }

    fn epic(&self, entered: &Entered) -> Option<String> {
        entered.epic.as_ref().map(|epic| self.parts.redactor.text(&epic.title).into_owned())
    }

    /// A tracker that cannot be read just now is no trouble here: the next selection tells of it.
    async fn entered(&self, task: &TaskId) -> Result<Entered, EngineError> {
        let task = task.clone();
        let found = self.at_desk(move |desk| {
            let (backlog, _) = desk.backlog()?;
            let item = backlog.item(&task).cloned();
            let epic = item.as_ref().and_then(|item| backlog.item(item.parent.as_ref()?)).cloned();
            Ok(Entered { item, epic })
        });
        Ok(found.await?.unwrap_or_default())
    }

    async fn write_down(&mut self, iteration: Iteration) -> Result<(), EngineError> {
        let (place, chronicle) = (self.parts.place.clone(), Chronicle::of(&self.parts.place.root));
        let (recorded, logged) = self
            .beside(move || {
                let recorded = chronicle.record(&iteration, &stated(&iteration.said));
                (recorded, log(&chronicle, &place, &iteration))
            })
            .await?;
        match recorded {
            Ok(Recorded { left_out: 0, .. }) => {}
            Ok(Recorded { left_out, .. }) => self.tell_once(&format!(
                "{left_out} patterns were left out: the section in .ralph/progress.md is full; look through it"
            )),
            Err(error) => self.tell_once(&trouble("the iteration is not in progress.md", &error)),
        }
        if let Err(error) = logged {
            self.tell_once(&trouble("the iteration has no log", &error));
        }
        Ok(())
    }

    /// The same trouble in every iteration is told in the first.
    pub(crate) fn tell_once(&mut self, text: &str) {
        let text = self.parts.redactor.text(text).into_owned();
        if self.diary.told.insert(text.clone()) {
            self.run.note(self.now().at, Event::Notice { text });
        }
    }
}

fn trouble(what: &str, error: &ChronicleError) -> String {
    format!("{what}: {}; {}", chain(error), error.next())
}

fn log(chronicle: &Chronicle, place: &Place, iteration: &Iteration) -> Result<(), ChronicleError> {
    let mut log = chronicle.log(iteration, Room::default())?;
    for attempt in 1..=iteration.attempts {
        let output = place.output(&iteration.run, iteration.number, attempt);
        log.section(Section::Output { attempt }, Printed::open(&output, Stream::Out))?;
        let mut stderr = Printed::open(&output, Stream::Err);
        if stderr.has_any() {
            log.section(Section::Stderr { attempt }, stderr)?;
        }
    }
    log.finish().map(|_| ())
}
