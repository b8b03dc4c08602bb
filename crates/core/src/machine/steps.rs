//! One function per step: what happened comes in, the next step goes out.

use crate::attempt::Attempt;
use crate::brief::Brief;
use crate::control::ControlNo;
use crate::event::{Ending, Event, FORMAT, LimitsShown, Started};
use crate::moment::Moment;
use crate::report::{Fault, Report, Response};
use crate::run::{Pace, Request, Run, Step, Tally, Tried};
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
            crew: request.crew,
            seed: request.seed,
            started_at: now.at,
            step: Step::Select,
            pace: Pace::Going,
            tally: Tally::default(),
            mid_iteration: false,
            steering: Vec::new(),
            steered: 0,
            tried: Vec::new(),
            handover: None,
            controls_seen: ControlNo::default(),
            fresh: Vec::new(),
        };
        run.note(now.at, Event::RunStarted(Box::new(run.started(request.version))));
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
            agent: self.crew.at_work().agent.clone(),
            model: self.crew.at_work().model.clone(),
            promise: promise.word.to_string(),
            nonce: promise.nonce,
            limits: LimitsShown::from(&self.policy.limits),
            sandbox: self.policy.sandbox.clone(),
        }
    }

    /// A task was chosen, or there is none.
    pub fn after_select(&mut self, task: Option<Task>, now: Moment) {
        self.tally.running = now.running;
        let Some(task) = task else {
            return self.halt(StopReason::NoTasks, "nothing is open", now);
        };
        self.task = task;
        self.tally.iterations += 1;
        self.tally.attempts = 0;
        self.mid_iteration = true;
        self.note(
            now.at,
            Event::IterationStarted {
                iteration: self.tally.iterations,
                max_iterations: self.policy.limits.max_iterations.map(Into::into),
                task: self.task.id.clone(),
            },
        );
        self.step = Step::Think(self.next_attempt());
    }

    /// The brief is ready: from here on the attempt counts.
    pub fn after_think(&mut self, attempt: Attempt, brief: Brief, now: Moment) {
        self.tally.running = now.running;
        self.tally.attempts = attempt.number;
        self.tally.attempts_total += 1;
        self.steered = self.steering.len();
        self.handover = None;
        self.note(
            now.at,
            Event::AttemptStarted {
                iteration: attempt.iteration,
                attempt: attempt.number,
                agent: attempt.agent.clone(),
                promise: attempt.promise.to_string(),
                brief_bytes: brief.text.len() as u64,
            },
        );
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
        self.note(
            now.at,
            Event::AttemptEnded {
                iteration: attempt.iteration,
                attempt: attempt.number,
                ending: Ending::Reported(report.clone()),
            },
        );
        match report.exit.response() {
            Response::Verify => {
                self.tally.failures = 0;
                self.crew.worked();
                self.step = Step::Verify(attempt, report);
            }
            Response::Retry => {
                self.tally.failures += 1;
                self.remember(&attempt, report.exit.to_string(), Vec::new(), &report.tail);
                self.try_again(now);
            }
            Response::Yield { reset } => self.give_way(&attempt, &report, reset, now),
            Response::GiveUp(reason) => self.halt(reason, &report.exit.to_string(), now),
        }
    }

    pub(super) fn after_fault(&mut self, attempt: Attempt, fault: Fault, now: Moment) {
        let (iteration, number) = (attempt.iteration, attempt.number);
        self.note(now.at, Event::AttemptEnded { iteration, attempt: number, ending: Ending::Lost(fault) });
        match fault {
            Fault::GuardLost => {
                self.tally.failures += 1;
                self.remember(&attempt, fault.to_string(), Vec::new(), "");
                self.try_again(now);
            }
            Fault::Interrupted => self.proceed(Step::Think(self.next_attempt()), now),
            Fault::Aborted | Fault::TimeUp | Fault::Storage => self.cut_short(attempt, fault, now),
        }
    }

    /// The attempt's own end is journalled; what was to follow does not.
    fn cut_short(&mut self, attempt: Attempt, fault: Fault, now: Moment) {
        let reason = match fault {
            Fault::Aborted => StopReason::Aborted,
            Fault::TimeUp => StopReason::MaxDuration,
            Fault::Storage => StopReason::Disk,
            Fault::GuardLost | Fault::Interrupted => return self.try_again(now),
        };
        let (iteration, number) = (attempt.iteration, attempt.number);
        let evidence = format!("{fault} during attempt {number} of iteration {iteration}");
        self.step = Step::Abandon(attempt, Stop { reason, evidence });
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
            Err(fault) => return self.cut_short(attempt, fault, now),
        };
        self.steering.drain(..std::mem::take(&mut self.steered));
        self.note(
            now.at,
            Event::Verdict {
                iteration: attempt.iteration,
                attempt: attempt.number,
                verdict: verdict.clone(),
            },
        );
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
        self.note(now.at, Event::IterationEnded { iteration, task: task.clone(), complete });
        match verdict {
            Verdict::Complete { evidence } => {
                self.note(now.at, Event::TaskCompleted { task, iteration });
                self.halt(StopReason::Completed, &format!("iteration {iteration}: {evidence}"), now);
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
    pub fn after_abandon(&mut self, stop: &Stop, now: Moment) {
        self.tally.running = now.running;
        self.halt(stop.reason, &stop.evidence, now);
    }

    pub(super) fn remember(
        &mut self,
        attempt: &Attempt,
        outcome: String,
        findings: Vec<String>,
        output: &str,
    ) {
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
}
