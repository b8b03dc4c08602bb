//! What became of each task of a run over a backlog: a fold of its journal, like every view.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::check::CheckResult;
use crate::event::{Ending, Entry, Event};
use crate::id::TaskId;
use crate::report::Usage;
use crate::verdict::Verdict;

/// One task, and what it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dealt {
    pub task: TaskId,
    pub title: String,
    pub outcome: Outcome,
    /// The numbers of its iterations.
    pub iterations: Vec<u32>,
    pub attempts: u32,
    pub usage: Usage,
    /// What the checks found last.
    pub checks: Vec<CheckResult>,
    /// What the last verdict rests on: the proof, or what was missing.
    pub findings: Vec<String>,
    /// The commit with what it changed.
    pub commit: Option<String>,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Outcome {
    /// Neither completed nor given up.
    Open,
    Completed,
    Skipped {
        why: String,
    },
}

/// In the order in which they were taken in hand. A task that was skipped before its turn has no iterations.
pub fn ledger<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Dealt> {
    let mut ledger = Ledger::default();
    entries.into_iter().for_each(|entry| ledger.take(entry));
    ledger.tasks
}

#[derive(Default)]
struct Ledger {
    tasks: Vec<Dealt>,
    /// The place of the one at hand.
    at_hand: Option<usize>,
}

impl Ledger {
    fn take(&mut self, entry: &Entry) {
        match &entry.event {
            Event::TaskStarted { task, title, .. } => {
                let at = self.place(task, title, entry.at);
                (self.tasks[at].outcome, self.tasks[at].ended_at) = (Outcome::Open, None);
                self.at_hand = Some(at);
            }
            Event::IterationStarted { iteration, task, .. } => {
                if let Some(at) = self.tasks.iter().position(|dealt| dealt.task == *task) {
                    self.at_hand = Some(at);
                    self.tasks[at].iterations.push(*iteration);
                }
            }
            Event::TaskCompleted { task, .. } => self.settle(task, Outcome::Completed, entry.at),
            Event::TaskSkipped { task, why, .. } => {
                let at = self.place(task, "", entry.at);
                if self.tasks[at].outcome != Outcome::Completed {
                    self.tasks[at].outcome = Outcome::Skipped { why: why.clone() };
                    self.tasks[at].ended_at = Some(entry.at);
                }
            }
            event => {
                if let Some(dealt) = self.at_hand.and_then(|at| self.tasks.get_mut(at)) {
                    dealt.take(event);
                }
            }
        }
    }

    fn place(&mut self, task: &TaskId, title: &str, at: Timestamp) -> usize {
        let found = self.tasks.iter().position(|dealt| dealt.task == *task);
        found.unwrap_or_else(|| {
            self.tasks.push(Dealt {
                task: task.clone(),
                title: title.to_owned(),
                outcome: Outcome::Open,
                iterations: Vec::new(),
                attempts: 0,
                usage: Usage::default(),
                checks: Vec::new(),
                findings: Vec::new(),
                commit: None,
                started_at: at,
                ended_at: None,
            });
            self.tasks.len() - 1
        })
    }

    fn settle(&mut self, task: &TaskId, outcome: Outcome, at: Timestamp) {
        if let Some(dealt) = self.tasks.iter_mut().find(|dealt| dealt.task == *task) {
            (dealt.outcome, dealt.ended_at) = (outcome, Some(at));
        }
    }
}

impl Dealt {
    fn take(&mut self, event: &Event) {
        match event {
            Event::AttemptStarted { .. } => self.attempts += 1,
            Event::AttemptEnded { ending: Ending::Reported(report), .. } => {
                self.usage = self.usage.plus(report.usage);
            }
            Event::JudgeAsked { usage, .. } | Event::MemoryAsked { usage, .. } => {
                self.usage = self.usage.plus(*usage);
            }
            Event::Checked { checks, .. } => self.checks.clone_from(checks),
            Event::Verdict { verdict: Verdict::Complete { evidence }, .. } => {
                self.findings = vec![evidence.clone()];
            }
            Event::Verdict { verdict: Verdict::Incomplete { findings }, .. } => {
                self.findings.clone_from(findings);
            }
            Event::TaskCommitted { commit, .. } => self.commit = Some(commit.clone()),
            _ => {}
        }
    }
}
