//! What a run does when an agent's account may not go on.

use crate::attempt::Attempt;
use crate::crew::Yielded;
use crate::event::Event;
use crate::moment::Moment;
use crate::report::Report;
use crate::run::{Handover, Run, Step, Until};
use crate::stop::StopReason;
use crate::{Timestamp, report::AgentExit};

/// Standing still costs no running time, so this bounds a run whose agents never get past their limits.
const MOST_LIMITS: u32 = 500;

impl Run {
    /// A limit is nobody's failure: wait, hand the work over, or stand still until someone may go on.
    pub(super) fn give_way(
        &mut self,
        attempt: &Attempt,
        report: &Report,
        reset: Option<Timestamp>,
        now: Moment,
    ) {
        self.remember(attempt, report.exit.to_string(), Vec::new(), &report.tail);
        self.tally.limits += 1;
        if self.tally.limits > MOST_LIMITS {
            let evidence = format!("{MOST_LIMITS} attempts ended at a limit");
            return self.halt(StopReason::AgentsExhausted, &evidence, now);
        }
        match self.crew.limited(reset, now.at) {
            Yielded::Wait(delay) => {
                let why = format!("{} is limited", attempt.agent);
                self.proceed_after(delay, &why, Step::Think(self.next_attempt()), now);
            }
            Yielded::HandOver { from, to } => {
                let why = report.exit.to_string();
                self.note(now.at, Event::AgentChanged { from: from.clone(), to, why: why.clone() });
                self.handover = Some(Handover { from, why });
                self.proceed(Step::Think(self.next_attempt()), now);
            }
            Yielded::AllLimited { until } => self.stand_still(until, &report.exit, now),
        }
    }

    fn stand_still(&mut self, until: Timestamp, exit: &AgentExit, now: Moment) {
        let wait = std::time::Duration::try_from(until.duration_since(now.at)).unwrap_or_default();
        if self.time_left(now.running).is_some_and(|left| left < wait) {
            let evidence =
                format!("every agent is limited until {until}, after this run's own end; the last: {exit}");
            return self.halt(StopReason::AgentsExhausted, &evidence, now);
        }
        self.proceed(Step::Think(self.next_attempt()), now);
        if let Step::Think(_) = &self.step {
            self.note(now.at, Event::AllLimited { until });
            let next = Box::new(self.step.clone());
            self.step = Step::Wait(Until::Reset { from: now.at, to: until }, next);
        }
    }
}
