//! `ralph hook claude` and its like: a host's event on standard input, the answer in its own format on standard output.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use ralph_core::id::{AgentName, RunId};
use ralph_engine::loops::Loops;
use ralph_engine::session::{Standing, Waiting};
use ralph_engine::{Place, chain};
use ralph_hosts::hooked::{self, Circumstances, Dialect, Event, Told};
use ralph_store::{SqliteStore, StoreError};
use serde_json::{Value, json};

use super::hook::unless_signalled;
use crate::inside::{Inside, in_a_line};
use crate::leash::Leash;
use crate::perform::redactor;
use crate::project::{Project, block_on, store_problem};
use crate::settings::Given;

/// How long a hook may take that was installed without saying so.
const WITHIN: Duration = Duration::from_secs(60);
/// How much of what happened in a session is kept for a run.
const LONGEST_RECORD: u64 = 1 << 20;

/// Answers one event. Whatever is wrong with it is said in a line, and the host goes on.
pub(crate) fn hear(
    dialect: &'static Dialect,
    rest: &[String],
    bytes: &[u8],
    leash: Leash,
) -> Result<(), String> {
    let project = dialect.project_variable.and_then(std::env::var_os).map(PathBuf::from);
    let event = hooked::read(dialect, bytes, project.as_deref()).map_err(|error| chain(&error))?;
    let project = Project::at(&event.directory, Given::default()).map_err(|problems| in_a_line(&problems))?;
    if let Ok(run) = std::env::var("RALPH_RUN") {
        // The agent is driven from outside, and the one who drives it decides.
        if let Ok(run) = RunId::parse(&run) {
            record(&project.place, &run, &event, None);
        }
        return Ok(());
    }
    let Some(store) = store(&project, &event)? else { return Ok(()) };
    let within = within(rest);
    // Whoever else judges in this tree is waited for.
    leash.allow(within);
    let inside = Inside {
        directory: event.directory.clone(),
        store: Arc::new(store),
        options: None,
        waiting: Waiting::HoldsBack,
        within: Some(within),
        leash: Some(leash),
    };
    block_on(unless_signalled(tell(dialect, event, &project.place, &inside, within)))
}

fn within(rest: &[String]) -> Duration {
    let given = rest.iter().skip_while(|word| *word != "--within").nth(1);
    given.and_then(|given| given.parse().ok()).map_or(WITHIN, Duration::from_secs)
}

/// Only a command makes a store.
fn store(project: &Project, event: &Event) -> Result<Option<SqliteStore>, String> {
    let opened = match &event.told {
        Told::Command(_) => ralph_store::settle(&project.state_dir, &project.place.root)
            .and_then(|_| SqliteStore::open(&project.place.state)),
        Told::Other => return Ok(None),
        _ => SqliteStore::open_existing(&project.place.state),
    };
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(store_problem(&error).what),
    }
}

async fn tell(
    dialect: &Dialect,
    event: Event,
    place: &Place,
    inside: &Inside,
    within: Duration,
) -> Result<(), String> {
    let host = AgentName::parse(dialect.name).expect("a host has a name");
    let loops = Loops::new(inside.store.clone(), host, redactor());
    let standing = loops.standing(&event.session).await.map_err(|error| chain(&error))?;
    let tools = match &standing {
        Some(standing) => {
            record(place, &standing.run, &event, Some(standing));
            if matches!(event.told, Told::Stopped { .. }) { tools(place, standing) } else { 0 }
        }
        None => 0,
    };
    let circumstances = Circumstances { within, cap: cap(dialect), tools };
    let reply =
        hooked::respond(&event, circumstances, &loops, inside).await.map_err(|error| chain(&error))?;
    let Some(said) = reply.said(dialect, event.name) else { return Ok(()) };
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(said.to_string().as_bytes()).and_then(|()| out.flush()) {
        loops.untold(&event.session).await.map_err(|error| chain(&error))?;
        return Err(format!("nobody took the answer: {error}"));
    }
    Ok(())
}

/// How often the host lets itself be told that a turn is not over.
fn cap(dialect: &Dialect) -> Option<u32> {
    let cap = dialect.cap?;
    let set = std::env::var(cap.variable).ok().and_then(|set| set.trim().parse().ok());
    Some(set.unwrap_or(cap.by_default))
}

fn record_file(place: &Place, run: &RunId) -> PathBuf {
    place.state.join("output").join(run.as_str()).join("host-events.jsonl")
}

/// Keeps what happened beside what the run's agent printed, with the run's iteration where it lives in the session.
fn record(place: &Place, run: &RunId, event: &Event, standing: Option<&Standing>) {
    let mut line = json!({ "at": Timestamp::now(), "session": event.session, "event": event.name });
    if let Told::Tool { name } = &event.told {
        line["tool"] = Value::from(name.as_str());
    }
    if let Some(standing) = standing {
        line["iteration"] = Value::from(standing.iteration);
        line["attempt"] = Value::from(standing.attempt);
    }
    if let Err(error) = append(&record_file(place, run), &format!("{line}\n")) {
        eprintln!("ralph: an event of session {} was not kept: {error}", event.session);
    }
}

fn append(path: &Path, line: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    if file.metadata()?.len() < LONGEST_RECORD {
        file.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// How many tools were seen to end in the attempt under way; one, where nothing more is kept.
fn tools(place: &Place, standing: &Standing) -> u32 {
    let Ok(text) = std::fs::read_to_string(record_file(place, &standing.run)) else { return 0 };
    if text.len() as u64 >= LONGEST_RECORD {
        return 1;
    }
    let is_meant = |line: &&str| {
        serde_json::from_str::<Value>(line).is_ok_and(|kept| {
            kept["tool"].is_string()
                && kept["iteration"] == standing.iteration
                && kept["attempt"] == standing.attempt
        })
    };
    u32::try_from(text.lines().filter(is_meant).count()).unwrap_or(u32::MAX)
}
