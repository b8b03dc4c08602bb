//! Reads a run's journal and the output of its attempts, from the beginning or as they come.

use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::account::Account;
use ralph_core::event::{Entry, Event, Line};
use ralph_core::id::RunId;
use ralph_core::run::Run;
use ralph_core::view::RunView;
use ralph_engine::Place;
use ralph_engine::lock;
use ralph_store::{SqliteStore, Store};

use crate::printed::{Ears, Printed};
use crate::problem::{Problem, Problems};
use crate::project::store_problem;

/// How many journal lines are read at a time.
const PAGE: usize = 1_000;
/// How often a followed run is looked at.
const LOOK: Duration = Duration::from_millis(150);

/// The whole journal of a run.
pub(crate) async fn journal(store: &SqliteStore, id: &RunId) -> Result<Vec<Entry>, Problems> {
    let mut journal: Vec<Entry> = Vec::new();
    loop {
        let after = journal.last().map_or(0, |entry| entry.seq);
        let page = store.entries(id, after, PAGE).await.map_err(|error| store_problem(&error))?;
        if page.is_empty() {
            return Ok(journal);
        }
        journal.extend(page);
    }
}

/// The run and what a person sees of it.
pub(crate) async fn view(store: &SqliteStore, id: &RunId) -> Result<(Run, RunView, Account), Problems> {
    let run = store.run(id).await.map_err(|error| store_problem(&error))?;
    let journal = journal(store, id).await?;
    match (run, RunView::of(&journal), Account::of(&journal)) {
        (Some(run), Some(view), Some(account)) => Ok((run, view, account)),
        _ => Err(no_journal(id).into()),
    }
}

/// What a run's iterations were decided from.
pub(crate) async fn account(store: &SqliteStore, id: &RunId) -> Result<Account, Problems> {
    Ok(Account::of(&journal(store, id).await?).ok_or_else(|| no_journal(id))?)
}

fn no_journal(id: &RunId) -> Problem {
    Problem::new(format!("run {id} has no journal")).exit(1)
}

/// How what agents printed is read.
pub(crate) enum Reading {
    /// As the bytes that were printed.
    Bytes,
    /// As text, whoever printed it.
    Text,
    /// As text, and as what it says where the agent speaks a language of its own.
    Words { ears: Ears, stderr: bool },
}

/// What a walk comes upon.
pub(crate) enum Found<'a> {
    Line(Box<Line>),
    Bytes { iteration: u32, at: Timestamp, bytes: &'a [u8] },
}

/// Walks through a run: every journal line, and with each attempt what it printed.
pub(crate) struct Walk<'a> {
    store: &'a SqliteStore,
    place: &'a Place,
    id: RunId,
    reading: Reading,
    seq: u64,
    /// Whether the run had stopped at the last line.
    stopped: bool,
    attempt: Option<Printed>,
}

/// How far a run could be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Followed {
    ToItsEnd,
    ToACrash,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(store: &'a SqliteStore, place: &'a Place, id: RunId, reading: Reading) -> Walk<'a> {
        Walk { store, place, id, reading, seq: 0, stopped: false, attempt: None }
    }

    /// Hands on everything there is now. True once the run has stopped and all of it was handed on.
    pub(crate) async fn advance(&mut self, take: &mut impl FnMut(Found<'_>)) -> Result<bool, Problems> {
        loop {
            let page =
                self.store.entries(&self.id, self.seq, PAGE).await.map_err(|error| store_problem(&error))?;
            if page.is_empty() {
                self.print_new(take)?;
                return Ok(self.stopped);
            }
            for entry in page {
                self.seq = entry.seq;
                self.take(entry, take)?;
            }
        }
    }

    /// Hands on everything as it comes, until the run stops or nobody drives it any more.
    pub(crate) async fn follow(&mut self, take: &mut impl FnMut(Found<'_>)) -> Result<Followed, Problems> {
        loop {
            let driven = lock::owner(&self.place.owner_file()).is_some_and(|owner| owner.run == self.id);
            if self.advance(take).await? {
                return Ok(Followed::ToItsEnd);
            }
            if !driven && !self.lives_in_a_session().await? {
                return Ok(Followed::ToACrash);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// A loop there goes on with the events of its host, and has no process of its own.
    async fn lives_in_a_session(&self) -> Result<bool, Problems> {
        let run = self.store.run(&self.id).await.map_err(|error| store_problem(&error))?;
        Ok(run.is_some_and(|run| run.in_session.is_some() && run.stop().is_none()))
    }

    fn take(&mut self, entry: Entry, take: &mut impl FnMut(Found<'_>)) -> Result<(), Problems> {
        match &entry.event {
            Event::RunStopped { .. } => self.stopped = true,
            Event::RunResumed {} => self.stopped = false,
            Event::AttemptStarted { iteration, attempt, agent, .. } => {
                let printed = self.place.output(&self.id, *iteration, *attempt);
                self.attempt =
                    Some(Printed::open(&printed, (*iteration, *attempt), agent, entry.at, &self.reading));
            }
            Event::AttemptEnded { .. } => {
                self.print_new(take)?;
                if let Some(note) = self.attempt.take().and_then(|printed| printed.close(self.seq)) {
                    take(Found::Line(Box::new(note)));
                }
            }
            _ => {}
        }
        take(Found::Line(Box::new(Line::Journal(entry))));
        Ok(())
    }

    fn print_new(&mut self, take: &mut impl FnMut(Found<'_>)) -> Result<(), Problems> {
        let Some(printed) = &mut self.attempt else { return Ok(()) };
        while printed
            .next(self.seq, take)
            .map_err(|error| Problem::new(ralph_engine::chain(&error)).exit(1))?
        {}
        Ok(())
    }
}
