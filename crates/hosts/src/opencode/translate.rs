//! From what the plugin tells to what happened.

use std::path::PathBuf;
use std::time::Duration;

use ralph_core::id::{BadId, SessionId};
use ralph_core::in_session::{Turn, TurnEnding};
use ralph_core::policy::{Cost, Signal};
use ralph_core::report::Usage;
use ralph_core::sessions::What;

use super::observed::observed;
use crate::answer::Happening;
use crate::arguments;
use crate::wire::{Fault, Kind, Message, Todo, Told, VERSION};

/// How OpenCode calls it when a person ends a turn.
const ABORTS: [&str; 2] = ["MessageAbortedError", "AbortError"];
/// The tool by which an agent says that it is done.
const TASK_COMPLETE: &str = "task_complete";

/// Why an event gets no answer.
#[derive(Debug, thiserror::Error)]
pub enum BadEvent {
    #[error("the event cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the event has version {found}, and this ralph knows {VERSION}")]
    Version { found: u32 },
    #[error(transparent)]
    Session(#[from] BadId),
    #[error("`{given}` is not the absolute path of a directory")]
    Directory { given: String },
    #[error("the event does not say {what}")]
    Incomplete { what: &'static str },
}

/// An event, with the session and the directory that it is about and the plugin's own options.
#[derive(Debug)]
pub struct Event {
    pub session: SessionId,
    pub directory: PathBuf,
    pub happening: Happening,
    pub options: Option<serde_json::Value>,
    /// What of it is worth remembering of the session.
    pub observed: Option<What>,
}

pub fn read(bytes: &[u8]) -> Result<Event, BadEvent> {
    let told: Told = serde_json::from_slice(bytes)?;
    if told.v != VERSION {
        return Err(BadEvent::Version { found: told.v });
    }
    let session = SessionId::parse(&told.session)?;
    let directory = PathBuf::from(&told.directory);
    if !directory.is_absolute() || told.directory.contains('\0') {
        return Err(BadEvent::Directory { given: told.directory.chars().take(200).collect() });
    }
    let (options, observed) = (told.options.clone(), observed(&told));
    Ok(Event { session, directory, happening: happening(told)?, options, observed })
}

fn happening(told: Told) -> Result<Happening, BadEvent> {
    let missing = |what| BadEvent::Incomplete { what };
    Ok(match told.event {
        Kind::Idle => Happening::Idle(turn(told.message.unwrap_or_default(), told.todo.as_deref())),
        Kind::Error => match told.error.unwrap_or_default() {
            error if is_abort(&error) => Happening::Aborted,
            error => Happening::Error { what: error.told() },
        },
        // A look that failed says nothing.
        Kind::Deleted if told.exists == Some(true) => Happening::Other,
        Kind::Deleted => Happening::Gone,
        Kind::Command => {
            let name = told.command.ok_or_else(|| missing("which command"))?;
            let given = told.arguments.unwrap_or_default();
            arguments::parse(&name, &given).map_or(Happening::Other, Happening::Command)
        }
        Kind::Message => {
            Happening::Message { text: told.message.unwrap_or_default().text, first: told.first }
        }
        Kind::Tool => Happening::Other,
        Kind::Replaced => {
            let by = told.replaced_by.ok_or_else(|| missing("by which session"))?;
            Happening::Replaced { by: SessionId::parse(&by)?, summary: told.summary }
        }
        Kind::Failed => {
            let failed = told.failed.ok_or_else(|| missing("what failed"))?;
            match failed.action.as_str() {
                "prompt" | "new_session" | "summarise" => Happening::Undelivered { what: failed.error },
                _ => Happening::Other,
            }
        }
    })
}

fn turn(message: Message, todo: Option<&[Todo]>) -> Turn {
    let Message { id, text, finish, error, tools, .. } = message;
    let usage = Usage {
        input_tokens: message.input_tokens,
        cached_tokens: message.cached_tokens,
        output_tokens: message.output_tokens,
        cost: Cost::from(message.cost_usd),
        cost_is_estimated: false,
    };
    let ending = match error {
        Some(error) if is_abort(&error) => TurnEnding::Aborted,
        Some(error) => TurnEnding::Failed { what: error.told() },
        // Whoever aborts while OpenCode waits to try again leaves a message without an end.
        None if finish.is_none() && text.trim().is_empty() && !id.is_empty() => TurnEnding::Aborted,
        None => TurnEnding::Well,
    };
    let mut signals = Vec::new();
    if tools.iter().any(|tool| tool == TASK_COMPLETE) {
        signals.push(Signal::Tool);
    }
    let is_settled = |todo: &Todo| matches!(todo.status.as_str(), "completed" | "cancelled");
    if todo.is_some_and(|todo| !todo.is_empty() && todo.iter().all(is_settled)) {
        signals.push(Signal::Todo);
    }
    Turn {
        message: Some(id).filter(|id| !id.is_empty()),
        text,
        ending,
        tools: u32::try_from(tools.len()).unwrap_or(u32::MAX),
        signals,
        usage,
        duration: Duration::from_millis(message.duration_ms),
    }
}

/// Whether a person ended the turn.
pub(super) fn is_abort(error: &Fault) -> bool {
    ABORTS.contains(&error.name.as_str())
}

impl Fault {
    pub(super) fn told(&self) -> String {
        let name = if self.name.is_empty() { "an error" } else { &self.name };
        if self.message.is_empty() { name.to_owned() } else { format!("{name}: {}", self.message) }
    }
}
