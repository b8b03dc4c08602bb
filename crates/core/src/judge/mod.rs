//! An agent that judges: what it is shown, and what counts as its answer.

mod answer;
mod brief;
mod excerpt;

pub use answer::{Unreadable, read};
pub use brief::{Case, Shown, compose};
pub use excerpt::excerpt;

use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::check::{Judgement, Opinion};
use crate::id::AgentName;
use crate::report::{AgentExit, Usage};

/// How often a judge is asked about one attempt: once more where it gave no answer.
pub const ASKINGS: u32 = 2;

/// Who judges, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judging {
    /// The run's first agent where none is named.
    pub agent: Option<AgentName>,
    /// The agent's own where none is named.
    pub model: Option<String>,
    pub timeout: Duration,
}

impl Judging {
    pub const TIMEOUT: Duration = Duration::from_secs(5 * 60);
}

impl Default for Judging {
    fn default() -> Judging {
        Judging { agent: None, model: None, timeout: Judging::TIMEOUT }
    }
}

/// What one asking came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub agent: AgentName,
    pub model: Option<String>,
    pub judgement: Judgement,
    pub exit: AgentExit,
    pub usage: Usage,
    pub duration_ms: u64,
}

impl Judgement {
    /// No answer, and why; never taken for success.
    pub fn unsure(reason: impl Into<String>) -> Judgement {
        Judgement { opinion: Opinion::Unsure, reason: reason.into(), suggestions: Vec::new() }
    }

    pub fn is_success(&self) -> bool {
        self.opinion == Opinion::Success
    }
}
