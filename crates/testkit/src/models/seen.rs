//! What the server was asked and what it answered, for tests to look at.

use serde::Serialize;

use super::protocol::Protocol;

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seen {
    pub method: String,
    pub path: String,
    /// None for whatever does not ask for a reply.
    pub protocol: Option<Protocol>,
    pub model: String,
    /// Messages in the history, tool results and the model's own turns counted.
    pub messages: usize,
    /// Names of the tools on offer.
    pub tools: Vec<String>,
    pub last_user_text: String,
    /// All that users said, in the programs' own words too.
    pub user_text: String,
    pub last_tool_result: String,
    /// Pictures in the request, as data.
    pub pictures: usize,
    pub answered: Answered,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// The turn of the script with this number, in the conversation with this marker.
    Reply {
        marker: Option<String>,
        turn: usize,
    },
    Fault {
        marker: Option<String>,
        turn: usize,
    },
    /// A side request, outside the script.
    Aside,
    /// The script had no turn left.
    Nothing,
    /// A probe, a list of models, telemetry: the HTTP status it got.
    Probe(u16),
}
