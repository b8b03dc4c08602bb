//! What a command finds when it looks: the project's notes, and those for all projects.

use ralph_core::id::NoteId;
use ralph_core::note::{Note, Recorded, Status};
use ralph_memory::{Meaning, Shelf, Shelves, catch_up};
use ralph_store::{Notes, SqliteStore, StoreError, global_dir, settle};

use crate::problem::{Problem, Problems};
use crate::project::{Project, store_problem};
use crate::settings::Given;
use crate::vectors;

/// Looking makes nothing: where nothing was ever put down, there is none.
pub(super) struct Opened {
    pub(super) here: Project,
    project: Option<SqliteStore>,
    global: Option<SqliteStore>,
}

/// A note where it stands.
pub(super) struct Held<'a> {
    pub(super) shelf: Shelf,
    pub(super) store: &'a SqliteStore,
    /// Nothing, if it was forgotten.
    pub(super) note: Option<Note>,
    /// The oldest first.
    pub(super) history: Vec<Recorded>,
}

/// The memory of a project; made if need be.
pub(super) fn memory(project: &Project) -> Result<SqliteStore, Problems> {
    settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
    project.store()
}

/// The memory of all projects; made if need be.
pub(super) fn global_memory(here: &Project) -> Result<SqliteStore, Problems> {
    SqliteStore::open(&global_dir(&here.state_dir)).map_err(|error| store_problem(&error).into())
}

pub(super) fn opened() -> Result<Opened, Problems> {
    let here = Project::here(Given::default())?;
    let existing = |dir: &std::path::Path| match SqliteStore::open_existing(dir) {
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        other => other.map(Some).map_err(|error| store_problem(&error)),
    };
    let (project, global) = (existing(&here.place.state)?, existing(&global_dir(&here.state_dir))?);
    Ok(Opened { here, project, global })
}

impl Opened {
    pub(super) fn shelves(&self) -> Option<Shelves<'_, SqliteStore>> {
        match (&self.project, &self.global) {
            (Some(project), global) => Some(Shelves { project, global: global.as_ref() }),
            // Then there is one alone.
            (None, Some(global)) => Some(Shelves { project: global, global: None }),
            (None, None) => None,
        }
    }

    /// What a question means, where somebody says.
    pub(super) fn meaning(
        &self,
        shelves: &Shelves<'_, SqliteStore>,
        text: &str,
    ) -> Result<Option<Meaning>, Problems> {
        vectors::meaning(&self.here, self.project.as_ref(), shelves, text)
            .map_err(|error| store_problem(&error).into())
    }

    pub(super) fn project(&self) -> Option<&SqliteStore> {
        self.project.as_ref()
    }

    /// The project's first.
    pub(super) fn stores(&self) -> impl Iterator<Item = (Shelf, &SqliteStore)> {
        let project = self.project.iter().map(|store| (Shelf::Project, store));
        project.chain(self.global.iter().map(|store| (Shelf::Global, store)))
    }

    /// Wherever the note stands, or stood; never nowhere.
    pub(super) async fn held(&self, id: &NoteId) -> Result<Vec<Held<'_>>, Problems> {
        let mut all = Vec::new();
        for (shelf, store) in self.stores() {
            all.extend(held(shelf, store, id).await.map_err(|error| store_problem(&error))?);
        }
        if all.is_empty() {
            return Err(unknown(id).into());
        }
        Ok(all)
    }

    /// Where it stands now; a note that was forgotten or superseded is none to go on with.
    pub(super) async fn active(&self, id: &NoteId) -> Result<Vec<(Held<'_>, Note)>, Problems> {
        let mut active = Vec::new();
        for mut one in self.held(id).await? {
            match one.note.take() {
                None => {}
                Some(note) => match &note.status {
                    Status::Active => active.push((one, note)),
                    Status::Superseded { by, .. } => return Err(superseded(id, by).into()),
                },
            }
        }
        if active.is_empty() { Err(forgotten(id).into()) } else { Ok(active) }
    }
}

async fn held<'a>(shelf: Shelf, store: &'a SqliteStore, id: &NoteId) -> Result<Option<Held<'a>>, StoreError> {
    catch_up(store).await?;
    let history = store.memory_history(id).await?;
    if history.is_empty() {
        return Ok(None);
    }
    Ok(Some(Held { shelf, store, note: store.note(id).await?, history }))
}

pub(super) fn unknown(id: &NoteId) -> Problem {
    Problem::new(format!("there is no note {id}")).next("`ralph memory list` lists those that are there")
}

pub(super) fn superseded(id: &NoteId, by: &NoteId) -> Problem {
    let problem = Problem::new(format!("note {id} was superseded by {by}"));
    problem.next(format!("`ralph memory show {by}` shows what takes its place"))
}

pub(super) fn forgotten(id: &NoteId) -> Problem {
    Problem::new(format!("note {id} was forgotten"))
        .next("what it said is gone; put it down anew if it holds")
}
