//! The deadlines of one attempt, as values: which comes first, and when.

use std::time::{Duration, Instant};

use ralph_core::agent_event::AgentEvent;
use ralph_core::policy::Deadlines;

/// Nobody waits longer for what an agent announces; the run's own limits come sooner as a rule.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

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
    /// Until when the agent has said that it waits.
    waits_until: Option<Instant>,
    deadlines: Deadlines,
    run_left: Option<Duration>,
}

impl Watchdog {
    pub(crate) fn new(begun: Instant, deadlines: Deadlines, run_left: Option<Duration>) -> Watchdog {
        Watchdog { begun, heard: None, waits_until: None, deadlines, run_left }
    }

    pub(crate) fn heard(&mut self, at: Instant) {
        self.heard = Some(at);
    }

    /// An agent that says how long it waits before it asks its model again is not silent for that long. Whatever it
    /// says next shows that the wait is over.
    pub(crate) fn told(&mut self, event: &AgentEvent, at: Instant) {
        self.waits_until = match event {
            AgentEvent::Waiting { delay_ms: Some(ms), .. } => {
                Some(at + Duration::from_millis(*ms).min(LONGEST_WAIT))
            }
            _ => None,
        };
    }

    /// The deadline that falls due first, if there is any.
    pub(crate) fn next(&self) -> Option<(Instant, Overdue)> {
        let start =
            self.deadlines.start.filter(|_| self.heard.is_none()).map(|d| (self.begun + d, Overdue::Start));
        let quiet_since = self.heard.unwrap_or(self.begun);
        let quiet_since = self.waits_until.map_or(quiet_since, |until| until.max(quiet_since));
        let silence = self.deadlines.silence.map(|d| (quiet_since + d, Overdue::Silence));
        let total = self.deadlines.total.map(|d| (self.begun + d, Overdue::Total));
        let run = self.run_left.map(|d| (self.begun + d, Overdue::Run));
        [run, total, start, silence].into_iter().flatten().min_by_key(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::{Overdue, Watchdog};
    use ralph_core::agent_event::AgentEvent;
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

    #[test]
    fn an_announced_wait_is_no_silence_until_the_agent_speaks_again() {
        let begun = Instant::now();
        let s = |n| Duration::from_secs(n);
        let waiting =
            |delay_ms| AgentEvent::Waiting { attempt: 1, of: None, delay_ms, why: "429".to_owned() };
        let deadlines = Deadlines { start: None, silence: Some(s(10)), total: None };
        let mut dog = Watchdog::new(begun, deadlines, None);
        let mut silence_after = |event: AgentEvent, second| {
            dog.heard(begun + s(second));
            dog.told(&event, begun + s(second));
            dog.next().map(|(at, _)| at - begun)
        };
        assert_eq!(silence_after(waiting(Some(30_000)), 5), Some(s(45)));
        assert_eq!(silence_after(waiting(None), 6), Some(s(16)));
        assert_eq!(silence_after(waiting(Some(u64::MAX)), 7), Some(s(17 + 24 * 3600)));
        assert_eq!(silence_after(AgentEvent::End { ok: true }, 8), Some(s(18)));
    }
}
