//! What an agent says while it works, in one language for every agent program.

mod detail;
mod tree;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::policy::Cost;

pub use detail::Detail;
pub use tree::{Branch, State, Tree};

/// Something an agent program told about its work. Texts are cut where they are longer than people read.
///
/// `parent` is the sub-agent that speaks; without one it is the agent itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// The conversation that later attempts can resume.
    Session {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    Message {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    Reasoning {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    ToolUse {
        id: String,
        name: String,
        /// What it works on, on one line: a command, a path, a question.
        input: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    ToolResult {
        id: String,
        ok: bool,
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    SubAgentStarted {
        id: String,
        name: String,
        task: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    SubAgentEnded {
        id: String,
        ok: bool,
    },
    /// What the attempt used up so far.
    Usage {
        input_tokens: u64,
        cached_tokens: u64,
        output_tokens: u64,
    },
    /// What the attempt cost so far, in the agent's own words.
    Cost {
        #[serde(rename = "cost_usd")]
        cost: Cost,
    },
    /// The agent itself waits before it asks its model again.
    Waiting {
        attempt: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delay_ms: Option<u64>,
        why: String,
    },
    /// The agent's account may not go on for now.
    Limit {
        what: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resets_at: Option<Timestamp>,
    },
    /// Something went wrong; the agent may go on all the same.
    Error {
        what: String,
    },
    /// The agent says that it is through, well or not.
    End {
        ok: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::AgentEvent;

    #[test]
    fn an_event_is_tagged_in_snake_case_and_comes_back() {
        let event = AgentEvent::SubAgentStarted {
            id: "t1".to_owned(),
            name: "explorer".to_owned(),
            task: "look around".to_owned(),
            parent: None,
        };
        let json = r#"{"event":"sub_agent_started","id":"t1","name":"explorer","task":"look around"}"#;
        assert_eq!(serde_json::to_string(&event).expect("json"), json);
        assert_eq!(serde_json::from_str::<AgentEvent>(json).expect("event"), event);
    }
}
