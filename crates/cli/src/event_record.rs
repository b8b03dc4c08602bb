//! What happened in a session, kept beside what the agent of the run has printed.

use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ralph_core::id::RunId;
use ralph_engine::Place;
use ralph_engine::session::Standing;
use ralph_hosts::hooked::{Event, Told};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::run_file::RunFile;

/// How much of what happened in a session is kept for a run.
const LONGEST: u64 = 1 << 20;

fn file(place: &Place, run: &RunId) -> PathBuf {
    place.state.join("output").join(run.as_str()).join("host-events.jsonl")
}

/// Adds an event, with the run's iteration where it lives in the session.
pub(crate) fn record(place: &Place, run: &RunId, event: &Event, standing: Option<&Standing>) {
    let mut line = json!({ "at": Timestamp::now(), "session": event.session, "event": event.name });
    if let Told::Tool(used) = &event.told {
        line["tool"] = Value::from(used.tool.as_str());
    }
    let mut kept = Ok(());
    if let Some(standing) = standing {
        line["iteration"] = Value::from(standing.iteration);
        line["attempt"] = Value::from(standing.attempt);
        if matches!(event.told, Told::Tool(_)) {
            kept = count(place, standing);
        }
    }
    if let Err(error) = kept.and(append(&file(place, run), &format!("{line}\n"))) {
        eprintln!("ralph: an event of session {} was not kept: {error}", event.session);
    }
}

fn append(path: &Path, line: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    if file.metadata()?.len() < LONGEST {
        file.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// How many tools were used, apart from the events: of those only so much is kept, and a loop may be longer.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    iteration: u32,
    attempt: u32,
    tools: u32,
}

fn counted(place: &Place, run: &RunId) -> RunFile {
    RunFile::of(place, run, "tools.json")
}

/// Of two that end at once only one may be counted: what matters is whether there was any.
fn count(place: &Place, standing: &Standing) -> std::io::Result<()> {
    let tools = so_far(place, standing).unwrap_or_default().saturating_add(1);
    let (iteration, attempt) = (standing.iteration, standing.attempt);
    counted(place, &standing.run).replace(&Count { iteration, attempt, tools })
}

fn so_far(place: &Place, standing: &Standing) -> std::io::Result<u32> {
    let count = counted(place, &standing.run).read::<Count>()?.unwrap_or_default();
    let is_meant = count.iteration == standing.iteration && count.attempt == standing.attempt;
    Ok(if is_meant { count.tools } else { 0 })
}

/// How many tools were seen to end in the attempt under way. Where that cannot be known, no loop ends for want of them.
pub(crate) fn tools(place: &Place, standing: &Standing) -> u32 {
    so_far(place, standing).unwrap_or_else(|error| {
        eprintln!("ralph: how many tools were used is not known: {error}");
        1
    })
}
