//! What happened in a session, kept beside what the agent of the run has printed.

use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ralph_core::id::RunId;
use ralph_engine::Place;
use ralph_engine::session::Standing;
use ralph_hosts::hooked::{Event, Told};
use serde_json::{Value, json};

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
    if let Some(standing) = standing {
        line["iteration"] = Value::from(standing.iteration);
        line["attempt"] = Value::from(standing.attempt);
    }
    if let Err(error) = append(&file(place, run), &format!("{line}\n")) {
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

/// How many tools were seen to end in the attempt under way; one, where nothing more is kept.
pub(crate) fn tools(place: &Place, standing: &Standing) -> u32 {
    let Ok(text) = std::fs::read_to_string(file(place, &standing.run)) else { return 0 };
    if text.len() as u64 >= LONGEST {
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
