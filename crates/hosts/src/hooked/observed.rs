//! What of an event is worth remembering of its session.

use ralph_core::sessions::{Role, What};
use serde_json::Value;

use super::event::{Told, without_context};

/// Whatever is told is a sign that the session is there.
pub(super) fn observed(event: &Value, told: &Told) -> What {
    let named = |field: &str| event[field].as_str().filter(|text| !text.trim().is_empty());
    match told {
        Told::Command(_) | Told::Said { .. } => {
            let content = without_context(named("prompt").unwrap_or_default()).to_owned();
            What::Said { id: prompt_id(event, &content), role: Role::User, content, tools: Vec::new() }
        }
        Told::Tool(used) if used.tool.is_empty() => What::Seen,
        Told::Tool(used) => What::Tool { name: used.tool.clone() },
        Told::Stopped { mark, .. } => match named("last_assistant_message").or(named("prompt_response")) {
            Some(said) => What::Said {
                id: mark.clone(),
                role: Role::Assistant,
                content: said.to_owned(),
                // They were told of one by one.
                tools: Vec::new(),
            },
            None => What::Idle,
        },
        Told::Broken { what } => What::Error { what: what.clone() },
        Told::Ended { .. } => What::Ended,
        Told::Started { .. } | Told::Other => What::Seen,
    }
}

/// A prompt that is told twice is kept once. One that the host gives no name to is a new one.
fn prompt_id(event: &Value, content: &str) -> Option<String> {
    let named = ["prompt_id", "turn_id", "timestamp"].iter().find_map(|field| event[*field].as_str())?;
    let name: String = named.chars().take(100).collect();
    Some(format!("{name} {}", &blake3::hash(content.as_bytes()).to_hex()[..16]))
}

#[cfg(test)]
mod tests {
    use ralph_core::sessions::{Mode, Role, What};
    use serde_json::{Value, json};

    use crate::hooked::{CLAUDE, of, read};

    fn event(host: &str, name: &str, more: Value) -> super::super::Event {
        let mut event = json!({ "session_id": "s-1", "hook_event_name": name, "cwd": "/p" });
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        read(of(host).unwrap(), event.to_string().as_bytes(), None).unwrap()
    }

    fn content(what: What) -> (Role, String) {
        match what {
            What::Said { role, content, .. } => (role, content),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_people_and_agents_say_is_remembered_as_they_said_it() {
        let typed = event("claude", "UserPromptSubmit", json!({ "prompt": "/ralph fix it" })).observed;
        assert_eq!(content(typed), (Role::User, "/ralph fix it".to_owned()));
        let prompt = json!({ "prompt": "<hook_context>x</hook_context>\n\ngo on" });
        assert_eq!(
            content(event("gemini", "BeforeAgent", prompt).observed),
            (Role::User, "go on".to_owned())
        );
        let stopped = event("claude", "Stop", json!({ "last_assistant_message": "done" })).observed;
        assert_eq!(content(stopped), (Role::Assistant, "done".to_owned()));
        let answered = json!({ "prompt_response": "a\nb", "timestamp": "2026-01-01T00:00:00Z" });
        assert_eq!(
            content(event("gemini", "AfterAgent", answered).observed),
            (Role::Assistant, "a\nb".to_owned())
        );
        assert_eq!(event("claude", "Stop", json!({})).observed, What::Idle);
    }

    #[test]
    fn a_prompt_is_known_again_by_whatever_its_host_calls_it() {
        let id = |host: &str, event_name: &str, more: Value| match event(host, event_name, more).observed {
            What::Said { id, .. } => id,
            other => panic!("{other:?}"),
        };
        let codex = |turn: &str, prompt: &str| {
            id("codex", "UserPromptSubmit", json!({ "turn_id": turn, "prompt": prompt })).unwrap()
        };
        assert_eq!(codex("t-1", "go on"), codex("t-1", "go on"));
        assert_ne!(codex("t-1", "go on"), codex("t-2", "go on"));
        assert_ne!(codex("t-1", "go on"), codex("t-1", "stop it"));
        assert_eq!(id("claude", "UserPromptSubmit", json!({ "prompt": "go on" })), None);
    }

    #[test]
    fn other_events_are_remembered_for_what_they_are() {
        let of = |name: &str, more: Value| event(CLAUDE.name, name, more).observed;
        assert_eq!(of("SessionStart", json!({ "source": "startup" })), What::Seen);
        let tool = || What::Tool { name: "Bash".to_owned() };
        assert_eq!(of("PostToolUse", json!({ "tool_name": "Bash" })), tool());
        assert_eq!(of("PostToolUseFailure", json!({ "tool_name": "Bash", "error": "x" })), tool());
        assert_eq!(of("PostToolUse", json!({})), What::Seen);
        let broken = What::Error { what: "rate_limit".to_owned() };
        assert_eq!(of("StopFailure", json!({ "error": "rate_limit" })), broken);
        assert_eq!(of("SessionEnd", json!({ "reason": "other" })), What::Ended);
        for name in ["SubagentStop", "PreCompact"] {
            assert_eq!(of(name, json!({})), What::Seen);
        }
        let own = json!({ "prompt": "<task-notification>x</task-notification>" });
        assert_eq!(of("UserPromptSubmit", own), What::Seen);
    }

    #[test]
    fn the_mode_is_what_the_host_says_and_nothing_where_it_says_nothing() {
        let mode = |more: Value| event("claude", "Stop", more).mode;
        assert_eq!(mode(json!({ "permission_mode": "plan" })), Some(Mode::Plan));
        assert_eq!(mode(json!({ "permission_mode": "bypassPermissions" })), Some(Mode::Agent));
        assert_eq!((mode(json!({})), mode(json!({ "permission_mode": 7 }))), (None, None));
    }
}
