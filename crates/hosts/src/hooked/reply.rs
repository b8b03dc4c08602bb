//! What a host hears, in its own format: one JSON object on standard output, or nothing.

use serde_json::{Value, json};

use super::dialect::Dialect;

/// An answer, whatever the host calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The host goes on as it would.
    Nothing,
    /// The same, and the person is told something.
    Tell(String),
    /// The agent reads this beside what the person said.
    Context { text: String, note: Option<String> },
    /// What the agent is at, once more. Whatever is remembered for it is part of that.
    Brief(String),
    /// The turn is not over: the agent is given this.
    GoOn { brief: String, note: Option<String> },
    /// What the person typed goes no further, and the person is told this.
    Kept(String),
}

impl Reply {
    /// None where nothing is to be said.
    pub fn said(&self, dialect: &Dialect, event: &str) -> Option<Value> {
        let mut said = match self {
            Reply::Nothing => return None,
            Reply::Tell(_) => json!({}),
            Reply::Context { text, .. } | Reply::Brief(text) => {
                json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
            }
            Reply::GoOn { brief: reason, .. } | Reply::Kept(reason) => {
                json!({ "decision": dialect.blocks, "reason": reason })
            }
        };
        if let Some(note) = self.note() {
            said["systemMessage"] = Value::from(note);
        }
        Some(said)
    }

    fn note(&self) -> Option<&str> {
        match self {
            Reply::Tell(note) => Some(note),
            Reply::Context { note, .. } | Reply::GoOn { note, .. } => note.as_deref(),
            Reply::Nothing | Reply::Brief(_) | Reply::Kept(_) => None,
        }
    }
}
