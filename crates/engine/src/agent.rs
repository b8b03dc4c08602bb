//! What the engine needs of an agent: how to start it for an attempt, and what to make of what it prints.

use std::ffi::OsString;

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::event::Stream;
use ralph_core::id::AgentName;
use ralph_core::promise::Claim;
use ralph_core::report::Usage;

/// Program and arguments; never a shell line. The brief goes to its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    pub program: OsString,
    pub args: Vec<OsString>,
}

pub trait Agent: std::fmt::Debug + Send + Sync {
    fn name(&self) -> &AgentName;

    fn invocation(&self, attempt: &Attempt) -> Invocation;

    /// Listens to one attempt.
    fn listen(&self, attempt: &Attempt, brief: &Brief) -> Box<dyn Listener>;

    /// Whether reports carry tokens and cost, so that limits on them can be kept.
    fn reports_usage(&self) -> bool;
}

/// Hears what an attempt prints, redacted and in order, in bounded memory.
pub trait Listener: Send {
    fn hear(&mut self, stream: Stream, bytes: &[u8]);

    fn conclude(self: Box<Self>) -> Heard;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    pub claim: Claim,
    pub usage: Usage,
}
