//! What agents can look in: the notes of a project and of all projects, and the graph of its code.

use std::path::Path;
use std::sync::Arc;

use ralph_core::redact::Redactor;
use ralph_engine::Place;
use ralph_mcp::{Code, Library};
use ralph_memory::Measure;
use ralph_store::{SqliteStore, global_dir};

use crate::perform::redactor;
use crate::project::Project;
use crate::settings::{Given, excludes_file};
use crate::vectors;

pub(crate) fn library(
    place: &Place,
    state_dir: &Path,
    project: Option<Arc<SqliteStore>>,
    redactor: Redactor,
    measure: Option<Arc<dyn Measure>>,
    code: Option<Arc<Code>>,
) -> Library {
    let excludes_file = || excludes_file(&std::env::vars_os().collect(), &place.root);
    let code = code.unwrap_or_else(|| Arc::new(Code::of(place.root.clone(), place.graph(), excludes_file())));
    Library { project, global: global_dir(state_dir), root: place.root.clone(), code, redactor, measure }
}

/// Of the project here; none where its settings or its state cannot be read. What was kept of its code is used again.
pub(crate) fn here(code: Option<Arc<Code>>) -> Option<Library> {
    let project = Project::here(Given::default()).ok()?;
    let store = SqliteStore::open_existing(&project.place.state).ok().map(Arc::new);
    let measure =
        vectors::of_project(&project, store.as_deref()).unwrap_or_else(|problem| vectors::told(&problem));
    let common = project.place.common();
    let notes = if common == project.place.state {
        store
    } else {
        SqliteStore::open_existing(&common).ok().map(Arc::new)
    };
    Some(library(&project.place, &project.state_dir, notes, redactor(), measure, code))
}
