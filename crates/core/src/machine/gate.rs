//! The one gate that every new attempt passes, and the one place where limits are checked.

use std::time::Duration;

use crate::event::{Ending, Event};
use crate::moment::Moment;
use crate::report::Fault;
use crate::run::{Pace, Run, Step, Until};
use crate::stop::{Stop, StopReason};

impl Run {
    /// The one gate to a new attempt: what a person asked for comes first, then the limits.
    pub(super) fn proceed(&mut self, next: Step, now: Moment) {
        let next = if self.left_task(now) { Step::Select } else { next };
        match self.pace {
            Pace::Aborting => self.halt(StopReason::Aborted, "asked to abort", now),
            Pace::Stopping => self.halt(StopReason::Stopped, "asked to stop", now),
            Pace::Pausing => {
                self.pace = Pace::Going;
                self.note(now.at, Event::Paused {});
                self.step = Step::Wait(Until::Told, Box::new(next));
            }
            Pace::Going => {
                self.give_up_spent(&next, now);
                self.within_limits(next, now);
            }
        }
    }

    fn within_limits(&mut self, next: Step, now: Moment) {
        match self.limit_reached(&next, now) {
            Some(stop) if self.changes_one_thing(&stop, &next, now) => self.proceed(next, now),
            Some(stop) => self.stop_at(&stop, now),
            None => self.step = next,
        }
    }

    pub(super) fn stop_at(&mut self, stop: &Stop, now: Moment) {
        let Stop { reason, evidence } = stop.clone();
        self.note(now.at, Event::Limit { reason, evidence });
        self.halt(stop.reason, &stop.evidence, now);
    }

    /// A task that has used up what it may is given up, and the others go on.
    fn give_up_spent(&mut self, next: &Step, now: Moment) {
        let spent = self.task_spent().filter(|_| matches!(next, Step::Select));
        let Some(stop) = spent.filter(|stop| !self.changes_one_thing(stop, next, now)) else { return };
        if let Some(task) = self.at_hand().cloned() {
            self.skip_task(task, stop.evidence, now);
        }
    }

    pub(super) fn proceed_after(&mut self, delay: Duration, why: &str, next: Step, now: Moment) {
        self.proceed(next.clone(), now);
        let delay = self.time_left(now.running).map_or(delay, |left| left.min(delay));
        if self.step != next || delay.is_zero() {
            return;
        }
        let until = now.after(delay);
        self.note(now.at, Event::Waiting { until, why: why.to_owned() });
        self.step = Step::Wait(Until::Time { from: now.at, to: until }, Box::new(next));
    }

    /// Every limit, in one place. `next` tells a new iteration from a further attempt at this one.
    fn limit_reached(&self, next: &Step, now: Moment) -> Option<Stop> {
        let limits = &self.policy.limits;
        let tally = &self.tally;
        let reached = |reason, evidence| Some(Stop { reason, evidence });
        if tally.failures >= limits.max_consecutive_failures.get() {
            let last = match (next, self.tried.last()) {
                (Step::Baseline, _) => "the checks were cut short before the work began",
                (_, Some(tried)) => tried.outcome.as_str(),
                (_, None) => "unknown",
            };
            let evidence = format!("{} failures in a row, the last: {last}", tally.failures);
            return reached(StopReason::ConsecutiveFailures, evidence);
        }
        if let Some(stop) = self.stuck().filter(|_| !self.has_backlog()) {
            return Some(stop);
        }
        if let Some(stop) = self.sings_on() {
            return Some(stop);
        }
        // Whether a backlog needs another iteration is known once the next task is.
        self.used_up(now).or_else(|| {
            self.iterations_used_up().filter(|_| matches!(next, Step::Select) && !self.has_backlog())
        })
    }

    /// Time, tokens and money.
    pub(super) fn used_up(&self, now: Moment) -> Option<Stop> {
        let (limits, tally) = (&self.policy.limits, &self.tally);
        let reached = |reason, evidence| Some(Stop { reason, evidence });
        if let Some(max) = limits.max_duration.filter(|max| now.running >= *max) {
            return reached(
                StopReason::MaxDuration,
                format!("{} seconds of running time are used up", max.as_secs_f64()),
            );
        }
        if let Some(max) = limits.max_tokens.filter(|max| tally.usage.tokens() >= max.get()) {
            return reached(StopReason::Budget, format!("{} of {max} tokens used", tally.usage.tokens()));
        }
        if let Some(max) = limits.max_cost.filter(|max| tally.usage.cost >= *max) {
            return reached(StopReason::Budget, format!("{} of {max} spent", tally.usage.price()));
        }
        None
    }

    pub(crate) fn iterations_used_up(&self) -> Option<Stop> {
        let tally = &self.tally;
        let max = self.policy.limits.max_iterations.filter(|max| tally.iterations >= max.get())?;
        let evidence = format!("iteration {} of {max} ended without completion", tally.iterations);
        Some(Stop { reason: StopReason::MaxIterations, evidence })
    }

    /// The disk or the database let the run down: it ends resumable, as far as that can still be written.
    pub fn fail(&mut self, reason: StopReason, evidence: &str, now: Moment) {
        if let Step::Code(attempt, _) = self.step.clone() {
            self.tear(&attempt);
            self.note(
                now.at,
                Event::AttemptEnded {
                    iteration: attempt.iteration,
                    attempt: attempt.number,
                    ending: Ending::Lost(Fault::Storage),
                },
            );
        }
        self.halt(reason, evidence, now);
    }

    /// A hook that may do so refused the iteration.
    pub fn veto(&mut self, hook: &str, why: &str, now: Moment) {
        self.halt(StopReason::Stopped, &format!("hook `{hook}` vetoed the iteration: {why}"), now);
    }

    pub(super) fn halt(&mut self, reason: StopReason, evidence: &str, now: Moment) {
        self.note(
            now.at,
            Event::RunStopped {
                stop_reason: reason.name().to_owned(),
                detail: reason,
                status: reason.state(),
                exit_code: reason.exit_code(),
                evidence: evidence.to_owned(),
            },
        );
        self.settle_tree(reason);
        if let Some(agenda) = &mut self.agenda {
            agenda.at_hand = None;
        }
        self.step = Step::Stop(Stop { reason, evidence: evidence.to_owned() });
    }
}
