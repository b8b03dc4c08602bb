//! A loop that lives inside a session of a host: the host's events drive it, and no process lives between them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::id::{AgentName, SessionId};
use crate::policy::Signal;
use crate::report::{AgentExit, Usage};

/// How long a session is left alone after an error.
pub const RECOVERY: Duration = Duration::from_secs(5);
/// How long a host is given to put another session in place of one.
pub const REPLACEMENT: Duration = Duration::from_secs(300);

/// Where a loop lives, and what is known of the conversation there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InSession {
    /// None until a host has presented the session, where the loop was started without naming one.
    #[serde(default)]
    pub host: Option<AgentName>,
    pub session: SessionId,
    #[serde(default)]
    pub strategy: Strategy,
    /// The message that ended the last turn that was heard of.
    #[serde(default)]
    pub heard: Option<String>,
    /// Whether the agent was given the brief of the present attempt.
    #[serde(default)]
    pub briefed: bool,
    /// Whether something else was asked since: the last words of the turn may be about that.
    #[serde(default)]
    pub aside: bool,
    /// What the agent's list of things to do was like when the last turn ended, in short.
    #[serde(default)]
    pub list: Option<String>,
    /// An error was told, and the session is left alone until then.
    #[serde(default)]
    pub recovering: Option<Recovering>,
    /// Until when another session may take the place of this one.
    #[serde(default)]
    pub replacing: Option<Timestamp>,
    /// What the last turn said, and how often in a row it was just that.
    #[serde(default)]
    pub refrain: Refrain,
    /// Where summaries of sessions that were replaced are kept, as a path below the project's root.
    #[serde(default)]
    pub summaries: Option<String>,
}

/// What becomes of the conversation between two iterations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// It goes on.
    #[default]
    Continue,
    /// A new session begins with nothing but the brief.
    Reset,
    /// A new session begins with a summary of the old one.
    Compact,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovering {
    pub until: Timestamp,
    pub what: String,
    /// What it means, where that is known.
    #[serde(default)]
    pub exit: Option<AgentExit>,
}

/// The same words again and again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refrain {
    pub words: String,
    pub times: u32,
}

/// What a host tells when its agent is through with a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// What the host calls the agent's last message; a turn is known by it.
    pub message: Option<String>,
    /// What that message says.
    pub text: String,
    pub ending: TurnEnding,
    /// How many tools were used.
    pub tools: u32,
    pub signals: Vec<Signal>,
    /// What the agent asked by ralph's own tool.
    pub question: Option<String>,
    /// What it said by ralph's own tool when it was done.
    pub summary: Option<String>,
    /// The list of things to do, where the host keeps one.
    pub list: Option<Listed>,
    /// Whether the message was broken off, so that nothing it promises counts.
    pub is_broken_off: bool,
    pub usage: Usage,
    pub duration: Duration,
}

/// An agent's list of things to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// The same for the same list, and for no other.
    pub digest: String,
    /// Nothing on it is left to do, and something on it was done.
    pub is_done: bool,
    /// The agent wrote it in this turn.
    pub is_written: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TurnEnding {
    #[default]
    Well,
    /// A person wanted no more of it.
    Aborted,
    Failed {
        what: String,
    },
    /// It failed in a way that is known.
    Recognised {
        exit: AgentExit,
    },
}

impl Strategy {
    pub const ALL: [Strategy; 3] = [Strategy::Continue, Strategy::Reset, Strategy::Compact];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::Continue => "continue",
            Strategy::Reset => "reset",
            Strategy::Compact => "compact",
        }
    }

    pub fn parse(name: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

impl InSession {
    pub fn new(host: impl Into<Option<AgentName>>, session: SessionId) -> InSession {
        InSession {
            host: host.into(),
            session,
            strategy: Strategy::Continue,
            heard: None,
            briefed: false,
            aside: false,
            list: None,
            recovering: None,
            replacing: None,
            refrain: Refrain::default(),
            summaries: None,
        }
    }
}

/// A session as people are told of it.
pub fn named(session: &SessionId, host: Option<&AgentName>) -> String {
    match host {
        Some(host) => format!("session {session} of {host}"),
        None => format!("session {session} of no host yet"),
    }
}
