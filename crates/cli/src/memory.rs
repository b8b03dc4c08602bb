//! The memories that a project's commands and runs work with, beside the project's own.

use std::path::Path;

use ralph_store::{SqliteStore, StoreError, global_dir};

use crate::problem::Problems;
use crate::project::store_problem;

/// What is known in all projects; none where nothing ever was promoted there.
pub(crate) fn global(state_dir: &Path) -> Result<Option<SqliteStore>, Problems> {
    match SqliteStore::open_existing(&global_dir(state_dir)) {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(store_problem(&error).into()),
    }
}
