//! The run's own time: monotonic, and still while the run is paused.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use ralph_core::moment::Moment;

#[derive(Debug)]
pub(crate) struct Stopwatch {
    spent: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    /// Goes on from what earlier processes of this run have counted.
    pub(crate) fn from(spent: Duration) -> Stopwatch {
        Stopwatch { spent, since: Some(Instant::now()) }
    }

    pub(crate) fn running(&self) -> Duration {
        self.spent + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    pub(crate) fn hold(&mut self) {
        self.spent = self.running();
        self.since = None;
    }

    pub(crate) fn go_on(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    pub(crate) fn now(&self) -> Moment {
        Moment { at: Timestamp::now(), running: self.running() }
    }
}
