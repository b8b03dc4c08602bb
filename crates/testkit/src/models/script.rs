//! What the server is to say: a value, built in Rust or read from TOML or JSON.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What every conversation with the server gets to hear.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The first whose marker is in the prompt applies.
    #[serde(default, rename = "conversation")]
    pub conversations: Vec<Conversation>,
    #[serde(default)]
    pub plain: Plain,
}

/// What a request that offers no tools is. Programs make such calls on the side, for a title or a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plain {
    /// Not of the script: it gets this text, or a value of the schema it asks for, and uses up no turn.
    Aside(String),
    /// Of the script like any other.
    Scripted,
}

impl Default for Plain {
    fn default() -> Plain {
        Plain::Aside("A scripted title".into())
    }
}

/// The turns of the conversations that carry a marker.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// Text that a user message holds. Without one, every conversation is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    #[serde(default, rename = "turn")]
    pub turns: Vec<Turn>,
}

/// One answer, and when it is due.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    #[serde(default, skip_serializing_if = "When::is_in_order")]
    pub when: When,
    #[serde(flatten)]
    pub answer: Answer,
}

/// When a turn is due. A condition that holds goes before the order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    #[default]
    InOrder,
    /// At the n-th request of the conversation, the first being 1 and failed ones counted.
    Request(u32),
    /// While the request ends with a tool result that contains this.
    ToolResult(String),
}

impl When {
    fn is_in_order(&self) -> bool {
        *self == When::InOrder
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Reply(Reply),
    Fault(Fault),
}

/// What the model says and does in one turn. `{promise}` is replaced by the word that the brief asks for, in the
/// text and in the arguments of calls; where the brief asks for none it stays as it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    #[serde(default)]
    pub say: String,
    #[serde(default)]
    pub call: Vec<Call>,
    /// A stream is no faster than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_per_second: Option<u32>,
    #[serde(default)]
    pub usage: Usage,
}

/// What a tool is to do. Which tool that is, and what its arguments are called, follows from the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// Relative paths are taken from the working directory that the program names in its prompt.
    Write {
        path: PathBuf,
        content: String,
    },
    Shell(String),
    /// A sub-agent with this prompt.
    Delegate(String),
    /// Wait for the sub-agent started last, in programs that start them in the background.
    Join,
    /// A tool by its own name.
    Tool {
        name: String,
        arguments: Value,
    },
}

/// What goes wrong instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// 429, `times` in a row; with `retry_after` in seconds where it is given.
    RateLimit {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<u32>,
        #[serde(default = "once")]
        times: u32,
    },
    /// 429 without end, with the seconds until the limit is over in its words alone: a header of hours puts programs to
    /// sleep.
    UsedUp { reset_in: u32 },
    /// Any other HTTP status with the provider's error body, `times` in a row: 401, 500, 503, 529.
    Status {
        code: u16,
        #[serde(default = "once")]
        times: u32,
    },
    /// 400, the prompt is longer than the model's context.
    ContextTooLong,
    /// The connection closes in the middle of this text.
    BrokenStream {
        say: String,
        #[serde(default = "once")]
        times: u32,
    },
    /// The answer begins and never goes on.
    Hang,
}

fn once() -> u32 {
    1
}

impl Fault {
    /// The number of times of a fault that does not end.
    pub const ALWAYS: u32 = u32::MAX;

    /// How many requests in a row it takes.
    pub(super) fn times(&self) -> u32 {
        match self {
            Fault::RateLimit { times, .. }
            | Fault::Status { times, .. }
            | Fault::BrokenStream { times, .. } => *times,
            Fault::UsedUp { .. } | Fault::ContextTooLong | Fault::Hang => Fault::ALWAYS,
        }
    }
}

/// The tokens that a reply reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Of the whole prompt, cached ones included.
    pub input: u32,
    pub cached: u32,
    pub output: u32,
}

impl Default for Usage {
    fn default() -> Usage {
        Usage { input: 1000, cached: 300, output: 50 }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("cannot read the script {path}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the script {path} is neither a .toml nor a .json file")]
    Extension { path: PathBuf },
    #[error("the script {path} does not parse: {reason}")]
    Parse { path: PathBuf, reason: String },
}

impl Script {
    /// A script for every conversation, whatever its prompt.
    pub fn of(turns: impl IntoIterator<Item = Turn>) -> Script {
        Script::default().about(None, turns)
    }

    /// Adds the turns of the conversations whose prompt holds the marker.
    #[must_use]
    pub fn on(self, marker: &str, turns: impl IntoIterator<Item = Turn>) -> Script {
        self.about(Some(marker.into()), turns)
    }

    fn about(mut self, marker: Option<String>, turns: impl IntoIterator<Item = Turn>) -> Script {
        self.conversations.push(Conversation { marker, turns: turns.into_iter().collect() });
        self
    }

    /// Reads a `.toml` or `.json` file.
    pub fn read(path: &Path) -> Result<Script, ScriptError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Read { path: path.into(), source })?;
        let parsed = match path.extension().and_then(|e| e.to_str()) {
            Some("toml") => toml::from_str(&text).map_err(|e| e.to_string()),
            Some("json") => serde_json::from_str(&text).map_err(|e| e.to_string()),
            Some(_) | None => return Err(ScriptError::Extension { path: path.into() }),
        };
        parsed.map_err(|reason| ScriptError::Parse { path: path.into(), reason })
    }
}

impl Turn {
    /// Says a text. With no call the program's own turn ends here.
    pub fn say(text: impl Into<String>) -> Turn {
        Turn::from(Reply { say: text.into(), ..Reply::default() })
    }

    /// Says a text and calls a tool.
    pub fn call(text: impl Into<String>, call: Call) -> Turn {
        Turn::from(Reply { say: text.into(), call: vec![call], ..Reply::default() })
    }

    pub fn fault(fault: Fault) -> Turn {
        Turn { when: When::InOrder, answer: Answer::Fault(fault) }
    }

    #[must_use]
    pub fn when(mut self, when: When) -> Turn {
        self.when = when;
        self
    }
}

impl From<Reply> for Turn {
    fn from(reply: Reply) -> Turn {
        Turn { when: When::InOrder, answer: Answer::Reply(reply) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_reads_the_same_from_toml_and_from_rust() {
        let read: Script = toml::from_str(
            r#"
            [[conversation]]
            marker = "T-1"
            [[conversation.turn]]
            fault = { rate_limit = { retry_after = 1 } }
            [[conversation.turn]]
            reply = { say = "writing", call = [{ write = { path = "a.txt", content = "hi" } }] }
            [[conversation.turn]]
            when = { tool_result = "oops" }
            reply = { say = "it failed" }
            [[conversation.turn]]
            reply = { say = "<promise>{promise}</promise>" }
            "#,
        )
        .unwrap();
        let built = Script::default().on(
            "T-1",
            [
                Turn::fault(Fault::RateLimit { retry_after: Some(1), times: 1 }),
                Turn::call("writing", Call::Write { path: "a.txt".into(), content: "hi".into() }),
                Turn::say("it failed").when(When::ToolResult("oops".into())),
                Turn::say("<promise>{promise}</promise>"),
            ],
        );
        assert_eq!(read, built);
        let json = serde_json::to_string(&built).unwrap();
        assert_eq!(serde_json::from_str::<Script>(&json).unwrap(), built);
    }

    #[test]
    fn the_example_is_a_script() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/hello.toml");
        let script = Script::read(&path).unwrap();
        let turns: Vec<_> =
            script.conversations.iter().map(|c| (c.marker.as_deref(), c.turns.len())).collect();
        assert_eq!(turns, [(Some("limit"), 2), (None, 4)]);
    }
}
