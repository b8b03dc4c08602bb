//! Why a run stopped, with the state and the exit code that follow from it: one table, the same everywhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reason and what proves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stop {
    pub reason: StopReason,
    pub evidence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    Completed,
    /// Tasks left undone.
    TasksUndone,
    ConsecutiveFailures,
    /// The agent wants a login.
    Authentication,
    /// The agent refuses its configuration.
    Configuration,
    Disk,
    Database,
    MaxIterations,
    MaxDuration,
    NoProgress,
    Circular,
    Budget,
    NoTasks,
    AgentsExhausted,
    Stopped,
    Aborted,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Running,
    Paused,
    Success,
    Failed,
    Stopped,
}

impl StopReason {
    pub const ALL: [StopReason; 16] = [
        StopReason::Completed,
        StopReason::TasksUndone,
        StopReason::ConsecutiveFailures,
        StopReason::Authentication,
        StopReason::Configuration,
        StopReason::Disk,
        StopReason::Database,
        StopReason::MaxIterations,
        StopReason::MaxDuration,
        StopReason::NoProgress,
        StopReason::Circular,
        StopReason::Budget,
        StopReason::NoTasks,
        StopReason::AgentsExhausted,
        StopReason::Stopped,
        StopReason::Aborted,
    ];

    /// The name that status, journal and screens show; the ways to fail share one.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Completed => "completed",
            StopReason::TasksUndone
            | StopReason::ConsecutiveFailures
            | StopReason::Authentication
            | StopReason::Configuration
            | StopReason::Disk
            | StopReason::Database => "failed",
            StopReason::MaxIterations => "max_iterations",
            StopReason::MaxDuration => "max_duration",
            StopReason::NoProgress => "no_progress",
            StopReason::Circular => "circular",
            StopReason::Budget => "budget",
            StopReason::NoTasks => "no_tasks",
            StopReason::AgentsExhausted => "agents_exhausted",
            StopReason::Stopped => "stopped",
            StopReason::Aborted => "aborted",
        }
    }

    pub fn state(self) -> RunState {
        match self {
            StopReason::Completed => RunState::Success,
            StopReason::NoTasks | StopReason::Stopped | StopReason::Aborted => RunState::Stopped,
            StopReason::TasksUndone
            | StopReason::ConsecutiveFailures
            | StopReason::Authentication
            | StopReason::Configuration
            | StopReason::Disk
            | StopReason::Database
            | StopReason::MaxIterations
            | StopReason::MaxDuration
            | StopReason::NoProgress
            | StopReason::Circular
            | StopReason::Budget
            | StopReason::AgentsExhausted => RunState::Failed,
        }
    }

    pub fn exit_code(self) -> u8 {
        match self {
            StopReason::Completed => 0,
            StopReason::TasksUndone
            | StopReason::ConsecutiveFailures
            | StopReason::Authentication
            | StopReason::Configuration
            | StopReason::Disk
            | StopReason::Database => 1,
            StopReason::MaxIterations
            | StopReason::MaxDuration
            | StopReason::NoProgress
            | StopReason::Circular
            | StopReason::Budget => 3,
            StopReason::NoTasks => 4,
            StopReason::AgentsExhausted => 5,
            StopReason::Stopped | StopReason::Aborted => 130,
        }
    }

    /// Whether `ralph resume` may go on from here.
    pub fn is_resumable(self) -> bool {
        matches!(
            self,
            StopReason::Stopped
                | StopReason::Aborted
                | StopReason::Disk
                | StopReason::Database
                | StopReason::Authentication
                | StopReason::Configuration
                | StopReason::AgentsExhausted
        )
    }
}

impl RunState {
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Success => "success",
            RunState::Failed => "failed",
            RunState::Stopped => "stopped",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RunState, StopReason};

    #[test]
    fn the_table_of_stop_reasons() {
        let rows = StopReason::ALL.map(|r| (r.name(), r.state(), r.exit_code(), r.is_resumable()));
        use RunState::{Failed, Stopped, Success};
        let expected = [
            ("completed", Success, 0, false),
            ("failed", Failed, 1, false),
            ("failed", Failed, 1, false),
            ("failed", Failed, 1, true),
            ("failed", Failed, 1, true),
            ("failed", Failed, 1, true),
            ("failed", Failed, 1, true),
            ("max_iterations", Failed, 3, false),
            ("max_duration", Failed, 3, false),
            ("no_progress", Failed, 3, false),
            ("circular", Failed, 3, false),
            ("budget", Failed, 3, false),
            ("no_tasks", Stopped, 4, false),
            ("agents_exhausted", Failed, 5, true),
            ("stopped", Stopped, 130, true),
            ("aborted", Stopped, 130, true),
        ];
        assert_eq!(rows, expected);
    }
}
