//! Which tree another one was made from: for work trees that ralph makes, beside their own state.

use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::sqlite::io;

const FILE: &str = "origin.json";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The root of the project that was asked for.
    pub root: PathBuf,
    /// Where that project's notes and own tasks are kept.
    pub common: PathBuf,
    /// The top of the work tree that was made.
    pub directory: PathBuf,
    pub branch: String,
    /// What was checked out.
    pub commit: String,
}

impl Origin {
    /// Of the tree with this state; none where ralph did not make it.
    pub fn of(state: &Path) -> Option<Origin> {
        serde_json::from_slice(&std::fs::read(state.join(FILE)).ok()?).ok()
    }

    pub fn write(&self, state: &Path) -> Result<(), StoreError> {
        let file = state.join(FILE);
        let text = serde_json::to_vec(self).map_err(|error| io(&file, &error.into()))?;
        let written = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(state).and_then(|()| {
            let mut options = std::fs::OpenOptions::new();
            let mut out = options.write(true).create(true).truncate(true).mode(0o600).open(&file)?;
            std::io::Write::write_all(&mut out, &text)
        });
        written.map_err(|error| io(&file, &error))
    }
}
