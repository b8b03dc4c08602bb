//! What a person may ask of a run.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{AgentName, TaskId};
use crate::question::QuestionNo;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "control", rename_all = "snake_case")]
pub enum Control {
    /// Before the next attempt begins.
    Pause,
    /// Un-pauses.
    Resume,
    /// After this iteration.
    Stop,
    /// Now.
    Abort,
    /// Not on with this task of a backlog; the one at hand by default.
    Skip {
        task: Option<TaskId>,
    },
    SetIterations {
        change: Change,
    },
    /// Another agent from the next iteration on, as the settings have it; routes no longer choose.
    SetAgent {
        agent: AgentName,
    },
    /// Another model for the agent that is to work.
    SetModel {
        model: String,
    },
    SetEffort {
        effort: String,
    },
    /// A sentence for the next brief.
    Steer {
        text: String,
    },
    /// What the agent asked.
    Answer {
        question: QuestionNo,
        text: String,
    },
}

impl Control {
    /// Whether a stopped run takes it up when it is resumed.
    pub fn waits_for_resume(&self) -> bool {
        match self {
            Control::Skip { task: Some(_) }
            | Control::SetIterations { .. }
            | Control::SetAgent { .. }
            | Control::SetModel { .. }
            | Control::SetEffort { .. }
            | Control::Steer { .. }
            | Control::Answer { .. } => true,
            Control::Skip { task: None }
            | Control::Pause
            | Control::Resume
            | Control::Stop
            | Control::Abort => false,
        }
    }
}

/// A new number of iterations, or so many more or fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    To(u32),
    By(i32),
}

impl Change {
    /// The new maximum; never less than one, so that no change makes a run unbounded or empty.
    pub fn applied(self, max: NonZeroU32) -> NonZeroU32 {
        let wanted = match self {
            Change::To(n) => n,
            Change::By(by) => max.get().saturating_add_signed(by),
        };
        NonZeroU32::new(wanted).unwrap_or(NonZeroU32::MIN)
    }
}

/// The order in which a run's controls were asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ControlNo(pub u64);
