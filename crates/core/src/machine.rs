//! The decisions between the steps of a run, one function per step. Pure: what happened comes in, the next
//! step goes out in `Run::step`, and what is to be journalled in `Run::fresh`.

use std::time::Duration;

use crate::attempt::Attempt;
use crate::brief::Brief;
use crate::control::{Change, Control, ControlNo};
use crate::event::{Ending, Event, FORMAT, LimitsShown, Started};
use crate::moment::Moment;
use crate::report::{Fault, Report};
use crate::run::{Pace, Request, Run, Step, Tally, Tried, Until};
use crate::stop::{Stop, StopReason};
use crate::task::Task;
use crate::verdict::Verdict;

/// How many attempts a brief looks back on.
const REMEMBERED: usize = 5;
/// How much of an attempt's output the next brief quotes.
const QUOTED: usize = 4_000;

impl Run {
    pub fn start(request: Request, now: Moment) -> Run {
        let mut run = Run {
            id: request.id,
            task: request.task,
            policy: request.policy,
            agent: request.agent,
            model: request.model,
            seed: request.seed,
            started_at: now.at,
            step: Step::Select,
            pace: Pace::Going,
            tally: Tally::default(),
            mid_iteration: false,
            steering: Vec::new(),
            tried: Vec::new(),
            controls_seen: ControlNo::default(),
            fresh: Vec::new(),
        };
        run.note(Event::RunStarted(Box::new(run.started(request.version))));
        run
    }

    fn started(&self, version: String) -> Started {
        let promise = &self.policy.completion.promise;
        Started {
            format: FORMAT,
            ralph: version,
            run: self.id.clone(),
            task: self.task.id.clone(),
            description: self.task.title.clone(),
            prompt: self.task.body.clone(),
            agent: self.agent.clone(),
            model: self.model.clone(),
            promise: promise.word.to_string(),
            nonce: promise.nonce,
            limits: LimitsShown::from(&self.policy.limits),
        }
    }

    /// A task was chosen, or there is none.
    pub fn after_select(&mut self, task: Option<Task>, now: Moment) {
        self.tally.running = now.running;
        let Some(task) = task else {
            return self.halt(StopReason::NoTasks, "nothing is open");
        };
        self.task = task;
        self.tally.iterations += 1;
        self.tally.attempts = 0;
        self.mid_iteration = true;
        self.note(Event::IterationStarted {
            iteration: self.tally.iterations,
            max_iterations: self.policy.limits.max_iterations.map(Into::into),
            task: self.task.id.clone(),
        });
        self.step = Step::Think(self.next_attempt());
    }

    /// The brief is ready: from here on the attempt counts.
    pub fn after_think(&mut self, attempt: Attempt, brief: Brief, now: Moment) {
        self.tally.running = now.running;
        self.tally.attempts = attempt.number;
        self.tally.attempts_total += 1;
        self.steering.clear();
        self.note(Event::AttemptStarted {
            iteration: attempt.iteration,
            attempt: attempt.number,
            agent: attempt.agent.clone(),
            promise: attempt.promise.to_string(),
            brief_bytes: brief.text.len() as u64,
        });
        self.step = Step::Code(attempt, brief);
    }

    /// The agent ended, or the attempt was lost.
    pub fn after_code(&mut self, attempt: Attempt, outcome: Result<Report, Fault>, now: Moment) {
        self.tally.running = now.running;
        match outcome {
            Ok(report) => self.after_report(attempt, report, now),
            Err(fault) => self.after_fault(attempt, fault, now),
        }
    }

    fn after_report(&mut self, attempt: Attempt, report: Report, now: Moment) {
        self.tally.usage = self.tally.usage.plus(report.usage);
        self.note(Event::AttemptEnded {
            iteration: attempt.iteration,
            attempt: attempt.number,
            ending: Ending::Reported(report.clone()),
        });
        if report.exit.is_clean() {
            self.tally.failures = 0;
            self.step = Step::Verify(attempt, report);
            return;
        }
        self.tally.failures += 1;
        self.remember(&attempt, report.exit.to_string(), Vec::new(), &report.tail);
        self.try_again(now);
    }

    fn after_fault(&mut self, attempt: Attempt, fault: Fault, now: Moment) {
        let (iteration, number) = (attempt.iteration, attempt.number);
        self.note(Event::AttemptEnded { iteration, attempt: number, ending: Ending::Lost(fault) });
        let half_done = |reason| Stop {
            reason,
            evidence: format!("{fault} during attempt {number} of iteration {iteration}"),
        };
        match fault {
            Fault::Aborted => self.step = Step::Abandon(attempt, half_done(StopReason::Aborted)),
            Fault::TimeUp => self.step = Step::Abandon(attempt, half_done(StopReason::MaxDuration)),
            Fault::GuardLost => {
                self.tally.failures += 1;
                self.try_again(now);
            }
            Fault::Interrupted => self.proceed(Step::Think(self.next_attempt()), now),
        }
    }

    /// A further attempt at the same iteration, after a delay that grows with every failure.
    fn try_again(&mut self, now: Moment) {
        let failures = self.tally.failures;
        let delay = self.policy.retry.delay(failures);
        let why = format!("attempt {} failed, {failures} in a row", self.tally.attempts);
        self.proceed_after(delay, &why, Step::Think(self.next_attempt()), now);
    }

    /// Checks came to a conclusion, or were cut short.
    pub fn after_verify(
        &mut self,
        attempt: Attempt,
        outcome: Result<Verdict, Fault>,
        tail: &str,
        now: Moment,
    ) {
        self.tally.running = now.running;
        let verdict = match outcome {
            Ok(verdict) => verdict,
            Err(fault) => return self.after_fault(attempt, fault, now),
        };
        self.note(Event::Verdict {
            iteration: attempt.iteration,
            attempt: attempt.number,
            verdict: verdict.clone(),
        });
        if let Verdict::Incomplete { findings } = &verdict {
            self.remember(&attempt, "not complete".to_owned(), findings.clone(), tail);
        }
        self.step = Step::Consolidate(attempt, verdict);
    }

    /// The iteration is over.
    pub fn after_consolidate(&mut self, attempt: Attempt, verdict: Verdict, now: Moment) {
        self.tally.running = now.running;
        self.mid_iteration = false;
        let Attempt { iteration, task, .. } = attempt;
        let complete = verdict.is_complete();
        self.note(Event::IterationEnded { iteration, task: task.clone(), complete });
        match verdict {
            Verdict::Complete { evidence } => {
                self.note(Event::TaskCompleted { task, iteration });
                self.halt(StopReason::Completed, &format!("iteration {iteration}: {evidence}"));
            }
            Verdict::Incomplete { .. } => {
                let delay = self.policy.limits.iteration_delay;
                self.proceed_after(delay, "iteration delay", Step::Select, now);
            }
        }
    }

    /// The time is over, or a person said go on.
    pub fn after_wait(&mut self, then: Step, now: Moment) {
        self.tally.running = now.running;
        self.proceed(then, now);
    }

    /// The half-done attempt has been put in order.
    pub fn after_abandon(&mut self, stop: Stop, now: Moment) {
        self.tally.running = now.running;
        self.halt(stop.reason, &stop.evidence);
    }

    /// The one gate to a new attempt: what a person asked for comes first, then the limits.
    fn proceed(&mut self, next: Step, now: Moment) {
        match self.pace {
            Pace::Aborting => self.halt(StopReason::Aborted, "asked to abort"),
            Pace::Stopping => self.halt(StopReason::Stopped, "asked to stop"),
            Pace::Pausing => {
                self.pace = Pace::Going;
                self.note(Event::Paused {});
                self.step = Step::Wait(Until::Told, Box::new(next));
            }
            Pace::Going => match self.limit_reached(&next, now) {
                Some(stop) => {
                    let Stop { reason, evidence } = stop.clone();
                    self.note(Event::Limit { reason, evidence });
                    self.halt(stop.reason, &stop.evidence);
                }
                None => self.step = next,
            },
        }
    }

    fn proceed_after(&mut self, delay: Duration, why: &str, next: Step, now: Moment) {
        self.proceed(next.clone(), now);
        let delay = self.time_left(now.running).map_or(delay, |left| left.min(delay));
        if self.step != next || delay.is_zero() {
            return;
        }
        let until = now.at.saturating_add(delay).expect("a duration never under-flows a timestamp");
        self.note(Event::Waiting { until, why: why.to_owned() });
        self.step = Step::Wait(Until::Time { from: now.at, to: until }, Box::new(next));
    }

    /// Every limit, in one place. `next` tells a new iteration from a further attempt at this one.
    fn limit_reached(&self, next: &Step, now: Moment) -> Option<Stop> {
        let limits = &self.policy.limits;
        let tally = &self.tally;
        let reached = |reason, evidence| Some(Stop { reason, evidence });
        if tally.failures >= limits.max_consecutive_failures.get() {
            let last = self.tried.last().map_or("its guard died", |tried| tried.outcome.as_str());
            let evidence = format!("{} attempts in a row ended in error, the last: {last}", tally.failures);
            return reached(StopReason::ConsecutiveFailures, evidence);
        }
        if let Some(max) = limits.max_duration.filter(|max| now.running >= *max) {
            return reached(StopReason::MaxDuration, format!("{max:?} of running time are used up"));
        }
        if let Some(max) = limits.max_tokens.filter(|max| tally.usage.tokens() >= max.get()) {
            return reached(StopReason::Budget, format!("{} of {max} tokens used", tally.usage.tokens()));
        }
        if let Some(max) = limits.max_cost.filter(|max| tally.usage.cost >= *max) {
            return reached(StopReason::Budget, format!("{} of {max} spent", tally.usage.cost));
        }
        if let Some(max) = limits.max_iterations.filter(|max| tally.iterations >= max.get())
            && matches!(next, Step::Select)
        {
            let evidence = format!("{} of {max} iterations done without completion", tally.iterations);
            return reached(StopReason::MaxIterations, evidence);
        }
        None
    }

    fn halt(&mut self, reason: StopReason, evidence: &str) {
        self.note(Event::RunStopped {
            stop_reason: reason.name().to_owned(),
            detail: reason,
            status: reason.state(),
            exit_code: reason.exit_code(),
            evidence: evidence.to_owned(),
        });
        self.step = Step::Stop(Stop { reason, evidence: evidence.to_owned() });
    }

    fn remember(&mut self, attempt: &Attempt, outcome: String, findings: Vec<String>, output: &str) {
        if self.tried.len() == REMEMBERED {
            self.tried.remove(0);
        }
        let skip = output.chars().count().saturating_sub(QUOTED);
        self.tried.push(Tried {
            iteration: attempt.iteration,
            attempt: attempt.number,
            outcome,
            findings,
            output_tail: output.chars().skip(skip).collect(),
        });
    }

    /// Takes up a control. Twice the same is harmless; on a stopped run nothing happens.
    pub fn apply(&mut self, no: ControlNo, control: &Control, now: Moment) {
        if no <= self.controls_seen {
            return;
        }
        self.controls_seen = no;
        let before = (self.step.clone(), self.pace, self.policy.limits.clone(), self.steering.len());
        let at = self.fresh.len();
        if self.stop().is_none() {
            self.obey(control, now);
        }
        let after = (self.step.clone(), self.pace, self.policy.limits.clone(), self.steering.len());
        let changed = before != after;
        // The cause stands in the journal before what it led to.
        self.fresh.insert(at, Event::ControlApplied { no, control: control.clone(), changed });
    }

    fn obey(&mut self, control: &Control, now: Moment) {
        match control {
            Control::Pause if self.pace == Pace::Going && !self.is_paused() => self.pace = Pace::Pausing,
            Control::Resume if self.pace == Pace::Pausing => self.pace = Pace::Going,
            Control::Resume if self.is_paused() => return self.unpause(now),
            Control::Stop if self.pace != Pace::Aborting => self.pace = Pace::Stopping,
            Control::Abort => self.pace = Pace::Aborting,
            Control::SetIterations { change } => self.set_iterations(*change),
            Control::Steer { text } => self.steering.push(text.clone()),
            Control::Pause | Control::Resume | Control::Stop => return,
        }
        if self.pace != Pace::Going {
            self.reconsider(now);
        }
    }

    /// Nothing is under way at these steps, so a new pace takes effect at once.
    fn reconsider(&mut self, now: Moment) {
        match self.step.clone() {
            Step::Select | Step::Think(_) => self.proceed(self.step.clone(), now),
            Step::Wait(_, then) => self.proceed(*then, now),
            Step::Code(..) | Step::Verify(..) | Step::Consolidate(..) | Step::Abandon(..) | Step::Stop(_) => {
            }
        }
    }

    fn unpause(&mut self, now: Moment) {
        if let Step::Wait(Until::Told, then) = self.step.clone() {
            self.note(Event::Unpaused {});
            self.proceed(*then, now);
        }
    }

    /// A run that was asked to be unlimited stays so: it is bounded by time, tokens or cost.
    fn set_iterations(&mut self, change: Change) {
        let max = &mut self.policy.limits.max_iterations;
        *max = max.map(|max| change.applied(max));
    }

    /// Goes on after a crash or a stop: an attempt that was under way is closed as interrupted and tried again.
    pub fn resume(&mut self, now: Moment) {
        self.note(Event::RunResumed {});
        self.pace = Pace::Going;
        match self.step.clone() {
            Step::Code(attempt, _) => self.after_fault(attempt, Fault::Interrupted, now),
            Step::Stop(_) if self.mid_iteration => self.proceed(Step::Think(self.next_attempt()), now),
            Step::Stop(_) => self.proceed(Step::Select, now),
            Step::Wait(Until::Told, then) => {
                self.note(Event::Unpaused {});
                self.proceed(*then, now);
            }
            Step::Abandon(_, stop) => self.reopen_after(stop, now),
            Step::Select | Step::Think(_) | Step::Verify(..) | Step::Consolidate(..) | Step::Wait(..) => {}
        }
    }

    /// The crash came between the end of an attempt and the end of the run: it ends as it would have, unless
    /// that end is one that a person may go on from.
    fn reopen_after(&mut self, stop: Stop, now: Moment) {
        if stop.reason.is_resumable() {
            self.proceed(Step::Think(self.next_attempt()), now);
        } else {
            self.halt(stop.reason, &stop.evidence);
        }
    }
}
