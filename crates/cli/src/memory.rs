//! The memories that a project's commands and runs work with, beside the project's own.

use std::path::Path;

use ralph_engine::Place;
use ralph_store::{SqliteStore, StoreError, global_dir};

use crate::problem::Problem;
use crate::project::store_problem;

/// The store of the project's notes where that is not the tree's own: a work tree that ralph made has those of the
/// project that it was made from.
pub(crate) fn apart(place: &Place) -> Result<Option<SqliteStore>, Problem> {
    let common = place.common();
    if common == place.state {
        return Ok(None);
    }
    SqliteStore::open(&common).map(Some).map_err(|error| store_problem(&error))
}

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
