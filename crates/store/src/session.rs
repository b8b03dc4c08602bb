//! Where an in-session loop lives.

use std::fmt;

use ralph_core::id::{AgentName, SessionId};
use ralph_core::in_session::named;

/// A session of a host. It has at most one unfinished loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    pub host: AgentName,
    pub session: SessionId,
}

/// The session that a loop lives in. Its host is not known before one has presented it, where the loop was started
/// without naming one; until then, no host can have another unfinished loop in a session of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Berth {
    pub host: Option<AgentName>,
    pub session: SessionId,
}

impl From<Seat> for Berth {
    fn from(Seat { host, session }: Seat) -> Berth {
        Berth { host: Some(host), session }
    }
}

impl fmt::Display for Berth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&named(&self.session, self.host.as_ref()))
    }
}
