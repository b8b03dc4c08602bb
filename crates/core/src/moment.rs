//! When something happened, seen from a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The wall clock for people, and the run's own stopwatch for limits: a clock that jumps, a pause or a
/// night of downtime never uses up `max_duration`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    pub at: Timestamp,
    /// Time this run has been running, pauses and downtime excluded.
    pub running: Duration,
}

impl Moment {
    pub fn after(&self, by: Duration) -> Timestamp {
        self.at.saturating_add(by).expect("a duration never under-flows a timestamp")
    }
}
