//! What the agent did in one attempt.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::crew::Conversation;
use crate::policy::{Cost, Error, Signal};
use crate::promise::Claim;
use crate::stop::StopReason;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    pub exit: AgentExit,
    pub claim: Claim,
    /// What else it showed by its own means: a tool that it called, a list that it worked off.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub signals: BTreeSet<Signal>,
    /// What it asked instead of working.
    #[serde(default)]
    pub question: Option<String>,
    pub usage: Usage,
    pub duration_ms: u64,
    /// Bytes that the agent printed.
    pub output_bytes: u64,
    /// The end of what it printed, for the next brief and for people.
    pub tail: String,
    /// Processes that the agent left running and that were ended.
    pub leftovers: u32,
    /// What the agent calls its own conversation, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Box<Conversation>>,
    /// The last commands that it ran by its tools, where it tells of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<Ran>,
    /// A block with the notes that it stated, where its message is longer than its end and states some before it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stated: String,
}

impl Report {
    /// What its notes are read from.
    pub fn notes(&self) -> &str {
        if self.stated.is_empty() { &self.tail } else { &self.stated }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    pub command: String,
    /// Whether it ended as it should.
    pub ok: bool,
}

/// How an attempt ended. A rate limit or a timeout is an ending, not an error of ralph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentExit {
    /// It ended by itself.
    Code {
        code: i32,
    },
    Signal {
        signal: i32,
    },
    /// It could not be started.
    NotStarted {
        why: String,
    },
    /// It said nothing within the start deadline.
    StartTimeout,
    /// It said nothing for longer than the silence deadline.
    SilenceTimeout,
    /// It took longer than the total deadline of an attempt.
    TotalTimeout,
    /// Its account may not go on for now.
    Limited {
        what: String,
        /// When it says that it may go on.
        reset: Option<Timestamp>,
    },
    /// Its servers cannot at the moment.
    Overloaded {
        what: String,
    },
    /// Its servers cannot be reached.
    Network {
        what: String,
    },
    /// Nobody is logged in.
    Unauthenticated {
        what: String,
        next: String,
    },
    /// It can never work like this.
    Misconfigured {
        what: String,
        next: String,
    },
    /// The conversation that it was to go on with is gone.
    SessionGone {
        what: String,
    },
    /// It said that it failed.
    Failed {
        what: String,
    },
    /// It ended without ever saying that it was through.
    Unfinished,
}

/// What an ending calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// Judge what it did.
    Verify,
    /// Wait or let another agent go on; nobody is to blame.
    Yield { reset: Option<Timestamp> },
    /// Try again, within bounds.
    Retry(Error),
    /// Try again at once without the conversation.
    Afresh,
    /// Only a person can help.
    GiveUp(StopReason),
}

impl AgentExit {
    /// Whether the agent ended as it should: the only ending that a bare claim may rest on.
    pub fn is_clean(&self) -> bool {
        matches!(self, AgentExit::Code { code: 0 })
    }

    pub fn response(&self) -> Response {
        match self {
            AgentExit::Code { code: 0 } => Response::Verify,
            AgentExit::Limited { reset, .. } => Response::Yield { reset: *reset },
            AgentExit::Unauthenticated { .. } => Response::GiveUp(StopReason::Authentication),
            AgentExit::Misconfigured { .. } => Response::GiveUp(StopReason::Configuration),
            AgentExit::SessionGone { .. } => Response::Afresh,
            AgentExit::Overloaded { .. } | AgentExit::Network { .. } => Response::Retry(Error::Passing),
            AgentExit::Code { .. }
            | AgentExit::Signal { .. }
            | AgentExit::NotStarted { .. }
            | AgentExit::StartTimeout
            | AgentExit::SilenceTimeout
            | AgentExit::TotalTimeout
            | AgentExit::Failed { .. }
            | AgentExit::Unfinished => Response::Retry(Error::Own),
        }
    }
}

impl std::fmt::Display for AgentExit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AgentExit::Code { code } => write!(f, "exit code {code}"),
            AgentExit::Signal { signal } => write!(f, "ended by signal {signal}"),
            AgentExit::NotStarted { why } => write!(f, "could not be started: {why}"),
            AgentExit::StartTimeout => f.write_str("no output before the start deadline"),
            AgentExit::SilenceTimeout => f.write_str("silent for longer than the silence deadline"),
            AgentExit::TotalTimeout => f.write_str("took longer than an attempt may"),
            AgentExit::Limited { what, .. } => write!(f, "limited: {what}"),
            AgentExit::Overloaded { what } => write!(f, "its servers are overloaded: {what}"),
            AgentExit::Network { what } => write!(f, "its servers cannot be reached: {what}"),
            AgentExit::Unauthenticated { what, next } => write!(f, "not logged in: {what}; {next}"),
            AgentExit::Misconfigured { what, next } => write!(f, "cannot work like this: {what}; {next}"),
            AgentExit::SessionGone { what } => write!(f, "its conversation is gone: {what}"),
            AgentExit::Failed { what } => write!(f, "failed: {what}"),
            AgentExit::Unfinished => f.write_str("ended without saying that it was through"),
        }
    }
}

/// What an attempt used up, as far as the agent says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// Whether any of the cost comes from the price table instead of the agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_is_estimated: bool,
}

impl Usage {
    /// The cost as people read it: `$0.12`, or `~$0.12 estimated`.
    pub fn price(&self) -> String {
        if self.cost_is_estimated { format!("~{} estimated", self.cost) } else { self.cost.to_string() }
    }

    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost: Cost(self.cost.0.saturating_add(other.cost.0)),
            cost_is_estimated: self.cost_is_estimated || other.cost_is_estimated,
        }
    }
}

/// Why an attempt has no report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// A person aborted it.
    Aborted,
    /// A person wants no more of its task.
    Skipped,
    /// The run's own time was up in the middle of it.
    TimeUp,
    /// ralph died during it; found on resume.
    Interrupted,
    /// The guard that kept its processes died; they were ended.
    GuardLost,
    /// What it printed could not be kept.
    Storage,
}

impl Fault {
    /// What a run ends for at once; none where what was cut short can be done again.
    pub fn ends(self) -> Option<StopReason> {
        match self {
            Fault::Aborted => Some(StopReason::Aborted),
            Fault::TimeUp => Some(StopReason::MaxDuration),
            Fault::Storage => Some(StopReason::Disk),
            Fault::Skipped | Fault::GuardLost | Fault::Interrupted => None,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Fault::Aborted => "aborted",
            Fault::Skipped => "its task was skipped",
            Fault::TimeUp => "the run's time was up",
            Fault::Interrupted => "interrupted by a crash",
            Fault::GuardLost => "its guard process died",
            Fault::Storage => "its output could not be stored",
        })
    }
}
