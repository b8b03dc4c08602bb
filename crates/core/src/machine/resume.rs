//! How a run goes on after a crash or a stop.

use crate::event::Event;
use crate::moment::Moment;
use crate::report::Fault;
use crate::run::{Pace, Run, Step, Until};
use crate::stop::Stop;

impl Run {
    /// Goes on after a crash or a stop: an attempt that was under way is closed as interrupted and tried again.
    pub fn resume(&mut self, now: Moment) {
        self.note(now.at, Event::RunResumed {});
        self.pace = Pace::Going;
        if !matches!(self.step, Step::Verify(..) | Step::Consolidate(..)) {
            self.take_up_choice(now);
        }
        if let Some((attempt, verdict)) = self.unsettled.take().map(|unsettled| *unsettled) {
            self.step = Step::Consolidate(attempt, verdict);
            return;
        }
        match self.step.clone() {
            Step::Code(attempt, _) => self.after_fault(attempt, Fault::Interrupted, now),
            Step::Stop(_) if self.mid_iteration && self.take_back_in_hand(now) => {
                self.proceed(Step::Think(self.next_attempt()), now);
            }
            Step::Stop(_) => self.proceed(self.first_step(), now),
            Step::Wait(Until::Told | Until::Reset { .. }, then) => {
                self.note(now.at, Event::Unpaused {});
                self.proceed(*then, now);
            }
            Step::Wait(Until::Answer { to, .. }, _) => {
                let why = "a question is open; `ralph inbox` shows it".to_owned();
                self.note(now.at, Event::Waiting { until: to, why });
            }
            Step::Abandon(_, stop) => self.reopen_after(&stop, now),
            // A person's rollback leads here past the gate.
            think @ Step::Think(_) => self.proceed(think, now),
            Step::Baseline | Step::Select | Step::Verify(..) | Step::Consolidate(..) | Step::Wait(..) => {}
        }
    }

    /// The crash came between the end of an attempt and the end of the run: it ends as it would have, unless
    /// that end is one that a person may go on from.
    fn reopen_after(&mut self, stop: &Stop, now: Moment) {
        if stop.reason.is_resumable() {
            self.proceed(Step::Think(self.next_attempt()), now);
        } else {
            self.halt(stop.reason, &stop.evidence, now);
        }
    }
}
