//! What agents can look in: the notes of a project and of all projects, and the graph of its code.

use std::path::Path;
use std::sync::Arc;

use ralph_core::redact::Redactor;
use ralph_engine::Place;
use ralph_mcp::Library;
use ralph_store::{SqliteStore, global_dir};

use crate::perform::redactor;
use crate::project::Project;
use crate::settings::{Given, excludes_file};

pub(crate) fn library(
    place: &Place,
    state_dir: &Path,
    project: Option<Arc<SqliteStore>>,
    redactor: Redactor,
) -> Library {
    Library {
        project,
        global: global_dir(state_dir),
        root: place.root.clone(),
        graph: place.state.join("graph"),
        excludes_file: excludes_file(&std::env::vars_os().collect(), &place.root),
        redactor,
    }
}

/// Of the project here; none where its settings or its state cannot be read.
pub(crate) fn here() -> Option<Library> {
    let project = Project::here(Given::default()).ok()?;
    let store = SqliteStore::open_existing(&project.place.state).ok().map(Arc::new);
    Some(library(&project.place, &project.state_dir, store, redactor()))
}
