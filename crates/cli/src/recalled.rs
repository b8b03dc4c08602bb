//! What the memory has for a session of a host that begins: its constitution, and the notes that fit.

use jiff::Timestamp;
use ralph_core::id::TaskId;
use ralph_core::redact::Redactor;
use ralph_core::task::Task;
use ralph_engine::{chain, constitution, entropy};
use ralph_memory::{Allowance, Need, Shelves, hydrate, tokens};
use ralph_store::{SqliteStore, StoreError};

use crate::memory::global;
use crate::project::Project;

/// A session is told less than a brief: nobody knows yet what it will be about.
const MOST: u32 = 2_000;

/// What a session is about, as far as that is known.
pub(crate) struct About<'a> {
    pub(crate) task: Option<&'a TaskId>,
    pub(crate) text: &'a str,
}

/// Empty where there is nothing, or where memory is off. The host goes on without it.
pub(crate) async fn recalled(
    project: &Project,
    store: &SqliteStore,
    about: About<'_>,
    redactor: &Redactor,
) -> String {
    let settings = project.loaded.memory();
    if !settings.enabled {
        return String::new();
    }
    let told = tell(project, store, about, settings.budget.get().min(MOST)).await;
    match told {
        Ok(text) => redactor.text(&text).into_owned(),
        Err(error) => {
            eprintln!("ralph: the memory cannot be used: {}", chain(&error));
            String::new()
        }
    }
}

async fn tell(
    project: &Project,
    store: &SqliteStore,
    about: About<'_>,
    budget: u32,
) -> Result<String, StoreError> {
    let common = project.place.common();
    let apart = if common == project.place.state { None } else { Some(SqliteStore::open_existing(&common)?) };
    let store = apart.as_ref().unwrap_or(store);
    let constitution = constitution(Some(store), &project.place.root).await?;
    // What is known in all projects is worth nothing here that keeps a session waiting.
    let global = global(&project.state_dir);
    let shelves = Shelves { project: store, global: global.as_ref() };
    let need = Need {
        task: about.task.cloned().unwrap_or_else(|| Task::prompt("").remembered_as()),
        text: about.text.to_owned(),
        files: Vec::new(),
        symbols: Vec::new(),
        near: std::collections::BTreeMap::new(),
        // A host waits for its hook, and asks nobody what notes mean.
        meaning: None,
        run: None,
        current: Vec::new(),
    };
    let room = if constitution.is_empty() { budget } else { budget.saturating_sub(tokens(&constitution)) };
    let allowance = Allowance { tokens: room, ..Allowance::default() };
    let hydration = hydrate(&shelves, &need, &allowance, None, Timestamp::now()).await?;
    let worded = hydration.worded(&format!("{:016x}", entropy()));
    let parts = [constitution, worded.memory, worded.gotchas];
    Ok(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"))
}
