//! What the server answers and tells, as much of it as is used.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Health {
    pub(super) version: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Session {
    pub(super) id: String,
    #[serde(rename = "parentID")]
    pub(super) parent: Option<String>,
    pub(super) time: Time,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) metadata: Value,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Time {
    pub(super) created: u64,
    pub(super) completed: Option<u64>,
}

/// A message with its parts; those are passed on as they are.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Message {
    pub(super) info: Info,
    #[serde(default)]
    pub(super) parts: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Info {
    pub(super) id: String,
    #[serde(default)]
    pub(super) role: String,
    #[serde(default)]
    pub(super) time: Time,
    pub(super) finish: Option<String>,
    pub(super) error: Option<Value>,
    /// True for what a compaction wrote; an object of another meaning with a prompt.
    #[serde(default)]
    summary: Value,
    #[serde(default)]
    pub(super) tokens: Tokens,
    #[serde(default)]
    pub(super) cost: f64,
    #[serde(rename = "providerID")]
    pub(super) provider: Option<String>,
    #[serde(rename = "modelID")]
    pub(super) model: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, serde::Serialize)]
#[serde(default)]
pub struct Tokens {
    pub input: f64,
    pub output: f64,
    pub reasoning: f64,
    pub cache: Cache,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, serde::Serialize)]
#[serde(default)]
pub struct Cache {
    pub read: f64,
    pub write: f64,
}

impl Info {
    pub(super) fn is_assistant(&self) -> bool {
        self.role == "assistant"
    }

    /// What a compaction wrote, which is nothing that the agent says.
    pub(super) fn is_summary(&self) -> bool {
        self.summary == Value::Bool(true)
    }
}

impl Message {
    /// What it says, without what it thinks and does.
    pub(super) fn text(&self) -> String {
        let says =
            |part: &&Value| part["type"] == "text" && part["synthetic"] != true && part["ignored"] != true;
        let texts = self.parts.iter().filter(says).filter_map(|part| part["text"].as_str());
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

impl Tokens {
    pub(super) fn plus(self, other: Tokens) -> Tokens {
        Tokens {
            input: self.input + other.input,
            output: self.output + other.output,
            reasoning: self.reasoning + other.reasoning,
            cache: Cache {
                read: self.cache.read + other.cache.read,
                write: self.cache.write + other.cache.write,
            },
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Status {
    Idle,
    Busy,
    /// The server waits before it asks the model again.
    Retry {
        attempt: u32,
        #[serde(default)]
        message: String,
        /// When, in milliseconds since 1970.
        next: u64,
    },
}

/// It asks whether it may.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Permission {
    pub(super) id: String,
    #[serde(rename = "sessionID")]
    pub(super) session: String,
    #[serde(default)]
    pub(super) permission: String,
    #[serde(default)]
    pub(super) patterns: Vec<String>,
    pub(super) tool: Option<CallPlace>,
}

/// It asks a person.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Question {
    pub(super) id: String,
    #[serde(rename = "sessionID")]
    pub(super) session: String,
    #[serde(default)]
    pub(super) questions: Vec<Asked>,
    pub(super) tool: Option<CallPlace>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Asked {
    pub(super) question: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct CallPlace {
    #[serde(rename = "callID")]
    pub(super) call: String,
}

/// One event of the stream. What is not used is `Other`.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", content = "properties")]
pub(super) enum Event {
    #[serde(rename = "server.connected")]
    Connected {},
    #[serde(rename = "session.created")]
    Created { info: Session },
    #[serde(rename = "session.status")]
    Status {
        #[serde(rename = "sessionID")]
        session: String,
        status: Status,
    },
    #[serde(rename = "session.idle")]
    Idle {
        #[serde(rename = "sessionID")]
        session: String,
    },
    #[serde(rename = "session.error")]
    Error {
        #[serde(rename = "sessionID")]
        session: Option<String>,
        error: Option<Value>,
    },
    #[serde(rename = "session.deleted")]
    Deleted {
        #[serde(rename = "sessionID")]
        session: Option<String>,
        info: Option<Session>,
    },
    #[serde(rename = "message.updated")]
    Message {
        #[serde(rename = "sessionID")]
        session: String,
        info: Box<Info>,
    },
    #[serde(rename = "message.part.updated")]
    Part {
        #[serde(rename = "sessionID")]
        session: Option<String>,
        part: Value,
    },
    #[serde(rename = "permission.asked")]
    Permission(Permission),
    #[serde(rename = "question.asked")]
    Question(Question),
    #[serde(other)]
    Other,
}

impl Event {
    /// An event of a shape that is not known says nothing.
    pub(super) fn read(data: &str) -> Event {
        serde_json::from_str(data).unwrap_or(Event::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Status};

    #[test]
    fn an_event_is_known_by_its_type_and_what_is_not_known_says_nothing() {
        let retry = r#"{"id":"e","type":"session.status","properties":{"sessionID":"s","status":{"type":"retry","attempt":2,"message":"m","next":5}}}"#;
        let Event::Status { session, status } = Event::read(retry) else { panic!("a status") };
        let expected = Status::Retry { attempt: 2, message: "m".to_owned(), next: 5 };
        assert_eq!((session.as_str(), status), ("s", expected));
        for other in [
            r#"{"id":"e","type":"server.heartbeat","properties":{}}"#,
            r#"{"type":"session.status","properties":{"sessionID":"s","status":{"type":"new"}}}"#,
            "not json",
            "[]",
        ] {
            assert!(matches!(Event::read(other), Event::Other), "{other}");
        }
    }
}
