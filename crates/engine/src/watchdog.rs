//! The deadlines of one attempt, as values: which comes first, and when.

use std::time::{Duration, Instant};

use ralph_core::policy::Deadlines;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overdue {
    Start,
    Silence,
    Total,
    /// The run's own time, not the attempt's.
    Run,
}

#[derive(Debug)]
pub(crate) struct Watchdog {
    begun: Instant,
    heard: Option<Instant>,
    deadlines: Deadlines,
    run_left: Option<Duration>,
}

impl Watchdog {
    pub(crate) fn new(begun: Instant, deadlines: Deadlines, run_left: Option<Duration>) -> Watchdog {
        Watchdog { begun, heard: None, deadlines, run_left }
    }

    pub(crate) fn heard(&mut self, at: Instant) {
        self.heard = Some(at);
    }

    /// The deadline that falls due first, if there is any.
    pub(crate) fn next(&self) -> Option<(Instant, Overdue)> {
        let start =
            self.deadlines.start.filter(|_| self.heard.is_none()).map(|d| (self.begun + d, Overdue::Start));
        let quiet_since = self.heard.unwrap_or(self.begun);
        let silence = self.deadlines.silence.map(|d| (quiet_since + d, Overdue::Silence));
        let total = self.deadlines.total.map(|d| (self.begun + d, Overdue::Total));
        let run = self.run_left.map(|d| (self.begun + d, Overdue::Run));
        [run, total, start, silence].into_iter().flatten().min_by_key(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::{Overdue, Watchdog};
    use ralph_core::policy::Deadlines;
    use std::time::{Duration, Instant};

    #[test]
    fn the_first_deadline_wins_and_output_moves_only_the_silence() {
        let begun = Instant::now();
        let s = |n| Duration::from_secs(n);
        let deadlines = Deadlines { start: Some(s(5)), silence: Some(s(10)), total: Some(s(100)) };
        let mut dog = Watchdog::new(begun, deadlines, Some(s(50)));
        assert_eq!(dog.next(), Some((begun + s(5), Overdue::Start)));
        dog.heard(begun + s(3));
        assert_eq!(dog.next(), Some((begun + s(13), Overdue::Silence)));
        dog.heard(begun + s(45));
        assert_eq!(dog.next(), Some((begun + s(50), Overdue::Run)));
        assert_eq!(Watchdog::new(begun, Deadlines::default(), None).next(), None);
    }
}
