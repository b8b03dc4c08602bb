//! What the agent of a loop inside a session says by ralph's own tools, from the host's event of the call to the end of
//! its turn. It is kept beside the events of the run, and counts in the turn that it was said in.

use std::io;

use ralph_core::id::RunId;
use ralph_core::redact::Redactor;
use ralph_engine::Place;
use ralph_engine::mailbox::{Heard, Said};
use ralph_engine::session::Standing;
use serde::{Deserialize, Serialize};

use crate::run_file::RunFile;

#[derive(Serialize, Deserialize)]
struct Line {
    iteration: u32,
    attempt: u32,
    said: Said,
}

fn file(place: &Place, run: &RunId) -> RunFile {
    RunFile::of(place, run, "said.json")
}

/// Only of an agent that has a brief: whatever else it does is not its task. What was said before gives way, for of all
/// that is said in a turn the last counts; so however much is said in a loop, there is room for what ends it.
pub(crate) fn keep(place: &Place, standing: &Standing, said: &Said, redactor: &Redactor) -> io::Result<()> {
    if !standing.is_briefed {
        return Ok(());
    }
    let clean = |text: &str| redactor.text(text).into_owned();
    let said = match said {
        Said::TaskComplete { summary } => Said::TaskComplete { summary: summary.as_deref().map(clean) },
        Said::Asked { question } => Said::Asked { question: clean(question) },
    };
    let line = Line { iteration: standing.iteration, attempt: standing.attempt, said };
    file(place, &standing.run).replace(&line)
}

/// What it all comes to at the end of the turn.
pub(crate) fn heard(place: &Place, standing: &Standing, redactor: &Redactor) -> io::Result<Heard> {
    let line = file(place, &standing.run).read::<Line>()?;
    let is_meant = |line: &Line| line.iteration == standing.iteration && line.attempt == standing.attempt;
    Ok(Heard::of(line.filter(is_meant).map(|line| line.said), redactor))
}

/// Another turn begins.
pub(crate) fn forget(place: &Place, run: &RunId) -> io::Result<()> {
    file(place, run).remove()
}
