//! Why a run is where it is: what every iteration was decided from. A fold of the journal, like every view.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agenda::Source;
use crate::check::{CheckExit, CheckResult, Counts, Criterion, Failure, Judgement};
use crate::event::{Ending, Entry, Event, LimitsShown};
use crate::id::{AgentName, RunId};
use crate::promise::Claim;
use crate::stop::{RunState, StopReason};
use crate::verdict::Verdict;

/// `ralph why --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    pub run: RunId,
    pub description: String,
    /// Where its backlog is kept; none where it has a prompt.
    #[serde(default)]
    pub backlog: Option<Source>,
    pub status: RunState,
    /// Why it stopped; nothing while it goes on.
    pub stopped: Option<Stopped>,
    /// The checks that decide, each with its command.
    pub criteria: Vec<String>,
    pub limits: LimitsShown,
    /// What the checks found before the first iteration.
    pub before: Vec<CheckResult>,
    pub iterations: Vec<Pass>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    pub reason: String,
    pub detail: StopReason,
    pub evidence: String,
    pub exit_code: u8,
}

/// One iteration, and what it was decided from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    pub iteration: u32,
    pub attempts: u32,
    /// Who worked last.
    pub agent: Option<AgentName>,
    /// How the last attempt ended, in words.
    pub ending: Option<String>,
    /// What the agent claimed in its last attempt.
    pub claim: Option<Claim>,
    pub checks: Vec<Compared>,
    /// What the agent changed of what the checks consist of.
    pub tampering: Vec<String>,
    pub judgement: Option<Judgement>,
    /// Whether it got anywhere; only told of one that did not complete.
    pub movement: Option<Moved>,
    pub verdict: Option<Verdict>,
}

/// What one check found, beside what it found before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    pub name: String,
    pub criterion: Criterion,
    pub command: String,
    pub exit: CheckExit,
    pub passed: bool,
    pub duration_ms: u64,
    pub counts: Option<Counts>,
    pub counts_before: Option<Counts>,
    /// How much fails.
    pub failing: u64,
    pub failing_before: Option<u64>,
    /// Failures that were not there before, of those that were named.
    pub came: Vec<Failure>,
    pub stayed: Vec<Failure>,
    pub went: Vec<Failure>,
    /// The end of its output.
    pub tail: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// How many files it changed.
    pub files: u64,
    /// Iterations in a row that left everything as it was.
    pub unchanged: u32,
    /// Iterations that tried what had failed before.
    pub repeats: u32,
    /// The earlier iteration that this one repeats.
    pub again: Option<u32>,
    /// How much of its changes was in that one too, in per cent.
    pub alike: Option<u8>,
}

impl Account {
    /// None where the entries are not the beginning of a journal.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Option<Account> {
        let mut entries = entries.into_iter();
        let Event::RunStarted(started) = &entries.next()?.event else { return None };
        let mut account = Account {
            run: started.run.clone(),
            description: started.description.clone(),
            backlog: started.backlog.clone(),
            status: RunState::Running,
            stopped: None,
            criteria: started.criteria.clone(),
            limits: started.limits.clone(),
            before: Vec::new(),
            iterations: Vec::new(),
        };
        let mut last = Vec::new();
        for entry in entries {
            account.take(&entry.event, &mut last);
        }
        Some(account)
    }

    /// How much failed before the first iteration and after each that was checked, by iteration.
    pub fn failing(&self) -> Vec<(u32, u64)> {
        let before =
            (!self.before.is_empty()).then(|| (0, sum(self.before.iter().map(|check| check.failing.count))));
        let after = self.iterations.iter().filter_map(|pass| Some((pass.iteration, pass.failing()?)));
        before.into_iter().chain(after).collect()
    }

    /// `last` is what the checks found last.
    fn take(&mut self, event: &Event, last: &mut Vec<CheckResult>) {
        match event {
            Event::IterationStarted { iteration, .. } => self.iterations.push(Pass::new(*iteration)),
            Event::Baseline { checks } => {
                self.before.clone_from(checks);
                last.clone_from(checks);
            }
            Event::RunStopped { stop_reason, detail, status, exit_code, evidence } => {
                self.status = *status;
                self.stopped = Some(Stopped {
                    reason: stop_reason.clone(),
                    detail: *detail,
                    evidence: evidence.clone(),
                    exit_code: *exit_code,
                });
            }
            Event::RunResumed {} | Event::Unpaused {} => {
                (self.status, self.stopped) = (RunState::Running, None);
            }
            Event::Paused {} | Event::AllLimited { .. } => self.status = RunState::Paused,
            _ => {
                if let Some(pass) = self.iterations.last_mut() {
                    pass.take(event, last);
                }
            }
        }
    }
}

impl Pass {
    fn new(iteration: u32) -> Pass {
        Pass {
            iteration,
            attempts: 0,
            agent: None,
            ending: None,
            claim: None,
            checks: Vec::new(),
            tampering: Vec::new(),
            judgement: None,
            movement: None,
            verdict: None,
        }
    }

    pub fn is_complete(&self) -> bool {
        self.verdict.as_ref().is_some_and(Verdict::is_complete)
    }

    pub fn said_done(&self) -> bool {
        self.claim.as_ref().is_some_and(Claim::is_made)
    }

    /// How much fails after it, where that was checked.
    pub fn failing(&self) -> Option<u64> {
        (!self.checks.is_empty()).then(|| sum(self.checks.iter().map(|check| check.failing)))
    }

    fn take(&mut self, event: &Event, last: &mut Vec<CheckResult>) {
        match event {
            Event::AttemptStarted { agent, .. } => {
                self.attempts += 1;
                self.agent = Some(agent.clone());
                (self.ending, self.claim, self.verdict) = (None, None, None);
            }
            Event::AttemptEnded { ending: Ending::Reported(report), .. } => {
                self.ending = Some(report.exit.to_string());
                self.claim = Some(report.claim.clone());
            }
            Event::AttemptEnded { ending: Ending::Lost(fault), .. } => self.ending = Some(fault.to_string()),
            Event::Checked { checks, judgement, tampering, .. } => {
                self.checks = checks.iter().map(|check| Compared::new(check, last)).collect();
                self.tampering.clone_from(tampering);
                self.judgement.clone_from(judgement);
                last.clone_from(checks);
            }
            Event::Progress { files, unchanged, repeats, again, alike, .. } => {
                let (files, unchanged, repeats) = (*files, *unchanged, *repeats);
                self.movement = Some(Moved { files, unchanged, repeats, again: *again, alike: *alike });
            }
            Event::Verdict { verdict, .. } => self.verdict = Some(verdict.clone()),
            _ => {}
        }
    }
}

impl Compared {
    fn new(now: &CheckResult, last: &[CheckResult]) -> Compared {
        let before = last.iter().find(|check| check.name == now.name);
        let (new, old) = (now.failures.as_slice(), before.map_or(&[][..], |check| check.failures.as_slice()));
        let (stayed, came) = split(new, old);
        let (_, went) = split(old, new);
        Compared {
            name: now.name.clone(),
            criterion: now.criterion,
            command: now.command.clone(),
            exit: now.exit.clone(),
            passed: now.passed,
            duration_ms: now.duration_ms,
            counts: now.counts,
            counts_before: before.and_then(|check| check.counts),
            failing: now.failing.count,
            failing_before: before.map(|check| check.failing.count),
            came,
            stayed,
            went,
            tail: now.tail.clone(),
        }
    }
}

/// The failures that are among the others, and those that are not.
fn split(failures: &[Failure], others: &[Failure]) -> (Vec<Failure>, Vec<Failure>) {
    let known: BTreeSet<&str> = others.iter().map(|failure| failure.fingerprint.as_str()).collect();
    failures.iter().cloned().partition(|failure| known.contains(failure.fingerprint.as_str()))
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests;
