//! What can go wrong with stored output, always with the path it went wrong on.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
pub enum OutputError {
    #[error("could not {doing} {}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} already holds a recording", path.display())]
    Taken { path: PathBuf },
    #[error("{} is not a segment of recorded output: {what}", path.display())]
    NotASegment { path: PathBuf, what: &'static str },
}

impl OutputError {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
        move |source| OutputError::Io { doing, path: path.to_owned(), source }
    }
}
