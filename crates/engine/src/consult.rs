//! An agent is asked something outside of any run, and what it says is the point.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::brief::Brief;

use crate::agent::Agent;
use crate::custody::GuardOptions;
use crate::environment::Variables;
use crate::error::EngineError;
use crate::probe::{Answer, outside};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consulted {
    pub answer: Answer,
    /// Its final message: all that it printed, where nothing tells that apart.
    pub message: String,
    /// What it asked, where it has a way of its own to ask.
    pub question: Option<String>,
}

/// Asks, under a guard like any other agent; nothing of it is left when the answer is there. `file` holds the brief too.
pub async fn consult(
    agent: &dyn Agent,
    options: GuardOptions,
    place: (Variables, PathBuf),
    (brief, file): (&Brief, &Path),
    patience: Duration,
) -> Result<Consulted, EngineError> {
    let said = outside(agent, options, place, (brief, Some(file)), patience).await?;
    let printed = if agent.is_structured() { String::new() } else { said.printed };
    Ok(Consulted { answer: said.answer, message: said.message.unwrap_or(printed), question: said.question })
}
