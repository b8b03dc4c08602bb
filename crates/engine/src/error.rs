//! What can go wrong with ralph itself while it drives a run.

use std::io;
use std::path::PathBuf;

use ralph_core::stop::StopReason;
use ralph_snapshot::SnapshotError;
use ralph_store::StoreError;

use crate::custody::CustodyError;
use crate::output::OutputError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Custody(#[from] CustodyError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error("it was ended by a second signal while the tree was being kept or put back")]
    CutOff,
    #[error("there are no snapshots, so nothing can be put back")]
    NoSnapshots,
    #[error("the tracker cannot be used")]
    Desk(#[from] crate::desk::DeskError),
    #[error("the run goes through a backlog, and nobody said where that is")]
    NoTracker,
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot hand the lock of the tree to a guard")]
    ShareLock { source: io::Error },
    #[error("cannot make a pipe")]
    Pipe { source: io::Error },
    #[error("the state directory {} was removed while the run was on", path.display())]
    StateVanished { path: PathBuf },
    #[error("the state directory {} was removed while the run was on; {}", path.display(), told(rescued))]
    StateLost { path: PathBuf, rescued: Option<PathBuf> },
}

impl EngineError {
    /// Whether a signal was heard while a vault was at work.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self, EngineError::Snapshot(SnapshotError::GivenUp { .. }))
    }

    /// What the run stopped for, where that can be said in its journal.
    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        match self {
            EngineError::CutOff | EngineError::Snapshot(SnapshotError::GivenUp { .. }) => {
                Some(StopReason::Aborted)
            }
            EngineError::Output(_) | EngineError::Snapshot(_) | EngineError::Write { .. } => {
                Some(StopReason::Disk)
            }
            EngineError::Store(
                StoreError::Full { .. } | StoreError::ReadOnly { .. } | StoreError::Io { .. },
            ) => Some(StopReason::Disk),
            EngineError::Store(StoreError::Busy { .. } | StoreError::Corrupt { .. }) => {
                Some(StopReason::Database)
            }
            EngineError::Store(_)
            | EngineError::NoSnapshots
            | EngineError::Desk(_)
            | EngineError::NoTracker
            | EngineError::Custody(_)
            | EngineError::ShareLock { .. }
            | EngineError::Pipe { .. }
            | EngineError::StateVanished { .. }
            | EngineError::StateLost { .. } => None,
        }
    }
}

fn told(rescued: &Option<PathBuf>) -> String {
    match rescued {
        Some(path) => format!("what was in memory is in {}", path.display()),
        None => "what was in memory could not be written anywhere".to_owned(),
    }
}

/// An error with its causes on one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
