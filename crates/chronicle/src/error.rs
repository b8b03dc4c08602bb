//! Why something could not be read or written in the project, and what a person can do about it.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ChronicleError {
    #[error("cannot {action} {}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{} leads out of the project through a symlink", .path.display())]
    LeadsOut { path: PathBuf },
    #[error("{} is no file", .path.display())]
    NoFile { path: PathBuf },
    #[error("{} is not UTF-8 from byte {at} on", .path.display())]
    NotText { path: PathBuf, at: usize },
    #[error("{} has {size} bytes; it may have {most}", .path.display())]
    TooLarge { path: PathBuf, size: u64, most: u64 },
    #[error("{} is changed by another program again and again", .path.display())]
    Contended { path: PathBuf },
}

impl ChronicleError {
    /// What to do about it.
    pub fn next(&self) -> &'static str {
        match self {
            ChronicleError::Io { .. } => "look at its permissions and at the space that is left",
            ChronicleError::LeadsOut { .. } => "put a file or a directory of the project in its place",
            ChronicleError::NoFile { .. } => "move what is there out of the way",
            ChronicleError::NotText { .. } => "save it as UTF-8",
            ChronicleError::TooLarge { .. } => "move what is old in it to another file",
            ChronicleError::Contended { .. } => "find out who writes it",
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ChronicleError {
        let path = path.to_owned();
        move |source| ChronicleError::Io { action, path, source }
    }
}
