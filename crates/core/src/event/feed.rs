//! What is shown while an agent works, between the journal's lines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Entry;
use crate::Timestamp;
use crate::agent_event::AgentEvent;

/// A piece of what the agent prints, as it comes: shown and kept in files, never journalled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// The journal's last `seq` when it came.
    pub seq: u64,
    pub at: Timestamp,
    #[serde(rename = "type")]
    pub kind: OutputKind,
    pub iteration: u32,
    pub attempt: u32,
    pub stream: Stream,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputKind {
    Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    Out,
    Err,
}

/// Something a structured agent told while it worked: shown, never journalled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTold {
    /// The journal's last `seq` when it came.
    pub seq: u64,
    pub at: Timestamp,
    #[serde(rename = "type")]
    pub kind: AgentKind,
    pub iteration: u32,
    pub attempt: u32,
    #[serde(flatten)]
    pub event: AgentEvent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    Agent,
}

/// One line of `--json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Line {
    Output(Output),
    Agent(AgentTold),
    Journal(Entry),
}
