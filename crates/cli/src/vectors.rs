//! Who says what notes mean: what is configured of it, made into a measure. Nobody is asked before somebody searches.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ralph_memory::{Meaning, Measure, Shelves, Vector, understand};
use ralph_store::{SqliteStore, Store as _, StoreError};
use ralph_vectors::{Endpoint, Table};

use crate::perform::redactor;
use crate::problem::Problem;
use crate::project::{Project, block_on, store_problem};
use crate::settings::trust::{executable_digest, untrusted};
use crate::settings::vectors::{By, Vectors};

/// How long an attempt waits for a table that is read for the first time.
const FIRST_READ: Duration = Duration::from_secs(30);

/// Who waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    APerson,
    ARun,
}

/// Of settings that are trusted.
fn measure(vectors: &Vectors, state_dir: &Path, whom: For) -> Result<Arc<dyn Measure>, Problem> {
    let pace = vectors.pace;
    match &vectors.by {
        By::Endpoint(model) => Ok(Arc::new(Endpoint::new(model.clone(), pace))),
        By::Table(table) => {
            let table = Table::new(table.clone(), indexes(state_dir), pace, indexing);
            Ok(Arc::new(match whom {
                For::APerson => table,
                For::ARun => table.waiting(FIRST_READ),
            }))
        }
        By::Keyless { variable } => Err(keyless(variable)),
    }
}

/// What a run has, whose settings are trusted; where it cannot be had, a person is told.
pub(crate) fn of_run(vectors: &Vectors, state_dir: &Path) -> Option<Arc<dyn Measure>> {
    measure(vectors, state_dir, For::ARun).map_or_else(|problem| told(&problem), Some)
}

/// What a command has that looks for notes; none where nothing is configured. Nothing is sent anywhere by the word of a
/// project that is not trusted.
pub(crate) fn of_project(
    project: &Project,
    store: Option<&SqliteStore>,
) -> Result<Option<Arc<dyn Measure>>, Problem> {
    let vectors = block_on(granted(project, store))?;
    vectors.map(|vectors| measure(&vectors, &project.state_dir, For::APerson)).transpose()
}

/// What is configured, as far as the project may say so.
async fn granted(project: &Project, store: Option<&SqliteStore>) -> Result<Option<Vectors>, Problem> {
    let loaded = &project.loaded;
    let Some(vectors) = loaded.vectors()? else { return Ok(None) };
    if loaded.project.partial.memory.vectors.reaches_out()
        && let Some(digest) = executable_digest(&loaded.project)
    {
        let path = loaded.project.path.to_string_lossy();
        let granted = match store {
            Some(store) => store.is_trusted(&path, &digest.hash).await,
            None => Ok(false),
        };
        if !granted.map_err(|error| store_problem(&error))? {
            return Err(untrusted(&loaded.project, &digest));
        }
    }
    Ok(Some(vectors))
}

/// What a person's question means; where that cannot be had, they are told, and notes are found by their words.
pub(crate) fn meaning(
    project: &Project,
    store: Option<&SqliteStore>,
    shelves: &Shelves<'_, SqliteStore>,
    text: &str,
) -> Result<Option<Meaning>, StoreError> {
    let measure = of_project(project, store).unwrap_or_else(|problem| told(&problem));
    let Some(measure) = measure else { return Ok(None) };
    let understood = block_on(understand(shelves, &*measure, text, &redactor()))?;
    if let Some(trouble) = understood.trouble {
        say(&trouble.what, &trouble.next);
    }
    Ok(understood.meaning)
}

/// What is configured, and that it answers; none where nothing is.
pub(crate) async fn tried(project: &Project) -> Result<Option<String>, Problem> {
    let store = SqliteStore::open_existing(&project.place.state).ok();
    let Some(vectors) = granted(project, store.as_ref()).await? else { return Ok(None) };
    let measure = measure(&vectors, &project.state_dir, For::APerson)?;
    let answered = async {
        measure.identity().await?;
        measure.measure(&["ralph".to_owned()], vectors.pace.question).await
    };
    let answer = answered.await.map_err(|trouble| Problem::new(trouble.what).next(trouble.next))?;
    let dimensions = answer.vectors.first().map_or(0, Vector::dimensions);
    let by = match &vectors.by {
        By::Endpoint(model) => format!("{} at {}", model.name, model.address),
        By::Table(table) => table.display().to_string(),
        By::Keyless { variable } => variable.clone(),
    };
    Ok(Some(format!("{by}: {dimensions} dimensions, in {} ms", answer.took.as_millis())))
}

/// Says in one line why there are none.
pub(crate) fn told<T>(problem: &Problem) -> Option<T> {
    let what = problem.what.split_whitespace().collect::<Vec<_>>().join(" ");
    say(&what, &problem.next.join("; "));
    None
}

fn say(what: &str, next: &str) {
    let line = format!("ralph: without vectors, or with some alone: {what}; next: {next}");
    eprintln!("{}", crate::problem::visible(&redactor().text(&line)));
}

fn keyless(variable: &str) -> Problem {
    let problem = Problem::new(format!("memory.vectors.key_env names {variable}, which has no key in it"));
    problem.next("set the variable, or take key_env away if the endpoint wants no key")
}

/// Tables belong to no project.
fn indexes(state_dir: &Path) -> std::path::PathBuf {
    state_dir.join("vectors")
}

fn indexing(table: &Path) {
    eprintln!("ralph: reading {}, once; this takes a while if it is large", table.display());
}
