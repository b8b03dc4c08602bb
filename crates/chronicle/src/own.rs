//! What in the project is ralph's: outside of snapshots, dirty checks and commits.

use std::path::{Path, PathBuf};

use ralph_core::backlog::TEMPORARY;

/// What was done, for people and for the next brief.
pub const PROGRESS: &str = ".ralph/progress.md";

/// A text file for each iteration.
pub const LOGS: &str = ".ralph/logs";

pub const IGNORE: &str = ".ralph/.gitignore";

/// What a run writes into the tree for people, from the project's root: neither kept in snapshots nor put back.
pub const OWN: [&str; 2] = [PROGRESS, LOGS];

/// Whether a path is ralph's own, given from the root; `more` names what else is, such as the tracker's file.
pub(crate) fn is_own(path: &Path, more: &[PathBuf]) -> bool {
    let known = OWN.iter().copied().chain([IGNORE]).map(Path::new);
    let more = more.iter().map(PathBuf::as_path).filter(|own| !own.as_os_str().is_empty());
    known.chain(more).any(|own| path.starts_with(own)) || is_temporary(path)
}

/// What a crash left of the writing of a backlog.
fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes()))
}
