//! What a run's journal tells of its snapshots.

use ralph_core::event::{Entry, Event, Occasion};
use ralph_core::id::RunId;
use ralph_snapshot::SnapshotId;
use ralph_store::SqliteStore;

use crate::follow;
use crate::problem::{Problem, Problems};

/// The tree as it was at one moment of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) iteration: u32,
    pub(crate) occasion: Occasion,
    pub(crate) id: SnapshotId,
    /// What git's HEAD pointed at.
    pub(crate) head: Option<String>,
}

#[derive(Debug)]
pub(crate) struct History {
    pub(crate) run: RunId,
    pub(crate) kept: Vec<Kept>,
}

impl History {
    pub(crate) async fn read(store: &SqliteStore, run: &RunId) -> Result<History, Problems> {
        let journal = follow::journal(store, run).await?;
        Ok(History { run: run.clone(), kept: journal.into_iter().filter_map(kept).collect() })
    }

    /// Before the run.
    pub(crate) fn origin(&self) -> Result<&Kept, Problem> {
        self.kept.first().ok_or_else(|| self.nothing())
    }

    /// When an iteration began.
    pub(crate) fn begin(&self, iteration: u32) -> Result<&Kept, Problem> {
        let first =
            self.kept.iter().find(|kept| kept.iteration == iteration && kept.occasion == Occasion::Begin);
        first.filter(|_| iteration > 0).ok_or_else(|| self.no_iteration(iteration))
    }

    pub(crate) fn iterations(&self) -> u32 {
        self.kept.iter().map(|kept| kept.iteration).max().unwrap_or(0)
    }

    fn nothing(&self) -> Problem {
        Problem::new(format!("run {} has no snapshot", self.run)).next(
            "snapshots are taken before every attempt, unless `snapshots.enabled` is false or the state directory \
             lies inside the project",
        )
    }

    fn no_iteration(&self, iteration: u32) -> Problem {
        let run = &self.run;
        match self.iterations() {
            0 => self.nothing(),
            1 => Problem::new(format!("run {run} has iteration 1 only, not {iteration}")),
            last => Problem::new(format!("run {run} has iterations 1 to {last}, not {iteration}")),
        }
        .next(format!("`ralph logs {run}` tells what each of them did"))
    }
}

fn kept(entry: Entry) -> Option<Kept> {
    let Event::SnapshotTaken { iteration, occasion, snapshot, head, .. } = entry.event else { return None };
    let id = snapshot.parse().ok()?;
    Some(Kept { iteration, occasion, id, head })
}

/// As much of a snapshot's name as people need to tell it from others.
pub(crate) fn short(id: &SnapshotId) -> String {
    id.to_string().chars().take(12).collect()
}
