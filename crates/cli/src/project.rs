//! The project that a command is about: its tree, its settings, its part of the state directory.

use std::path::PathBuf;

use ralph_core::id::RunId;
use ralph_core::in_session;
use ralph_engine::{Place, chain};
use ralph_store::{RunSummary, SqliteStore, Store, StoreError, project_dir};

use crate::problem::{self, Problem, Problems};
use crate::settings::trust::{Trust, executable_digest};
use crate::settings::{Loaded, Settings, Sources};

pub(crate) struct Project {
    pub(crate) place: Place,
    pub(crate) state_dir: PathBuf,
    pub(crate) loaded: Loaded,
}

impl Project {
    /// The project of the current directory, with what the flags say.
    pub(crate) fn here(flags: crate::settings::Given) -> Result<Project, Problems> {
        Project::at(&crate::commands::here()?, flags)
    }

    /// The project of a directory.
    pub(crate) fn at(
        directory: &std::path::Path,
        flags: crate::settings::Given,
    ) -> Result<Project, Problems> {
        let sources = Sources::of_process(directory, flags)?;
        let root = sources.project_root.clone();
        let loaded = Loaded::read(sources);
        let state_dir = loaded.state_dir()?;
        let state = project_dir(&state_dir, &root).map_err(|error| store_problem(&error))?;
        Ok(Project { place: Place { root, state }, state_dir, loaded })
    }

    /// For commands that only look: they never make a database.
    pub(crate) fn existing_store(&self) -> Result<SqliteStore, Problems> {
        match SqliteStore::open_existing(&self.place.state) {
            Err(StoreError::NoDatabase { .. }) => Err(no_run(&self.place).into()),
            other => other.map_err(|error| store_problem(&error).into()),
        }
    }

    pub(crate) fn store(&self) -> Result<SqliteStore, Problems> {
        SqliteStore::open(&self.place.state).map_err(|error| store_problem(&error).into())
    }

    /// Where the project's notes and own tasks are.
    pub(crate) fn common_store(&self) -> Result<SqliteStore, Problems> {
        SqliteStore::open(&self.place.common()).map_err(|error| store_problem(&error).into())
    }

    /// The settings, once the project may do what its files ask for.
    pub(crate) async fn settings(
        self,
        store: &SqliteStore,
        yes: bool,
    ) -> Result<(Place, PathBuf, Settings), Problems> {
        let trust = match executable_digest(&self.loaded.project) {
            None => Trust::Granted,
            Some(_) if yes => Trust::Granted,
            Some(digest) => {
                let path = self.loaded.project.path.to_string_lossy();
                let granted =
                    store.is_trusted(&path, &digest.hash).await.map_err(|error| store_problem(&error))?;
                if granted { Trust::Granted } else { Trust::Withheld }
            }
        };
        Ok((self.place, self.state_dir, self.loaded.resolve(trust)?))
    }
}

/// How many loops inside sessions are named to somebody who named none.
const LISTED: usize = 5;

/// The run that a command means: the one that is named, by its id or the beginning of it, or the latest.
pub(crate) async fn find_run(
    store: &SqliteStore,
    place: &Place,
    named: Option<&str>,
) -> Result<RunId, Problems> {
    match named {
        Some(prefix) => store.find_run(prefix).await.map_err(|error| store_problem(&error).into()),
        None => match latest(store).await? {
            Some(run) => Ok(run.id),
            None => Err(none_but_loops(store, place).await?.into()),
        },
    }
}

/// The same for a command that only looks: a loop that has ended is meant without being named where there is no other run.
pub(crate) async fn run_to_look_at(
    store: &SqliteStore,
    place: &Place,
    named: Option<&str>,
) -> Result<RunId, Problems> {
    if named.is_none() && latest(store).await?.is_none() {
        let living = store.loops().await.map_err(|error| store_problem(&error))?;
        let runs = store.runs(2).await.map_err(|error| store_problem(&error))?;
        if let ([only], true) = (runs.as_slice(), living.is_empty()) {
            return Ok(only.id.clone());
        }
    }
    find_run(store, place, named).await
}

async fn latest(store: &SqliteStore) -> Result<Option<RunSummary>, Problems> {
    store.latest_run().await.map_err(|error| store_problem(&error).into())
}

fn no_run(place: &Place) -> Problem {
    let problem =
        Problem::new("there is no run in this project").at(problem::Place::from(place.root.clone()));
    problem.next("start one with `ralph run \"PROMPT\"`").exit(4)
}

/// Loops inside sessions are not meant unless they are named.
async fn none_but_loops(store: &SqliteStore, place: &Place) -> Result<Problem, Problems> {
    let loops = store.loops().await.map_err(|error| store_problem(&error))?;
    let runs = store.runs(usize::MAX).await.map_err(|error| store_problem(&error))?;
    if runs.is_empty() {
        return Ok(no_run(place));
    }
    let ended = runs.into_iter().find(|run| loops.iter().all(|(_, living)| living.id != run.id));
    let problem =
        Problem::new("the only runs in this project are loops in sessions of hosts, which have to be named");
    let problem = problem.at(problem::Place::from(place.root.clone())).exit(4);
    let problem = loops
        .into_iter()
        .take(LISTED)
        .fold(problem, |problem, (berth, run)| problem.next(format!("name the loop in {berth}: {}", run.id)));
    let Some(RunSummary { id, .. }) = ended else { return Ok(problem) };
    let run = store.run(&id).await.map_err(|error| store_problem(&error))?;
    let session = run.and_then(|run| run.in_session);
    let place_of_it = session
        .map_or(String::new(), |at| format!(", in {}", in_session::named(&at.session, at.host.as_ref())));
    Ok(problem.next(format!("the newest that has ended{place_of_it}: {id}; `ralph status {id}` shows it")))
}

/// A store's error as a person should see it, with the exit code of its kind.
pub(crate) fn store_problem(error: &StoreError) -> Problem {
    let problem = Problem::new(chain(error)).exit(store_exit(error));
    match error.hint() {
        Some(hint) => problem.next(hint),
        None => problem,
    }
}

fn store_exit(error: &StoreError) -> u8 {
    match error {
        StoreError::RunExists { .. }
        | StoreError::RunFinished { .. }
        | StoreError::NoRun { .. }
        | StoreError::AmbiguousRun { .. }
        | StoreError::Fenced { .. }
        | StoreError::Task(_) => Problem::USAGE,
        StoreError::NoDatabase { .. } => 4,
        StoreError::Busy { .. }
        | StoreError::Full { .. }
        | StoreError::ReadOnly { .. }
        | StoreError::Io { .. }
        | StoreError::Corrupt { .. }
        | StoreError::TooNew { .. }
        | StoreError::NotRalph { .. }
        | StoreError::MigrationChanged { .. }
        | StoreError::OldSqlite { .. }
        | StoreError::Closed { .. } => 1,
    }
}

/// Waits in a runtime of one thread; the store has its own.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime of one thread needs nothing that can be missing");
    let done = runtime.block_on(future);
    // Whoever did not wait for a thread that is still at work will not be made to now.
    runtime.shutdown_background();
    done
}
