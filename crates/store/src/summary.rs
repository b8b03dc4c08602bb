//! One line of `ralph status --list`.

use ralph_core::Timestamp;
use ralph_core::id::{AgentName, RunId};
use ralph_core::run::Run;
use ralph_core::stop::{RunState, StopReason};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    pub id: RunId,
    pub state: RunState,
    /// Why it stopped, if it has.
    pub reason: Option<StopReason>,
    pub title: String,
    pub agent: AgentName,
    pub iterations: u32,
    pub started_at: Timestamp,
    /// When it last wrote something.
    pub changed_at: Timestamp,
    /// The journal's last line.
    pub seq: u64,
    pub superseded_by: Option<RunId>,
}

impl RunSummary {
    /// Whether `ralph resume` may go on with it.
    pub fn is_unfinished(&self) -> bool {
        self.superseded_by.is_none() && self.reason.is_none_or(StopReason::is_resumable)
    }
}

/// The part of a summary that is stored as one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Headline {
    pub(crate) state: RunState,
    pub(crate) reason: Option<StopReason>,
    pub(crate) title: String,
    pub(crate) agent: AgentName,
    pub(crate) iterations: u32,
    pub(crate) started_at: Timestamp,
    pub(crate) changed_at: Timestamp,
}

impl Headline {
    pub(crate) fn of(run: &Run, at: Timestamp) -> Headline {
        let reason = run.stop().map(|stop| stop.reason);
        let going = if run.is_paused() { RunState::Paused } else { RunState::Running };
        Headline {
            state: reason.map_or(going, StopReason::state),
            reason,
            title: run.task.title.clone(),
            agent: run.crew.at_work().agent.clone(),
            iterations: run.tally.iterations,
            started_at: run.started_at,
            changed_at: at,
        }
    }
}
