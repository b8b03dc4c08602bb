//! What the engine needs of an agent: how to start it for an attempt, and what to make of what it prints.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use ralph_core::agent_event::AgentEvent;
use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::crew::{Conversation, Member};
use ralph_core::event::Stream;
use ralph_core::id::{AgentName, RunId};
use ralph_core::policy::Signal;
use ralph_core::promise::Claim;
use ralph_core::report::{AgentExit, Usage};

/// Program and arguments; never a shell line. The brief goes in by [`Agent::prompt`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    pub program: OsString,
    pub args: Vec<OsString>,
    /// What the agent is told through its environment, beside what it inherits.
    pub env: Vec<(OsString, OsString)>,
}

/// How an agent takes its brief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    Stdin,
    /// As one argument, before the one at this place; standard input is empty.
    Argument(usize),
}

/// What an attempt is given beside its brief.
#[derive(Debug, Clone, Copy, Default)]
pub struct Equipment<'a> {
    pub files: &'a [String],
    pub tools: Option<&'a Tools>,
}

/// ralph's own tools, for an agent that takes a server of the Model Context Protocol: `program mcp` is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    pub program: PathBuf,
    pub run: RunId,
    pub mailbox: PathBuf,
}

pub trait Agent: std::fmt::Debug + Send + Sync {
    fn name(&self) -> &AgentName;

    fn invocation(&self, attempt: &Attempt) -> Invocation;

    fn prompt(&self) -> Prompt {
        Prompt::Stdin
    }

    /// Adds the arguments by which it takes what an attempt is given, as far as it takes it.
    fn equip(&self, _with: Equipment<'_>, _invocation: &mut Invocation, _prompt: &mut Prompt) {}

    /// Where it keeps what it has to write to, as [`crate::sandbox::expand`] reads it.
    fn state(&self) -> &[String] {
        &[]
    }

    /// Listens to one attempt.
    fn listen(&self, attempt: &Attempt, brief: &Brief) -> Box<dyn Listener>;

    /// Whether reports carry tokens and cost, so that limits on them can be kept.
    fn reports_usage(&self) -> bool;

    /// Whether a later attempt can go on with its conversation.
    fn can_continue(&self) -> bool {
        false
    }

    /// Whether a later attempt can go on from a summary of its conversation.
    fn can_compact(&self) -> bool {
        false
    }

    /// Whether it has the means to show this.
    fn shows(&self, signal: Signal) -> bool {
        match signal {
            Signal::Promise | Signal::Criteria | Signal::Tracker => true,
            Signal::Tool | Signal::Todo => false,
        }
    }

    /// Whether what it prints is events for programs, so that people are shown those instead.
    fn is_structured(&self) -> bool;
}

/// Where a run's agents come from.
pub trait Roster: std::fmt::Debug + Send + Sync {
    /// The agent as this member of the crew is to be started, or why it cannot be.
    fn agent(&self, member: &Member) -> Result<Arc<dyn Agent>, String>;

    /// The same agent without what lets it work unasked: one that is only to look.
    fn judge(&self, member: &Member) -> Result<Arc<dyn Agent>, String>;
}

/// Hears what an attempt prints, redacted and in order, in bounded memory.
pub trait Listener: Send {
    /// Takes a piece, and tells what it says where it is in a language that the agent speaks.
    fn hear(&mut self, stream: Stream, bytes: &[u8], tell: &mut dyn FnMut(AgentEvent));

    /// What it all came to, given how the program ended.
    fn conclude(self: Box<Self>, exit: &AgentExit) -> Heard;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    pub claim: Claim,
    /// What else it showed by its own means.
    pub signals: BTreeSet<Signal>,
    /// What it asked, where it has a way of its own to ask.
    pub question: Option<String>,
    pub usage: Usage,
    /// What it calls its own conversation, where a later attempt can go on with that.
    pub conversation: Option<Conversation>,
    /// Its final message, where that is less than all it printed.
    pub message: Option<String>,
    /// How the attempt ended in the agent's own words, where those say more than the program's exit status.
    pub exit: Option<AgentExit>,
}
