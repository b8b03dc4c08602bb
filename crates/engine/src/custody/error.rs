//! What can go wrong with custody, as opposed to with the agent in it.

use std::io;
use std::path::PathBuf;

use super::estate::ReapError;

#[derive(thiserror::Error, Debug)]
pub enum CustodyError {
    #[error("run id {0:?} cannot mark processes: only letters, digits, `-`, `_` and `.` can")]
    RunId(String),
    #[error("cannot start the guard {}", program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("the guard {} ended before it was ready", program.display())]
    NotReady { program: PathBuf },
    #[error("no job is under way in run {0}")]
    NoJob(String),
    /// Everything the guard held has been ended.
    #[error("the guard of run {0} was lost")]
    GuardLost(String),
    #[error(transparent)]
    Survivors(#[from] ReapError),
}

#[derive(thiserror::Error, Debug)]
pub enum SpawnError {
    #[error("cannot start {}", program.display())]
    Program { program: PathBuf, source: io::Error },
    #[error("cannot start {} in {}", program.display(), dir.display())]
    Directory { program: PathBuf, dir: PathBuf, source: io::Error },
    #[error("cannot prepare the start of {}", program.display())]
    Prepare { program: PathBuf, source: io::Error },
    #[error("a job is still under way in run {0}")]
    Busy(String),
    #[error(transparent)]
    Custody(#[from] CustodyError),
}
