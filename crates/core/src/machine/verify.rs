//! What a run makes of what it found itself: before the first iteration, and after every attempt.

use std::collections::BTreeMap;

use crate::attempt::Attempt;
use crate::event::Event;
use crate::judge::Answered;
use crate::moment::Moment;
use crate::policy::Signal;
use crate::progress::Movement;
use crate::report::{Fault, Report, Response};
use crate::run::{Baseline, Pace, Run, Step};
use crate::stop::{Stop, StopReason};
use crate::verdict::{Evidence, Verdict};

/// A verdict and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub verdict: Verdict,
    pub evidence: Evidence,
}

impl Run {
    /// What comes before the first iteration: how things stand, where that is ever compared and is not known.
    pub(super) fn first_step(&self) -> Step {
        let unchecked = self.policy.verification.gives_evidence() && self.baseline.is_none();
        if unchecked { Step::Baseline } else { Step::Select }
    }

    /// The checks were run before anything was done. `fixed` are the contents of what they consist of.
    pub fn after_baseline(
        &mut self,
        outcome: Result<Evidence, Fault>,
        fixed: BTreeMap<String, String>,
        now: Moment,
    ) {
        self.tally.running = now.running;
        let evidence = match outcome {
            Ok(evidence) => evidence,
            Err(fault) => return self.no_baseline(fault, now),
        };
        self.tally.failures = 0;
        if !evidence.checks.is_empty() {
            self.note(now.at, Event::Baseline { checks: evidence.checks.clone() });
        }
        if self.policy.verification.red_first
            && let Some(green) = evidence.checks.iter().find(|check| check.passed)
        {
            let evidence =
                format!("{} already, and a check was to fail before the work begins", green.summary());
            // Without a baseline, whoever resumes this run is told the same.
            return self.halt(StopReason::Configuration, &evidence, now);
        }
        let tests = evidence.checks.iter().filter_map(|check| Some((check.name.clone(), check.tests?)));
        let own = Baseline { tests: tests.collect(), fixed };
        self.baseline = Some(own.under(self.inherited.take()));
        if let Some(standing) = &evidence.standing {
            self.progress.begin(standing.clone());
        }
        if evidence.all_pass() && self.policy.completion.require.insert(Signal::Promise) {
            let text = "every check passes already, so they cannot tell success from nothing: \
                        the agent's promise is required as well";
            self.note(now.at, Event::Notice { text: text.to_owned() });
        }
        self.proceed(Step::Select, now);
    }

    fn no_baseline(&mut self, fault: Fault, now: Moment) {
        let evidence = format!("{fault} while the checks were run for the first time");
        match fault.ends() {
            Some(reason) => self.halt(reason, &evidence, now),
            None => {
                self.count_cut(evidence, now);
                self.proceed(Step::Baseline, now);
            }
        }
    }

    /// What was found out is lost, and the tree is as it was: the checks are run again, and the agent is not. A check
    /// may be what ends the guard, so it is a failure like any other.
    fn verify_again(&mut self, attempt: Attempt, report: &Report, fault: Fault, now: Moment) {
        let evidence = format!("{fault} while the checks were run");
        self.count_cut(evidence.clone(), now);
        let is_over = self.tally.failures >= self.policy.limits.max_consecutive_failures.get();
        if is_over || self.pace == Pace::Aborting {
            self.remember(&attempt, evidence, Vec::new(), &report.tail);
            return self.proceed(Step::Think(self.next_attempt()), now);
        }
        self.step = Step::Verify(attempt, Box::new(report.clone()));
    }

    fn count_cut(&mut self, evidence: String, now: Moment) {
        self.tally.failures += 1;
        self.note(now.at, Event::Notice { text: evidence });
    }

    /// Checks came to a conclusion, or were cut short.
    pub fn after_verify(
        &mut self,
        attempt: Attempt,
        report: &Report,
        outcome: Result<Judged, Fault>,
        now: Moment,
    ) {
        self.tally.running = now.running;
        let Judged { verdict, evidence } = match outcome {
            Ok(judged) => judged,
            Err(fault) => {
                return match fault.ends() {
                    Some(reason) => self.cut_short(attempt, fault, reason),
                    None if fault == Fault::Skipped => self.proceed(Step::Think(self.next_attempt()), now),
                    None => self.verify_again(attempt, report, fault, now),
                };
            }
        };
        if report.exit.response() == Response::Verify {
            self.tally.failures = 0;
        }
        if verdict.is_complete() || report.exit.is_clean() {
            self.steering.drain(..std::mem::take(&mut self.steered));
            self.inbox.judged();
        }
        self.note_checks(&attempt, &evidence, now);
        let (iteration, number) = (attempt.iteration, attempt.number);
        self.note(now.at, Event::Verdict { iteration, attempt: number, verdict: verdict.clone() });
        let Verdict::Incomplete { findings } = &verdict else {
            self.step = Step::Consolidate(attempt, verdict);
            return;
        };
        let tail = evidence.tail().unwrap_or(&report.tail);
        if let Response::Retry(error) = report.exit.response() {
            // Its claim would have counted, had the checks agreed.
            self.remember(&attempt, report.exit.to_string(), findings.clone(), tail);
            return self.after_error(&attempt, error, &report.exit.to_string(), now);
        }
        self.remember(&attempt, "not complete".to_owned(), findings.clone(), tail);
        self.move_on(iteration, evidence, now);
        self.step = Step::Consolidate(attempt, verdict);
    }

    fn note_checks(&mut self, attempt: &Attempt, evidence: &Evidence, now: Moment) {
        if evidence.checks.is_empty() && evidence.judgement.is_none() {
            return;
        }
        self.note(
            now.at,
            Event::Checked {
                iteration: attempt.iteration,
                attempt: attempt.number,
                checks: evidence.checks.clone(),
                judgement: evidence.judgement.clone(),
                tampering: evidence.tampering.clone(),
            },
        );
    }

    /// Whether a judge is to be asked: an agent has a say, and what it says is required.
    pub fn wants_a_judge(&self) -> bool {
        self.policy.verification.asks_an_agent() && self.policy.completion.require.contains(&Signal::Criteria)
    }

    /// A judge was asked. What it used up counts, answer or not.
    pub fn after_judge(&mut self, attempt: &Attempt, asking: u32, answered: Answered, now: Moment) {
        let Answered { agent, model, judgement, exit, usage, duration_ms } = answered;
        self.tally.usage = self.tally.usage.plus(usage);
        let (iteration, attempt) = (attempt.iteration, attempt.number);
        self.note(
            now.at,
            Event::JudgeAsked {
                iteration,
                attempt,
                asking,
                agent,
                model,
                judgement,
                exit,
                usage,
                duration_ms,
            },
        );
    }

    /// Whether the iteration got anywhere; only checks or a judge can tell.
    fn move_on(&mut self, iteration: u32, evidence: Evidence, now: Moment) {
        let tells = !evidence.checks.is_empty() || evidence.judgement.is_some();
        let Some(standing) = evidence.standing.filter(|_| tells) else { return };
        let failing = standing.failing.count;
        let files = evidence.sketch.files.len() as u64;
        let (again, alike) = match self.progress.take(iteration, standing, evidence.sketch) {
            Movement::Again { iteration, alike, .. } => (Some(iteration), Some(alike)),
            Movement::Moved | Movement::Still(_) => (None, None),
        };
        let (unchanged, repeats) = (self.progress.unchanged(), self.progress.repeats());
        self.note(now.at, Event::Progress { iteration, failing, files, unchanged, repeats, again, alike });
    }

    /// The limits that need evidence.
    pub(super) fn stuck(&self) -> Option<Stop> {
        let limits = &self.policy.limits;
        let last = self.tried.last().map_or("", |tried| tried.findings.first().map_or("", String::as_str));
        if let Some(max) = limits.max_no_progress.filter(|max| self.progress.unchanged() >= max.get()) {
            let evidence =
                format!("{max} iterations in a row left files, commits and failures as they were; {last}");
            return Some(Stop { reason: StopReason::NoProgress, evidence });
        }
        let repeats = self.progress.repeats();
        if limits.max_circular.is_some_and(|max| repeats >= max.get()) {
            let evidence =
                format!("{repeats} iterations tried what had failed before, with the same failures; {last}");
            return Some(Stop { reason: StopReason::Circular, evidence });
        }
        None
    }
}
