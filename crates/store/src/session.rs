//! Where an in-session loop lives.

use ralph_core::id::{AgentName, SessionId};

/// A session of a host. It has at most one unfinished loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    pub host: AgentName,
    pub session: SessionId,
}
