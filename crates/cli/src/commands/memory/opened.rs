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

/// Notes that are read at a time.
const PAGE: usize = 1_000;

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
    project.common_store()
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
    let (project, global) = (existing(&here.place.common())?, existing(&global_dir(&here.state_dir))?);
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
        // Whether a project may name who says so is kept with the tree.
        let state = &self.here.place.state;
        let own =
            if self.here.place.common() == *state { None } else { SqliteStore::open_existing(state).ok() };
        vectors::meaning(&self.here, own.as_ref().or(self.project.as_ref()), shelves, text)
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
                    Status::Superseded { by, .. } => return Err(self.gave_way(&note, by).await?.into()),
                },
            }
        }
        if active.is_empty() { Err(forgotten(id).into()) } else { Ok(active) }
    }

    /// The same, with a note whose successor was forgotten: nothing says any more what takes its place.
    pub(super) async fn standing(&self, id: &NoteId) -> Result<Vec<(Held<'_>, Note)>, Problems> {
        let mut stranded = Vec::new();
        for mut one in self.held(id).await? {
            match one.note.take() {
                Some(note) if self.is_stranded(&note).await? => stranded.push((one, note)),
                Some(_) | None => {}
            }
        }
        if stranded.is_empty() { self.active(id).await } else { Ok(stranded) }
    }

    /// Notes whose place was taken by one of these, and by none that is left.
    pub(super) async fn stranded_by(&self, gone: &[NoteId]) -> Result<Vec<NoteId>, Problems> {
        let mut found = Vec::new();
        for (_, store) in self.stores() {
            let mut before = None;
            loop {
                let page = store.newest_notes(before, PAGE).await.map_err(|error| store_problem(&error))?;
                let Some((last, _)) = page.last() else { break };
                before = Some(*last);
                let is_theirs =
                    |note: &Note| matches!(&note.status, Status::Superseded { by, .. } if gone.contains(by));
                found.extend(page.into_iter().map(|(_, note)| note).filter(is_theirs).map(|note| note.id));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    async fn is_stranded(&self, note: &Note) -> Result<bool, Problems> {
        let Status::Superseded { by, .. } = &note.status else { return Ok(false) };
        for (_, store) in self.stores() {
            if store.note(by).await.map_err(|error| store_problem(&error))?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn gave_way(&self, note: &Note, by: &NoteId) -> Result<Problem, Problems> {
        let id = &note.id;
        if !self.is_stranded(note).await? {
            return Ok(superseded(id, by));
        }
        let problem = Problem::new(format!("note {id} was superseded by {by}, which was forgotten"));
        Ok(problem.next(format!("`ralph memory confirm {id}` reinstates it")))
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
