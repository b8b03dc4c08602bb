//! One function per step: what happened comes in, the next step goes out.

use crate::attempt::Attempt;
use crate::brief::Brief;
use crate::control::ControlNo;
use crate::event::{Ending, Event, FORMAT, LimitsShown, Started};
use crate::moment::Moment;
use crate::policy::Error;
use crate::progress::Progress;
use crate::put_back::{ForkedFrom, PutBack, Why};
use crate::question::Inbox;
use crate::recollection::Recalled;
use crate::report::{Fault, Report, Response};
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
            agenda: request.agenda,
            template: request.template,
            in_session: request.in_session,
            policy: request.policy,
            crew: request.crew,
            seed: request.seed,
            started_at: now.at,
            step: Step::Select,
            baseline: None,
            inherited: None,
            troubles: Vec::new(),
            begun_from: None,
            origin: None,
            begun_head: None,
            origin_head: None,
            owed: request.forked_from.as_ref().map(fork),
            progress: Progress::default(),
            pace: Pace::Going,
            tally: Tally::default(),
            mid_iteration: false,
            unsettled: None,
            skipped: Vec::new(),
            steering: Vec::new(),
            steered: 0,
            tried: Vec::new(),
            handover: None,
            inbox: Inbox::default(),
            recalled: Recalled::default(),
            extracted: None,
            constitution: None,
            head: None,
            asked: None,
            controls_seen: ControlNo::default(),
            fresh: Vec::new(),
        };
        run.step = run.first_step();
        run.note(now.at, Event::RunStarted(Box::new(run.started(request.version, request.forked_from))));
        run
    }

    fn started(&self, version: String, forked_from: Option<ForkedFrom>) -> Started {
        let promise = &self.policy.completion.promise;
        Started {
            format: FORMAT,
            ralph: version,
            run: self.id.clone(),
            task: self.task.id.clone(),
            backlog: self.agenda.as_ref().map(|agenda| agenda.source.clone()),
            description: self.task.title.clone(),
            prompt: self.task.body.clone(),
            agent: self.crew.at_work().agent.clone(),
            model: self.crew.at_work().model.clone(),
            promise: promise.word.to_string(),
            nonce: promise.nonce,
            criteria: self.criteria(),
            limits: LimitsShown::from(&self.policy.limits),
            sandbox: self.policy.sandbox.clone(),
            forked_from,
            host: self.in_session.as_ref().and_then(|place| place.host.clone()),
            session: self.in_session.as_ref().map(|place| place.session.clone()),
        }
    }

    fn criteria(&self) -> Vec<String> {
        let verification = &self.policy.verification;
        let checks = verification.checks.iter().map(|check| format!("{}: {}", check.name, check.command));
        let judge = verification.asks_an_agent().then(|| self.crew.judge(&verification.judging).agent);
        checks.chain(judge.map(|agent| format!("judge: {agent}"))).collect()
    }

    /// A new iteration begins, on this task.
    pub(super) fn begin_iteration(&mut self, task: Task, why: String, now: Moment) {
        self.tally.iterations += 1;
        self.tally.on_task = self.iterations_on(&task) + 1;
        self.take_in_hand(&task, why, now);
        self.task = task;
        (self.tally.attempts, self.tally.errors) = (0, 0);
        self.mid_iteration = true;
        self.note(
            now.at,
            Event::IterationStarted {
                iteration: self.tally.iterations,
                max_iterations: self.policy.limits.max_iterations.map(Into::into),
                task: self.task.id.clone(),
            },
        );
        self.put_to_work(self.tally.on_task, now);
        self.step = Step::Think(self.next_attempt());
    }

    /// The brief is ready: from here on the attempt counts.
    pub fn after_think(&mut self, attempt: Attempt, brief: Brief, now: Moment) {
        self.tally.running = now.running;
        self.tally.attempts = attempt.number;
        self.tally.attempts_total += 1;
        self.steered = self.steering.len();
        self.begun_from = None;
        if let Some(place) = &mut self.in_session {
            place.briefed = false;
        }
        self.inbox.brief(&attempt.task);
        self.asked = None;
        self.handover = None;
        self.note(
            now.at,
            Event::AttemptStarted {
                iteration: attempt.iteration,
                attempt: attempt.number,
                agent: attempt.agent.clone(),
                model: self.crew.at_work().model.clone(),
                effort: self.crew.at_work().effort.clone(),
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
                ending: Ending::Reported(Box::new(report.clone())),
            },
        );
        let went_on = self.crew.at_work().conversation.is_some();
        self.crew.heard(report.conversation.as_deref().cloned());
        match report.exit.response() {
            Response::Verify => {
                self.crew.worked();
                self.hear_assumptions(&report.tail, now);
                self.asked.clone_from(&report.question);
                self.step = Step::Verify(attempt, Box::new(report));
            }
            // Nobody failed: the conversation was there when the attempt was planned.
            Response::Afresh if went_on => {
                self.crew.start_afresh();
                self.proceed(Step::Think(self.next_attempt()), now);
            }
            Response::Retry(_) if self.claim_may_count(&report) => {
                self.step = Step::Verify(attempt, Box::new(report));
            }
            Response::Retry(error) => {
                self.remember(&attempt, report.exit.to_string(), Vec::new(), &report.tail);
                // A conversation that came to grief once may be what it came to grief over.
                if went_on && error == Error::Own {
                    self.crew.start_afresh();
                }
                self.after_error(&attempt, error, &report.exit.to_string(), now);
            }
            Response::Afresh => {
                self.remember(&attempt, report.exit.to_string(), Vec::new(), &report.tail);
                self.crew.start_afresh();
                self.after_error(&attempt, Error::Own, &report.exit.to_string(), now);
            }
            Response::Yield { reset } => self.give_way(&attempt, &report, reset, now),
            Response::GiveUp(reason) => {
                self.crew.start_afresh();
                self.halt(reason, &report.exit.to_string(), now);
            }
        }
    }

    /// A claim of an agent that did not end well counts if the checks agree.
    fn claim_may_count(&self, report: &Report) -> bool {
        report.claim.is_made() && !self.policy.verification.checks.is_empty()
    }

    pub(super) fn after_fault(&mut self, attempt: Attempt, fault: Fault, now: Moment) {
        let (iteration, number) = (attempt.iteration, attempt.number);
        self.note(now.at, Event::AttemptEnded { iteration, attempt: number, ending: Ending::Lost(fault) });
        if fault != Fault::TimeUp {
            self.tear(&attempt);
        }
        match fault.ends() {
            Some(reason) => self.cut_short(attempt, fault, reason),
            None if fault == Fault::GuardLost => {
                self.remember(&attempt, fault.to_string(), Vec::new(), "");
                self.after_error(&attempt, Error::Passing, &fault.to_string(), now);
            }
            None => self.proceed(Step::Think(self.next_attempt()), now),
        }
    }

    /// The attempt's own end is journalled; what was to follow does not.
    pub(super) fn cut_short(&mut self, attempt: Attempt, fault: Fault, reason: StopReason) {
        let (iteration, number) = (attempt.iteration, attempt.number);
        let evidence = format!("{fault} during attempt {number} of iteration {iteration}");
        self.step = Step::Abandon(attempt, Stop { reason, evidence });
    }

    /// The iteration is over.
    ///
    /// `attended` says whether somebody is there who could answer a question.
    pub fn after_consolidate(&mut self, attempt: Attempt, verdict: Verdict, attended: bool, now: Moment) {
        self.tally.running = now.running;
        self.mid_iteration = false;
        self.extracted = None;
        let Attempt { iteration, task, .. } = attempt;
        let complete = verdict.is_complete();
        self.note(now.at, Event::IterationEnded { iteration, task: task.clone(), complete });
        match verdict {
            Verdict::Complete { evidence } => {
                self.note(now.at, Event::TaskCompleted { task: task.clone(), iteration });
                if !self.has_backlog() {
                    let evidence = format!("iteration {iteration}: {evidence}");
                    return self.halt(StopReason::Completed, &evidence, now);
                }
                self.task_completed(&task, now);
                let delay = self.policy.limits.iteration_delay;
                self.proceed_after(delay, "iteration delay", Step::Select, now);
            }
            Verdict::Incomplete { .. } => match self.asked.take() {
                Some(text) => self.park(task, iteration, text, attended, now),
                None => {
                    let delay = self.policy.limits.iteration_delay;
                    self.proceed_after(delay, "iteration delay", Step::Select, now);
                }
            },
        }
    }

    /// A person wants no more while what was proven is put in order: whoever resumes the run goes on with that.
    pub fn leave_unsettled(&mut self, attempt: Attempt, verdict: Verdict, what: &str, now: Moment) {
        self.tally.running = now.running;
        if let Some(agenda) = &mut self.agenda {
            agenda.showing.remove(&attempt.task);
        }
        let evidence = format!("{} while {} {what}", Fault::Aborted, attempt.task);
        self.unsettled = Some(Box::new((attempt, verdict)));
        self.halt(StopReason::Aborted, &evidence, now);
    }

    /// The time is over, or a person said go on.
    pub fn after_wait(&mut self, then: Step, now: Moment) {
        self.tally.running = now.running;
        if let Step::Wait(Until::Answer { question, .. }, _) = self.step {
            self.assume(question, now);
        }
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

/// A fork begins with the tree that it is forked from.
fn fork(from: &ForkedFrom) -> PutBack {
    let ForkedFrom { iteration, snapshot, head, .. } = from.clone();
    PutBack { snapshot, iteration: Some(iteration), why: Why::Forked, head }
}
