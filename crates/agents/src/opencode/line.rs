//! What the relay prints: one JSON object per line. Parts are the server's own, in the words of `opencode run`.

use serde::Serialize;
use serde_json::Value;

use super::wire::Tokens;
use crate::acp::Permissions;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    /// The server that does the work.
    Server {
        version: String,
        adopted: bool,
    },
    /// The session that the prompt goes to.
    Session {
        #[serde(rename = "sessionID")]
        session: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A session in which an earlier turn of the run still went on, which was ended.
    Left {
        #[serde(rename = "sessionID")]
        session: String,
    },
    /// What was kept of a session that another takes the place of.
    Summary {
        of: String,
        text: String,
    },
    /// A part of a message that is whole. Other sessions than the one of the prompt are sub-agents'.
    StepStart(Part),
    Text(Part),
    Reasoning(Part),
    ToolUse(Part),
    StepFinish(Part),
    /// The server waits before it asks the model again.
    Waiting {
        attempt: u32,
        message: String,
        delay_ms: u64,
    },
    /// The stream of events was cut; the state is read again.
    Reconnected,
    /// It asked whether it may, and was answered.
    Permission {
        #[serde(rename = "callID")]
        call: String,
        what: String,
        policy: Permissions,
        allowed: bool,
    },
    /// It asked a person, and was told that nobody answers.
    Question {
        #[serde(rename = "callID")]
        call: String,
        text: String,
    },
    /// The end of the turn.
    End(Box<End>),
    /// The end where the turn failed, or there was none.
    Error(Failed),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    #[serde(rename = "sessionID")]
    pub session: String,
    pub part: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct End {
    /// Why the model stopped.
    pub reason: String,
    /// What the agent said last.
    pub text: String,
    pub tokens: Tokens,
    pub cost: f64,
    /// Whether the tool that says the task is done was called.
    pub tool: bool,
    /// Whether there is a list of things to do, written in this turn, and all of it is done.
    pub todo: bool,
}

/// An error in the server's own shape, with names of our own where it has none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failed {
    pub error: Value,
    /// What the turn took all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Box<Tokens>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Failed {
    pub(super) fn named(name: &str, message: &str) -> Failed {
        let error = serde_json::json!({ "name": name, "data": { "message": message } });
        Failed { error, tokens: None, cost: None }
    }
}

impl Line {
    /// As it is printed.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("a line is texts, numbers and the server's own JSON") + "\n"
    }
}
