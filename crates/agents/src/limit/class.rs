//! The kinds of trouble that call for different answers.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The account may not go on for now: wait, or take another agent.
    Limited,
    /// The servers cannot at the moment: try again.
    Overloaded,
    /// The servers cannot be reached: try again.
    Network,
    /// Nobody is logged in: a person has to act.
    Unauthenticated,
    /// It can never work like this: a person has to act.
    Misconfigured,
    /// The conversation that it was to go on with is not there: begin another.
    SessionGone,
}
