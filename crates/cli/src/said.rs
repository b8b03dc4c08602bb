//! What the agent of a loop inside a session says by ralph's own tools, from the host's event of the call to the end of
//! its turn. It is kept beside the events of the run, and counts in the turn that it was said in.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use ralph_core::id::RunId;
use ralph_core::redact::Redactor;
use ralph_engine::Place;
use ralph_engine::mailbox::{Heard, Said};
use ralph_engine::session::Standing;
use serde::{Deserialize, Serialize};

/// Nobody says this much in one turn.
const MOST: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Line {
    iteration: u32,
    attempt: u32,
    said: Said,
}

fn file(place: &Place, run: &RunId) -> PathBuf {
    place.state.join("output").join(run.as_str()).join("said.jsonl")
}

/// Only of an agent that has a brief: whatever else it does is not its task.
pub(crate) fn keep(
    place: &Place,
    standing: &Standing,
    said: &Said,
    redactor: &Redactor,
) -> std::io::Result<()> {
    if !standing.is_briefed {
        return Ok(());
    }
    let clean = |text: &str| redactor.text(text).into_owned();
    let said = match said {
        Said::TaskComplete { summary } => Said::TaskComplete { summary: summary.as_deref().map(clean) },
        Said::Asked { question } => Said::Asked { question: clean(question) },
    };
    let line = Line { iteration: standing.iteration, attempt: standing.attempt, said };
    let path = file(place, &standing.run);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    if file.metadata()?.len() < MOST {
        file.write_all(format!("{}\n", serde_json::to_string(&line)?).as_bytes())?;
    }
    Ok(())
}

/// What it all comes to at the end of the turn.
pub(crate) fn heard(place: &Place, standing: &Standing, redactor: &Redactor) -> Heard {
    let text = fs::read_to_string(file(place, &standing.run)).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let is_meant = |line: &Line| line.iteration == standing.iteration && line.attempt == standing.attempt;
    Heard::of(lines.filter(is_meant).map(|line| line.said), redactor)
}

/// Another turn begins.
pub(crate) fn forget(place: &Place, run: &RunId) -> std::io::Result<()> {
    match fs::remove_file(file(place, run)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
