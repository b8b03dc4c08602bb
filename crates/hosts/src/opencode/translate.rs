//! From what the plugin tells to what happened.

use std::path::PathBuf;
use std::time::Duration;

use ralph_core::id::{BadId, SessionId};
use ralph_core::in_session::{Listed, Turn, TurnEnding};
use ralph_core::policy::{Cost, Signal};
use ralph_core::report::{AgentExit, Usage};
use ralph_core::sessions::What;

use super::observed::observed;
use crate::answer::Happening;
use crate::arguments::{self, Asked, BadArguments};
use crate::surrogates;
use crate::wire::{Fault, Kind, Message, Todo, Told, VERSION};

/// How OpenCode calls it when a person ends a turn.
const ABORTS: [&str; 2] = ["MessageAbortedError", "AbortError"];
/// The tool by which an agent says that it is done.
const TASK_COMPLETE: &str = "task_complete";
/// The tool by which an agent writes its list of things to do.
const TODO_WRITE: &str = "todowrite";
/// How a message ends that the model did not end.
const BROKEN_OFF: [&str; 4] = ["tool-calls", "length", "content-filter", "error"];

/// Why an event gets no answer.
#[derive(Debug, thiserror::Error)]
pub enum BadEvent {
    #[error("the event cannot be read")]
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
    /// What went wrong, as the host tells it.
    pub fault: Option<Fault>,
}

impl Event {
    /// What went wrong is known: it means this. A person's abort stays one.
    pub fn mean(&mut self, exit: AgentExit) {
        match &mut self.happening {
            Happening::Idle(turn) if matches!(turn.ending, TurnEnding::Failed { .. }) => {
                turn.ending = TurnEnding::Recognised { exit };
            }
            happening @ Happening::Error { .. } => *happening = Happening::Refused(exit),
            _ => {}
        }
    }
}

pub fn read(bytes: &[u8]) -> Result<Event, BadEvent> {
    let told: Told = surrogates::read(bytes)?;
    if told.v != VERSION {
        return Err(BadEvent::Version { found: told.v });
    }
    let session = SessionId::parse(&told.session)?;
    let directory = PathBuf::from(&told.directory);
    if !directory.is_absolute() || told.directory.contains('\0') {
        return Err(BadEvent::Directory { given: told.directory.chars().take(200).collect() });
    }
    let (options, observed) = (told.options.clone(), observed(&told));
    let fault = told.error.clone().or_else(|| told.message.as_ref()?.error.clone());
    Ok(Event { session, directory, happening: happening(told)?, options, observed, fault })
}

fn happening(told: Told) -> Result<Happening, BadEvent> {
    let missing = |what| BadEvent::Incomplete { what };
    Ok(match told.event {
        Kind::Idle => Happening::Idle(Box::new(turn(told.message.unwrap_or_default(), told.todo.as_deref()))),
        Kind::Error => match told.error.unwrap_or_default() {
            error if is_abort(&error) => Happening::Aborted,
            error => Happening::Error { what: error.told() },
        },
        Kind::Due => Happening::Due,
        // A look that failed says nothing.
        Kind::Deleted if told.exists == Some(true) => Happening::Other,
        Kind::Deleted => Happening::Gone,
        Kind::Command => {
            let name = told.command.ok_or_else(|| missing("which command"))?;
            let given = told.arguments.unwrap_or_default();
            match arguments::parse(&name, &given) {
                Some(Ok(Asked::RollBack)) if told.busy => Happening::Command(Err(BadArguments::AtWork)),
                asked => asked.map_or(Happening::Other, Happening::Command),
            }
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
    let Message { id, text, finish, error, tools, tools_failed, .. } = message;
    let calls = |of: &[String]| of.iter().filter(|tool| *tool == TASK_COMPLETE).count();
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
    let is_called = calls(&tools) > calls(&tools_failed);
    Turn {
        message: Some(id).filter(|id| !id.is_empty()),
        text,
        ending,
        tools: u32::try_from(tools.len()).unwrap_or(u32::MAX),
        signals: is_called.then_some(Signal::Tool).into_iter().collect(),
        question: None,
        summary: None,
        list: todo.map(|todo| listed(todo, tools.iter().any(|tool| tool == TODO_WRITE))),
        is_broken_off: finish.is_some_and(|finish| BROKEN_OFF.contains(&finish.as_str())),
        usage,
        duration: Duration::from_millis(message.duration_ms),
    }
}

fn listed(todo: &[Todo], is_written: bool) -> Listed {
    let is = |todo: &Todo, status: &str| todo.status == status;
    let is_settled = todo.iter().all(|todo| is(todo, "completed") || is(todo, "cancelled"));
    let is_done = is_settled && todo.iter().any(|todo| is(todo, "completed"));
    let items: Vec<_> = todo.iter().map(|todo| (&todo.status, &todo.content)).collect();
    let text = serde_json::to_vec(&items).expect("words are JSON");
    Listed { digest: blake3::hash(&text).to_hex().to_string(), is_done, is_written }
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

#[cfg(test)]
mod tests {
    use super::{Happening, Turn, read};
    use ralph_core::policy::Signal;
    use serde_json::{Value, json};

    fn turn(message: &Value, todo: &Value) -> Turn {
        let event = json!({
            "v": 1, "event": "idle", "session": "ses_1", "directory": "/x", "message": message, "todo": todo,
        });
        match read(event.to_string().as_bytes()).expect("an event").happening {
            Happening::Idle(turn) => *turn,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_call_that_failed_says_nothing_unless_another_did_not() {
        let called = |tools: &[&str], failed: &[&str]| {
            let message = json!({ "id": "m1", "text": "x", "tools": tools, "tools_failed": failed });
            turn(&message, &Value::Null).signals == [Signal::Tool]
        };
        assert!(called(&["bash", "task_complete"], &["bash"]));
        assert!(!called(&["bash", "task_complete"], &["task_complete"]));
        assert!(called(&["task_complete", "task_complete"], &["task_complete"]));
        assert!(!called(&["bash"], &[]));
    }

    #[test]
    fn a_list_is_done_when_something_on_it_was_and_nothing_is_left() {
        let done = |statuses: &[&str]| {
            let todo: Vec<Value> =
                statuses.iter().map(|status| json!({ "content": "a", "status": status })).collect();
            turn(&json!({ "id": "m1" }), &json!(todo)).list.expect("a list").is_done
        };
        assert!(done(&["completed", "cancelled"]));
        assert!(!done(&["cancelled", "cancelled"]));
        assert!(!done(&["completed", "pending"]));
        assert!(!done(&[]));
        assert_eq!(turn(&json!({ "id": "m1" }), &Value::Null).list, None);
        let written = json!({ "id": "m1", "tools": ["todowrite"] });
        assert!(turn(&written, &json!([])).list.expect("a list").is_written);
    }

    #[test]
    fn a_message_that_its_model_did_not_end_is_broken_off() {
        let broken = |finish: Value| {
            turn(&json!({ "id": "m1", "text": "x", "finish": finish }), &Value::Null).is_broken_off
        };
        for finish in ["tool-calls", "length", "content-filter", "error"] {
            assert!(broken(json!(finish)), "{finish}");
        }
        for finish in [json!("stop"), json!("end_turn"), json!("unknown"), Value::Null] {
            assert!(!broken(finish.clone()), "{finish}");
        }
    }

    #[test]
    fn odd_counts_are_no_reason_not_to_hear_of_a_turn() {
        let message = json!({
            "id": "m1", "text": "x", "input_tokens": -7, "cached_tokens": 2.9, "output_tokens": null,
            "duration_ms": -1, "cost_usd": -0.5,
        });
        let usage = turn(&message, &Value::Null).usage;
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (0, 2, 0));
        assert_eq!(usage.cost.0, 0);
    }
}
