//! `.ralph/logs/`: a text file for every iteration, with what is known of it and what its agent printed.

mod head;
mod name;
mod sweep;
mod writer;

use std::path::{Path, PathBuf};

use ralph_core::id::{RunId, TaskId};
pub use writer::{IterationLog, Section};

use crate::LOGS;
use crate::beneath::{Directory, Missing};
use crate::error::ChronicleError;

/// How much room logs may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Of one section of a log, its beginning and its end.
    pub head: usize,
    pub tail: usize,
    /// Of all logs together; the oldest go first.
    pub logs: usize,
    pub bytes: u64,
}

impl Default for Room {
    fn default() -> Room {
        Room { head: 256 << 10, tail: 768 << 10, logs: 10_000, bytes: 512 << 20 }
    }
}

/// Which logs are wanted; what is not said is left open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub run: Option<RunId>,
    pub iteration: Option<u32>,
    pub task: Option<TaskId>,
}

/// The log of an iteration. They sort by age.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogFile {
    pub run: RunId,
    pub iteration: u32,
    pub task: TaskId,
    pub path: PathBuf,
}

impl Filter {
    fn takes(&self, log: &LogFile) -> bool {
        self.run.as_ref().is_none_or(|run| *run == log.run)
            && self.iteration.is_none_or(|iteration| iteration == log.iteration)
            && self.task.as_ref().is_none_or(|task| *task == log.task)
    }
}

/// The logs that are there, the oldest first. Whatever else lies in the directory is none.
pub(crate) fn list(root: &Path, filter: &Filter) -> Result<Vec<LogFile>, ChronicleError> {
    let Some(directory) = Directory::find(root, Path::new(LOGS), Missing::Leave)? else {
        return Ok(Vec::new());
    };
    let mut logs: Vec<LogFile> = names(&directory)?
        .iter()
        .filter_map(|name| name::parse(name, &directory.path))
        .filter(|log| filter.takes(log))
        .collect();
    logs.sort();
    Ok(logs)
}

fn names(directory: &Directory) -> Result<Vec<String>, ChronicleError> {
    let error = || ChronicleError::io("list", &directory.path);
    let entries = rustix::fs::Dir::read_from(&directory.fd).map_err(|errno| error()(errno.into()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|errno| error()(errno.into()))?;
        names.extend(entry.file_name().to_str().ok().map(str::to_owned));
    }
    Ok(names)
}
