//! Why the store refused or could not do something, and what a person can do about it.

use std::path::PathBuf;
use std::time::Duration;

use ralph_core::id::RunId;
use ralph_core::stop::{RunState, StopReason};

use crate::task::TaskRefused;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("run {run} of this project is unfinished ({})", .state.name())]
    RunExists { run: RunId, state: RunState },
    #[error("run {run} has ended for good ({})", .reason.name())]
    RunFinished { run: RunId, reason: StopReason },
    #[error("no run {run}")]
    NoRun { run: String },
    #[error("`{prefix}` could be any of {}", list(.candidates))]
    AmbiguousRun { prefix: String, candidates: Vec<RunId> },
    #[error("run {run} is not this process's to write: {why}")]
    Fenced { run: RunId, why: Fence },
    #[error(transparent)]
    Task(#[from] TaskRefused),

    #[error("no database at {}", .path.display())]
    NoDatabase { path: PathBuf },
    #[error("another program has held {} locked for {waited:?}", .path.display())]
    Busy { path: PathBuf, waited: Duration },
    #[error("no space left to write {}", .path.display())]
    Full { path: PathBuf },
    #[error("{} cannot be written: it is read-only", .path.display())]
    ReadOnly { path: PathBuf },
    #[error("{} failed: {detail}", .path.display())]
    Io { path: PathBuf, detail: String },
    #[error("{} is damaged: {detail}", .path.display())]
    Corrupt { path: PathBuf, detail: String },
    #[error("{} was written by a newer ralph: it has version {found}, this one knows {known}", .path.display())]
    TooNew { path: PathBuf, found: i64, known: i64 },
    #[error("{} is not a database of ralph", .path.display())]
    NotRalph { path: PathBuf },
    #[error("migration {version} of {} was not the one that this ralph contains", .path.display())]
    MigrationChanged { path: PathBuf, version: i64 },
    #[error("SQLite {found} is too old: versions before 3.51.3 can corrupt a database")]
    OldSqlite { found: String },
    #[error("{} is closed", .path.display())]
    Closed { path: PathBuf },
}

/// Why a handle may not write a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fence {
    #[error("run {by} was started in its place")]
    Superseded { by: RunId },
    #[error("another process has taken it over, or this one never took it")]
    HeldElsewhere,
}

impl StoreError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            StoreError::RunExists { run, .. } => {
                format!("go on with it: `ralph resume {run}`; or leave it: `ralph run --new`")
            }
            StoreError::NoRun { .. } | StoreError::AmbiguousRun { .. } => {
                "`ralph status --list` lists them".to_owned()
            }
            StoreError::Fenced { run, .. } => format!("`ralph status {run}` shows where it stands"),
            StoreError::Task(refused) => refused.hint(),
            StoreError::Busy { .. } => "close the other program, then `ralph resume`".to_owned(),
            StoreError::Full { .. } => "free some space, then `ralph resume`".to_owned(),
            StoreError::ReadOnly { .. } => {
                "make its directory writable, or set XDG_STATE_HOME to one that is".to_owned()
            }
            StoreError::Io { .. } => "`ralph doctor` looks at the disk; then `ralph resume`".to_owned(),
            StoreError::Corrupt { path, .. } => format!(
                "nothing was overwritten: copy {0} and {0}-wal away first, then run `ralph doctor`",
                path.display()
            ),
            StoreError::TooNew { .. } => "install that version of ralph; nothing was changed".to_owned(),
            StoreError::NotRalph { path } | StoreError::MigrationChanged { path, .. } => {
                format!("nothing was changed; move {} away if it is not needed", path.display())
            }
            StoreError::OldSqlite { .. } => "build ralph with its bundled SQLite".to_owned(),
            StoreError::RunFinished { .. } | StoreError::NoDatabase { .. } => {
                "start one with `ralph run`".to_owned()
            }
            StoreError::Closed { .. } => return None,
        };
        Some(hint)
    }
}

fn list(candidates: &[RunId]) -> String {
    candidates.iter().map(RunId::as_str).collect::<Vec<_>>().join(", ")
}
