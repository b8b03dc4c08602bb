//! The snapshots of a run: what its journal says was kept, and when.

use ralph_core::Timestamp;
use ralph_core::event::{Entry, Event, Occasion};
use ralph_core::id::RunId;
use ralph_core::put_back::Why;
use ralph_snapshot::SnapshotId;
use ralph_store::SqliteStore;

use crate::follow;
use crate::pointed::{self, Span};
use crate::problem::{Problem, Problems};

/// A snapshot that a run took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) at: Timestamp,
    pub(crate) iteration: u32,
    pub(crate) attempt: u32,
    pub(crate) occasion: Occasion,
    pub(crate) id: SnapshotId,
    pub(crate) uncovered: u64,
    /// What git's HEAD pointed at.
    pub(crate) head: Option<String>,
    pub(crate) left_out: Vec<String>,
    pub(crate) stored: u64,
    /// The tree was put back right after, so that this undoes it.
    pub(crate) put_back: Option<Why>,
}

/// Where a comparison begins or ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Kept(Taken),
    /// The tree as it is.
    Now,
}

#[derive(Debug)]
pub(crate) struct History {
    pub(crate) run: RunId,
    pub(crate) taken: Vec<Taken>,
    /// Whether nothing will be added any more.
    is_over: bool,
}

impl History {
    pub(crate) async fn read(store: &SqliteStore, run: &RunId) -> Result<History, Problems> {
        Ok(History::of(run.clone(), &follow::journal(store, run).await?))
    }

    pub(crate) fn of(run: RunId, journal: &[Entry]) -> History {
        let taken = journal.iter().filter_map(|entry| match &entry.event {
            Event::SnapshotTaken {
                iteration,
                attempt,
                occasion,
                snapshot,
                uncovered,
                left_out,
                stored,
                head,
            } => Some(Taken {
                at: entry.at,
                iteration: *iteration,
                attempt: *attempt,
                occasion: *occasion,
                id: snapshot.parse().ok()?,
                uncovered: *uncovered,
                left_out: left_out.clone(),
                stored: *stored,
                head: head.clone(),
                put_back: None,
            }),
            Event::RolledBack { undo, why, head, .. } => Some(Taken {
                at: entry.at,
                iteration: 0,
                attempt: 0,
                occasion: Occasion::Begin,
                id: undo.parse().ok()?,
                uncovered: 0,
                left_out: Vec::new(),
                stored: 0,
                head: head.clone(),
                put_back: Some(*why),
            }),
            _ => None,
        });
        // What people do to the tree afterwards is journalled as well.
        let is_over = journal.iter().rev().find_map(|entry| match &entry.event {
            Event::RunStopped { .. } => Some(true),
            Event::RunResumed {} => Some(false),
            _ => None,
        });
        let is_over = is_over.unwrap_or(false);
        History { run, taken: taken.collect(), is_over }
    }

    /// Before the run; a fork has put the tree back before its first own snapshot.
    pub(crate) fn origin(&self) -> Result<&Taken, Problem> {
        let is_first = |taken: &&Taken| matches!(taken.put_back, None | Some(Why::Forked));
        self.taken.iter().find(is_first).ok_or_else(|| self.nothing_kept())
    }

    /// Those that the run took of its own work.
    fn own(&self) -> impl DoubleEndedIterator<Item = &Taken> {
        self.taken.iter().filter(|taken| taken.put_back.is_none())
    }

    /// When an iteration began.
    pub(crate) fn begin(&self, iteration: u32) -> Result<&Taken, Problem> {
        let begun = |taken: &&Taken| {
            taken.iteration == iteration && taken.occasion == Occasion::Begin && iteration > 0
        };
        self.taken.iter().find(begun).ok_or_else(|| self.no_such(iteration))
    }

    /// From before the first iteration of a span to after its last.
    pub(crate) fn ends(&self, span: Span) -> Result<(Taken, End), Problems> {
        let beginning = self.own().next().ok_or_else(|| self.nothing_kept())?;
        let from = match span.first {
            None | Some(0) => beginning.clone(),
            Some(number) => self.first_of(number)?.clone(),
        };
        if let Some((first, last)) = span.first.zip(span.last).filter(|(first, last)| first > last) {
            return Err(Problem::new(format!("iteration {first} comes after iteration {last}"))
                .next(format!("the other way round: {last}..{first}"))
                .into());
        }
        let to = match span.last {
            Some(number) => self.after(number)?,
            None => self.end(),
        };
        Ok((from, to))
    }

    /// What the run left, where that was kept; the tree as it is while the run is not over.
    fn end(&self) -> End {
        let last = self.own().next_back().filter(|last| self.is_over && last.occasion == Occasion::End);
        last.map_or(End::Now, |last| End::Kept(last.clone()))
    }

    fn first_of(&self, iteration: u32) -> Result<&Taken, Problems> {
        let found = self.taken.iter().find(|taken| taken.iteration == iteration);
        Ok(found.filter(|_| iteration > 0).ok_or_else(|| self.no_such(iteration))?)
    }

    /// An iteration whose last attempt came to no end reaches to the beginning of the next.
    fn after(&self, iteration: u32) -> Result<End, Problems> {
        self.first_of(iteration)?;
        let ended = |taken: &&Taken| taken.iteration == iteration && taken.occasion == Occasion::End;
        let next = self.taken.iter().find(|taken| taken.iteration > iteration);
        let kept = self.taken.iter().rev().find(ended).or(next);
        Ok(kept.map_or(End::Now, |kept| End::Kept(kept.clone())))
    }

    fn no_such(&self, iteration: u32) -> Problem {
        let numbers = || self.taken.iter().map(|taken| taken.iteration).filter(|number| *number > 0);
        let known = pointed::known(numbers().min().zip(numbers().max()).map(|(first, last)| first..=last));
        Problem::new(format!("run {} has no snapshot of an iteration {iteration}", self.run)).next(known)
    }

    pub(crate) fn nothing_kept(&self) -> Problem {
        Problem::new(format!("run {} has no snapshots", self.run))
            .next("none was taken yet, or its state lies inside the project, where nothing can be kept: `ralph status`")
            .exit(4)
    }
}

/// As much of a snapshot's name as people need to tell it from others.
pub(crate) fn short(id: &impl std::fmt::Display) -> String {
    id.to_string().chars().take(8).collect()
}
