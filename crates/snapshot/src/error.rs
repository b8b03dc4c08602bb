//! What can keep a vault from doing what it was asked.

use std::io;
use std::path::{Path, PathBuf};

use crate::digest::{Digest, SnapshotId};
use crate::exclusions::NotBeneath;

#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("cannot {what} {path:?}: {source}", path = path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "the snapshots at {vault:?} would lie inside the tree {root:?} that they are of; set `state_dir` to a place outside it",
        vault = vault.display(), root = root.display()
    )]
    Inside { vault: PathBuf, root: PathBuf },
    #[error("the snapshots at {vault:?} have been in use by another process for {seconds} s; try again when it is done", vault = vault.display())]
    Busy { vault: PathBuf, seconds: u64 },
    #[error("the work in the snapshots at {vault:?} was given up because the program is to end", vault = vault.display())]
    GivenUp { vault: PathBuf },
    #[error("no snapshot {id} in {vault:?}; it may have expired", vault = vault.display())]
    Unknown { id: SnapshotId, vault: PathBuf },
    #[error(
        "the snapshots at {vault:?} are damaged: {what}; take a new snapshot, and restore the others path by path",
        vault = vault.display()
    )]
    Damaged { vault: PathBuf, what: String },
    #[error(transparent)]
    NotBeneath(#[from] NotBeneath),
    #[error(
        "the tree holds more than {limit} bytes that are not in a snapshot yet ({files} files so far); add what is large and can be made again to .gitignore"
    )]
    TooLarge { limit: u64, files: u64 },
}

impl SnapshotError {
    pub(crate) fn io(what: &'static str, path: impl AsRef<Path>, source: impl Into<io::Error>) -> Self {
        SnapshotError::Io { what, path: path.as_ref().to_owned(), source: source.into() }
    }

    pub(crate) fn missing(vault: &Path, digest: Digest) -> Self {
        SnapshotError::Damaged { vault: vault.to_owned(), what: format!("content {digest} is missing") }
    }
}

/// Says what was attempted and where.
pub(crate) trait Attempt<T> {
    fn attempt(self, what: &'static str, path: impl AsRef<Path>) -> Result<T, SnapshotError>;
}

impl<T, E: Into<io::Error>> Attempt<T> for Result<T, E> {
    fn attempt(self, what: &'static str, path: impl AsRef<Path>) -> Result<T, SnapshotError> {
        self.map_err(|source| SnapshotError::io(what, path, source))
    }
}
