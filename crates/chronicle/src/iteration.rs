//! What one iteration came to, as it is told to people: once for the progress file and for its log.

use std::path::PathBuf;
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::check::{CheckResult, Judgement};
use ralph_core::id::{AgentName, RunId, TaskId};
use ralph_core::report::Usage;
use ralph_core::sandbox::Sandbox;
use ralph_core::task::Task;
use ralph_core::verdict::Verdict;

/// All text in it has gone through redaction already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    pub run: RunId,
    pub number: u32,
    pub task: TaskId,
    pub title: String,
    pub description: String,
    pub epic: Option<String>,
    pub outcome: Outcome,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    pub duration: Duration,
    pub agent: AgentName,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub attempts: u32,
    /// Whether the promise was given in a way that counts.
    pub promised: bool,
    /// The agent's final message.
    pub said: String,
    pub usage: Usage,
    pub checks: Vec<CheckResult>,
    pub judgement: Option<Judgement>,
    /// What was changed, from the project's root.
    pub files: Vec<PathBuf>,
    pub snapshots: Snapshots,
    pub commit: Option<String>,
    pub sandbox: Sandbox,
    pub switches: Vec<Switch>,
}

/// The tree before and after, where it was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshots {
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Another agent went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    pub from: AgentName,
    pub to: AgentName,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Complete {
        evidence: String,
    },
    Incomplete {
        findings: Vec<String>,
    },
    /// Its agent failed, so nothing was judged.
    Failed {
        why: String,
    },
    /// A person, a crash or the end of the run's time came in between.
    CutShort {
        why: String,
    },
}

impl From<&Verdict> for Outcome {
    fn from(verdict: &Verdict) -> Outcome {
        match verdict {
            Verdict::Complete { evidence } => Outcome::Complete { evidence: evidence.clone() },
            Verdict::Incomplete { findings } => Outcome::Incomplete { findings: findings.clone() },
        }
    }
}

impl Outcome {
    pub fn is_complete(&self) -> bool {
        matches!(self, Outcome::Complete { .. })
    }

    /// In a word or two, without a comma or a colon.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Outcome::Complete { .. } => "complete",
            Outcome::Incomplete { .. } => "not complete",
            Outcome::Failed { .. } => "failed",
            Outcome::CutShort { .. } => "cut short",
        }
    }

    /// What it rests on.
    pub(crate) fn ground(&self) -> Option<&str> {
        match self {
            Outcome::Complete { evidence: ground }
            | Outcome::Failed { why: ground }
            | Outcome::CutShort { why: ground } => Some(ground),
            Outcome::Incomplete { .. } => None,
        }
    }

    pub(crate) fn findings(&self) -> &[String] {
        match self {
            Outcome::Incomplete { findings } => findings,
            Outcome::Complete { .. } | Outcome::Failed { .. } | Outcome::CutShort { .. } => &[],
        }
    }
}

impl Iteration {
    /// With what is known of every iteration; the rest is filled in where it is known.
    pub fn new(
        run: RunId,
        number: u32,
        task: &Task,
        agent: AgentName,
        outcome: Outcome,
        at: Timestamp,
    ) -> Iteration {
        Iteration {
            run,
            number,
            task: task.id.clone(),
            title: task.title.clone(),
            description: task.body.clone(),
            epic: None,
            outcome,
            started_at: at,
            ended_at: at,
            duration: Duration::ZERO,
            agent,
            model: None,
            effort: None,
            attempts: 1,
            promised: false,
            said: String::new(),
            usage: Usage::default(),
            checks: Vec::new(),
            judgement: None,
            files: Vec::new(),
            snapshots: Snapshots::default(),
            commit: None,
            sandbox: Sandbox::default(),
            switches: Vec::new(),
        }
    }

    /// Who worked, with what.
    pub(crate) fn worker(&self) -> String {
        let with = [self.model.as_deref(), self.effort.as_deref()];
        with.into_iter().flatten().fold(self.agent.to_string(), |all, one| format!("{all} {one}"))
    }
}
