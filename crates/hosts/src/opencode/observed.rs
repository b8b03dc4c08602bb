//! What of an event is worth remembering of its session.

use ralph_core::sessions::{Role, What};

use super::translate::is_abort;
use crate::wire::{Fault, Kind, Message, Told};

pub(super) fn observed(told: &Told) -> Option<What> {
    match told.event {
        Kind::Idle => Some(turn(told.message.clone().unwrap_or_default())),
        Kind::Error => Some(error(told.error.clone().unwrap_or_default())),
        // A session that was looked for and is there has not ended.
        Kind::Deleted => (told.exists != Some(true)).then_some(What::Ended),
        Kind::Replaced => Some(What::Ended),
        Kind::Command => {
            let (name, arguments) = (told.command.as_ref()?, told.arguments.as_deref().unwrap_or_default());
            Some(by_person(None, format!("/{name} {arguments}").trim_end().to_owned()))
        }
        Kind::Message => {
            let Message { id, text, .. } = told.message.clone()?;
            Some(by_person(named(id), text))
        }
        Kind::Tool => Some(What::Tool { name: told.tool.clone()? }),
        Kind::Failed | Kind::Due => None,
    }
}

fn turn(message: Message) -> What {
    let Message { id, text, error: fault, tools, .. } = message;
    match fault {
        Some(fault) => error(fault),
        None if text.trim().is_empty() => What::Idle,
        None => What::Said { id: named(id), role: Role::Assistant, content: text, tools },
    }
}

fn by_person(id: Option<String>, content: String) -> What {
    What::Said { id, role: Role::User, content, tools: Vec::new() }
}

fn error(fault: Fault) -> What {
    if is_abort(&fault) { What::Interrupted } else { What::Error { what: fault.told() } }
}

fn named(id: String) -> Option<String> {
    Some(id).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::observed;
    use ralph_core::sessions::{Role, What};
    use serde_json::{Value, json};

    fn of(event: &str, more: Value) -> Option<What> {
        let mut told = json!({ "v": 1, "event": event });
        for (key, value) in more.as_object().unwrap() {
            told[key] = value.clone();
        }
        observed(&serde_json::from_value(told).unwrap())
    }

    #[test]
    fn every_event_is_remembered_for_what_it_is() {
        let said = |id: Option<&str>, role, content: &str, tools: &[&str]| What::Said {
            id: id.map(str::to_owned),
            role,
            content: content.to_owned(),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        };
        let message = |more: Value| json!({ "message": more });
        let answer = message(json!({ "id": "m1", "text": "done", "tools": ["bash"] }));
        assert_eq!(of("idle", answer), Some(said(Some("m1"), Role::Assistant, "done", &["bash"])));
        assert_eq!(of("idle", json!({})), Some(What::Idle));
        let aborted = json!({ "name": "MessageAbortedError", "message": "" });
        assert_eq!(of("idle", message(json!({ "text": "x", "error": aborted }))), Some(What::Interrupted));
        assert_eq!(of("error", json!({ "error": aborted })), Some(What::Interrupted));
        let broken = json!({ "error": { "name": "ApiError", "message": "529" } });
        assert_eq!(of("error", broken), Some(What::Error { what: "ApiError: 529".to_owned() }));
        assert_eq!(of("message", message(json!({ "text": "hi" }))), Some(said(None, Role::User, "hi", &[])));
        let command = json!({ "command": "ralph", "arguments": "fix it" });
        assert_eq!(of("command", command), Some(said(None, Role::User, "/ralph fix it", &[])));
        assert_eq!(of("tool", json!({ "tool": "bash" })), Some(What::Tool { name: "bash".to_owned() }));
        assert_eq!(of("tool", json!({})), None);
        assert_eq!(of("deleted", json!({ "exists": true })), None);
        assert_eq!(of("deleted", json!({})), Some(What::Ended));
        assert_eq!(of("failed", json!({ "failed": { "action": "prompt", "error": "x" } })), None);
    }
}
