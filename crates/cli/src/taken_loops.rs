//! Loops of another tool that go on in ralph's hands: each is recorded for its session, once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use ralph_core::id::{AgentName, SessionId};
use ralph_core::policy::Limits;
use ralph_engine::loops::{LoopOptions, Loops};
use ralph_hosts::arguments::Start;
use ralph_migrate::FoundLoop;
use ralph_store::{Register, SqliteStore, StoreError, settle};
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::loops::loop_problem;
use crate::inside::{Inside, flags};
use crate::perform::redactor;
use crate::problem::Problems;
use crate::project::{Project, store_problem};
use crate::settings::Given;

/// What became of a loop.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LoopTaken {
    /// The file that tells of it.
    file: PathBuf,
    pub(crate) host: &'static str,
    session: Option<String>,
    /// The iteration that it is in.
    iteration: u32,
    /// Null where it had no bound.
    max_iterations: Option<u32>,
    promise: Option<String>,
    prompt: String,
    pub(crate) outcome: LoopUpshot,
    /// Why it does not go on in its session.
    pub(crate) why: Option<&'static str>,
    /// The run that would do the same; null where there is no prompt.
    pub(crate) command: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoopUpshot {
    /// It goes on, in ralph's hands.
    Recorded,
    /// It would be recorded, without --dry-run.
    Planned,
    /// Its session has, or had, a loop of ralph's.
    Same,
    /// It does not go on by itself.
    Told,
}

impl LoopTaken {
    pub(crate) fn seat(&self) -> String {
        let session = self.session.as_deref().unwrap_or("no session");
        let of = self.max_iterations.map_or(String::new(), |max| format!(" of {max}"));
        format!("{session} of {}, iteration {}{of}", self.host, self.iteration)
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }
}

pub(crate) async fn take(root: &Path, found: FoundLoop, dry_run: bool) -> Result<LoopTaken, Problems> {
    let why = found.obstacle();
    let outcome = match (&found.session, why) {
        (Some(session), None) => record(root, session, &found, dry_run).await?,
        _ => LoopUpshot::Told,
    };
    let redactor = redactor();
    let clean = |text: &str| redactor.text(text).into_owned();
    Ok(LoopTaken {
        command: found.command().map(|command| clean(&command)),
        prompt: clean(&found.prompt),
        file: found.file,
        host: found.host,
        session: found.session.map(|session| session.to_string()),
        iteration: found.iteration,
        max_iterations: found.max_iterations,
        promise: found.promise.map(|word| word.to_string()),
        outcome,
        why,
    })
}

async fn record(
    root: &Path,
    session: &SessionId,
    found: &FoundLoop,
    dry_run: bool,
) -> Result<LoopUpshot, Problems> {
    let host = AgentName::parse(found.host).expect("a host has a legal name");
    let project = Project::at(root, Given::default())?;
    if !dry_run {
        settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
    }
    let store = match SqliteStore::open_existing(&project.place.state) {
        Err(StoreError::NoDatabase { .. }) if dry_run => return Ok(LoopUpshot::Planned),
        Err(StoreError::NoDatabase { .. }) => project.store()?,
        other => other.map_err(|error| store_problem(&error))?,
    };
    let store = Arc::new(store);
    let loops = Loops::new(store.clone(), host, redactor());
    let view = || async { loops.state(Some(session.as_str())).await.map_err(|error| loop_problem(&error)) };
    if view().await?.is_some() {
        return Ok(LoopUpshot::Same);
    }
    if dry_run {
        return Ok(LoopUpshot::Planned);
    }
    let inside = Inside::unheard(root.to_owned(), store);
    let asked = Start {
        max_iterations: found.max_iterations.map(|max| max.to_string()),
        promise: found.promise.as_ref().map(ToString::to_string),
        // The agent was told the bare word; where it was told none, ralph's brief names one.
        bare_word: found.promise.is_some(),
        ..Start::default()
    };
    let held_to = inside.held_to(flags(&asked)).await?;
    let options = going_on(found, held_to);
    let started = loops.start_loop(session.as_str(), &found.prompt, options).await;
    if !started.map_err(|error| loop_problem(&error))? {
        return Ok(LoopUpshot::Same);
    }
    if let Some(view) = view().await? {
        let register = Register::open(&project.state_dir).map_err(|error| store_problem(&error))?;
        let registered = register.record(&view.run, &project.place.root, Timestamp::now()).await;
        registered.map_err(|error| store_problem(&error))?;
    }
    Ok(LoopUpshot::Recorded)
}

/// What a loop is held to from the iteration on that it is in. One that had no bound gets the settings' maximum from here.
fn going_on(found: &FoundLoop, held_to: LoopOptions) -> LoopOptions {
    let made = found.iteration - 1;
    let limits = match found.max_iterations {
        Some(_) => held_to.limits,
        None => held_to.limits.map(|limits| Limits {
            max_iterations: limits.max_iterations.map(|max| max.saturating_add(made)),
            ..limits
        }),
    };
    LoopOptions { strategy: found.strategy, made, limits, ..held_to }
}
