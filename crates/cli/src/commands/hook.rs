//! The hidden command by which a host's plugin tells what happened in a session.

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_engine::loops::Loops;
use ralph_engine::{Place, chain};
use ralph_hosts::opencode::{self, Event};
use ralph_hosts::wire::{Answer, VERSION};
use ralph_hosts::{Happening, Original, answer};
use ralph_store::{SqliteStore, StoreError};

use super::Outcome;
use crate::inside::{Inside, in_a_line};
use crate::perform::redactor;
use crate::project::{Project, block_on, store_problem};
use crate::settings::Given;

/// What an agent says in one turn is smaller than this.
const LONGEST_EVENT: u64 = 64 << 20;
/// How much of what happened in driven agents' sessions is kept for a run.
const LONGEST_RECORD: u64 = 1 << 20;

/// What a host's plugin calls: an event on standard input, what to do on standard output.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The host
    host: String,
    /// Hosts may add what they like
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

/// A hook never harms its host: whatever happens here, it goes on, and it is never told to stop (exit 2).
pub(crate) fn run(args: &Args) -> Outcome {
    let told = catch_unwind(AssertUnwindSafe(|| hear(args)));
    Ok(match told {
        Ok(Ok(())) => 0,
        Ok(Err(why)) => {
            eprintln!("ralph: {}", why.replace('\n', " "));
            1
        }
        Err(_) => 1,
    })
}

fn hear(args: &Args) -> Result<(), String> {
    let dialect = ralph_hosts::hooked::of(&args.host);
    if args.host != opencode::NAME && dialect.is_none() {
        return Err(format!("`{}` is not a host that ralph knows; `ralph hosts` lists them", args.host));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST_EVENT).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read the event: {error}"))?;
    if let Some(dialect) = dialect {
        return super::hooked::hear(dialect, &args.rest, &bytes);
    }
    let event = opencode::read(&bytes).map_err(|error| chain(&error))?;
    let project = Project::at(&event.directory, Given::default()).map_err(|problems| in_a_line(&problems))?;
    if let Ok(run) = std::env::var("RALPH_RUN") {
        record(&project.place, &run, &event.session, &bytes);
        return Ok(());
    }
    if !project.loaded.answers_opencode() {
        return Ok(());
    }
    let Some(store) = store(&project, &event)? else { return Ok(()) };
    block_on(tell(event, Arc::new(store)))
}

/// Only what begins a loop makes a store.
fn store(project: &Project, event: &Event) -> Result<Option<SqliteStore>, String> {
    let begins = match &event.happening {
        Happening::Command(_) => true,
        Happening::Message { first, .. } => *first && begins_by_itself(event),
        _ => false,
    };
    let opened = match begins {
        true => ralph_store::settle(&project.state_dir, &project.place.root)
            .and_then(|_| SqliteStore::open(&project.place.state)),
        false => SqliteStore::open_existing(&project.place.state),
    };
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(store_problem(&error).what),
    }
}

fn begins_by_itself(event: &Event) -> bool {
    let own = event.options.as_ref().and_then(Original::of);
    own.is_some() || Inside::configured(&event.directory).is_some()
}

async fn tell(event: Event, store: Arc<SqliteStore>) -> Result<(), String> {
    let Event { session, directory, happening, options } = event;
    let host = AgentName::parse(opencode::NAME).expect("a host has a name");
    let loops = Loops::new(store.clone(), host, redactor());
    let inside = Inside { directory, store, options, within: None };
    let actions = answer(&session, happening, &loops, &inside).await.map_err(|error| chain(&error))?;
    if actions.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_vec(&Answer { v: VERSION, actions }).expect("an answer is JSON");
    let mut out = std::io::stdout().lock();
    out.write_all(&text)
        .and_then(|()| out.flush())
        .map_err(|error| format!("nobody took the answer: {error}"))
}

/// The agent is driven from outside: what happened is kept beside what it printed, and the one who drives it decides.
fn record(place: &Place, run: &str, session: &SessionId, event: &[u8]) {
    let Ok(run) = RunId::parse(run) else { return };
    let kept = append(&place.state.join("output").join(run.as_str()), session, event);
    if let Err(error) = kept {
        eprintln!("ralph: an event of session {session} was not kept: {error}");
    }
}

fn append(folder: &Path, session: &SessionId, event: &[u8]) -> std::io::Result<()> {
    let path = folder.join("host-events.jsonl");
    let told: serde_json::Value = serde_json::from_slice(event)?;
    let line = serde_json::json!({ "at": Timestamp::now(), "session": session, "event": told["event"] });
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    if file.metadata()?.len() < LONGEST_RECORD {
        file.write_all(format!("{line}\n").as_bytes())?;
    }
    Ok(())
}
