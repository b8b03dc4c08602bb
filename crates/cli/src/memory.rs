//! The memories that a project's commands and runs work with, beside the project's own.

use std::path::Path;

use ralph_store::{SqliteStore, StoreError, global_dir};

use crate::project::store_problem;

/// What is known in all projects; none where nothing ever was promoted there. Nothing waits for it to be mended.
pub(crate) fn global(state_dir: &Path) -> Option<SqliteStore> {
    match SqliteStore::open_existing(&global_dir(state_dir)) {
        Ok(store) => Some(store),
        Err(StoreError::NoDatabase { .. }) => None,
        Err(error) => {
            eprintln!("ralph: what is known in all projects cannot be used: {}", store_problem(&error).what);
            None
        }
    }
}
