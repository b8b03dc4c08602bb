//! What the relay prints: one JSON object per line.

use serde::Serialize;
use serde_json::Value;

use super::permission::Permissions;

/// What the agent says in the protocol is passed on as it is; only `type` is added.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Line {
    /// Who the agent says it is.
    Agent {
        protocol_version: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        info: Option<Value>,
    },
    /// The session that the prompt goes to.
    Session {
        session_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The parameters of a `session/update`.
    Update(Value),
    /// The agent asked whether it may, and was answered.
    Permission { tool_call: Value, policy: Permissions, allowed: bool },
    /// Something on the agent's standard output that is not the protocol.
    Noise { bytes: u64, text: String },
    /// The agent's answer to `session/prompt`: the end.
    Result(Value),
    /// The end where there was no such answer.
    Error(Failed),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failed {
    /// The request that came to nothing.
    pub method: &'static str,
    /// The relay's own name for it, where the agent gave no error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Line {
    /// As it is printed.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("a line is texts, numbers and the agent's own JSON") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::{Failed, Line, Permissions};
    use serde_json::json;

    #[test]
    fn a_line_is_the_protocol_s_own_json_with_a_type() {
        let check = |line: Line, expected: &str| assert_eq!(line.text(), format!("{expected}\n"));
        check(
            Line::Update(json!({ "sessionId": "s", "update": { "sessionUpdate": "plan" } })),
            r#"{"type":"update","sessionId":"s","update":{"sessionUpdate":"plan"}}"#,
        );
        check(
            Line::Result(json!({ "stopReason": "end_turn" })),
            r#"{"type":"result","stopReason":"end_turn"}"#,
        );
        check(
            Line::Permission { tool_call: json!({}), policy: Permissions::Ask, allowed: false },
            r#"{"type":"permission","toolCall":{},"policy":"ask","allowed":false}"#,
        );
        let failed = Failed {
            method: "initialize",
            kind: Some("gone"),
            code: None,
            message: "it ended".to_owned(),
            data: None,
        };
        check(
            Line::Error(failed),
            r#"{"type":"error","method":"initialize","kind":"gone","message":"it ended"}"#,
        );
    }
}
