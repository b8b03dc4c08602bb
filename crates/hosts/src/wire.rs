//! The wire between a host's plugin and `ralph hook`: one JSON object in, one out, each with a version.

use ralph_core::id::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of both.
pub const VERSION: u32 = 1;

/// What a plugin tells.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Told {
    pub v: u32,
    pub event: Kind,
    /// The session that it is about, as the host calls it.
    #[serde(default)]
    pub session: String,
    /// The directory that the session works in, as an absolute path.
    #[serde(default)]
    pub directory: String,
    /// With `idle`: the agent's last message. With `message`: what the person says.
    #[serde(default)]
    pub message: Option<Message>,
    /// With `idle`: the session's list of things to do.
    #[serde(default)]
    pub todo: Option<Vec<Todo>>,
    /// With `deleted`: whether the session was found to exist; left out where nobody looked.
    #[serde(default)]
    pub exists: Option<bool>,
    /// With `replaced`: the session that takes the place of `session`, which is deleted next.
    #[serde(default)]
    pub replaced_by: Option<String>,
    /// With `replaced`: what was said in the old session, in short.
    #[serde(default)]
    pub summary: Option<String>,
    /// With `error`: what went wrong.
    #[serde(default)]
    pub error: Option<Fault>,
    /// With `command`: the command's name and its arguments as they were typed.
    #[serde(default)]
    pub command: Option<String>,
    #[serde(default)]
    pub arguments: Option<String>,
    /// With `command`: whether the agent is at work in the session.
    #[serde(default)]
    pub busy: bool,
    /// With `tool`: the tool that was used.
    #[serde(default)]
    pub tool: Option<String>,
    /// With `failed`: which action could not be performed, and why.
    #[serde(default)]
    pub failed: Option<Failed>,
    /// With `message`: whether it is the first of its session.
    #[serde(default)]
    pub first: bool,
    /// The options that the plugin was configured with.
    #[serde(default)]
    pub options: Option<Value>,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The agent is through with its turn.
    Idle,
    Error,
    Deleted,
    /// One of ralph's commands was typed.
    Command,
    /// A person says something, and the agent has not read it yet.
    Message,
    /// A tool has ended.
    Tool,
    Replaced,
    Failed,
    /// The time of a `due` has come.
    Due,
}

/// A message, and the turn that it ends.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
pub struct Message {
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub text: String,
    /// How it ended, in the host's words; left out where it was cut off.
    #[serde(default)]
    pub finish: Option<String>,
    #[serde(default)]
    pub error: Option<Fault>,
    /// The tools that were used in the turn, in order.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Those of them whose call failed, once for each such call.
    #[serde(default)]
    pub tools_failed: Vec<String>,
    #[serde(default, deserialize_with = "count")]
    pub input_tokens: u64,
    #[serde(default, deserialize_with = "count")]
    pub cached_tokens: u64,
    #[serde(default, deserialize_with = "count")]
    pub output_tokens: u64,
    #[serde(default)]
    pub cost_usd: f64,
    /// How long the turn took.
    #[serde(default, deserialize_with = "count")]
    pub duration_ms: u64,
}

/// Some providers count below zero, or in fractions: that is no reason not to hear of the turn.
fn count<'de, D: serde::Deserializer<'de>>(given: D) -> Result<u64, D::Error> {
    let number = Option::<f64>::deserialize(given)?.unwrap_or_default();
    // A cast of a float stays within what fits.
    Ok(number as u64)
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Fault {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub message: String,
    /// The HTTP status that the model's provider answered with.
    #[serde(default)]
    pub status: Option<u16>,
    /// How long the provider wants to be left alone.
    #[serde(default)]
    pub retry_after_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Todo {
    #[serde(default)]
    pub content: String,
    /// `pending`, `in_progress`, `completed` or `cancelled`.
    #[serde(default)]
    pub status: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Failed {
    /// The type of the action.
    pub action: String,
    #[serde(default)]
    pub error: String,
}

/// What the plugin is to do, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answer {
    pub v: u32,
    pub actions: Vec<Action>,
    /// Whether the tool `task_complete` counts in the session, so that its agent is to be shown it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tool: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Action {
    #[serde(flatten)]
    pub act: Act,
    /// The session that it is about; the event's by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// How long to wait first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Act {
    /// Tell the agent this. In answer to a command: in place of what the command says.
    Prompt { text: String },
    /// Add this to the message that the agent is about to read.
    Append { text: String },
    /// Show this to the person.
    Toast { title: String, message: String, variant: Variant, duration_ms: u64 },
    /// Have the session summarised; the summary goes with `replaced`.
    Summarise {},
    /// Put a new session in place of this one: make it, tell `replaced`, do what that is answered with, and, if that
    /// could be done, delete the old one.
    NewSession { title: String },
    /// Look at the session again: tell `deleted` if it does not exist, and otherwise, unless only that is asked, `idle`
    /// if it is idle.
    Recheck { only_existence: bool },
    /// Tell `due`, and do what that is answered with.
    Due {},
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    Info,
    Success,
    Warning,
    Error,
}

impl Answer {
    pub fn nothing() -> Answer {
        Answer { v: VERSION, actions: Vec::new(), tool: false }
    }
}

impl From<Act> for Action {
    fn from(act: Act) -> Action {
        Action { act, session: None, after_ms: None }
    }
}
