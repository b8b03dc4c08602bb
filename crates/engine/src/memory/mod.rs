//! What a run remembers: what goes into its briefs, what is learned of an attempt, and what becomes of that when a task
//! is done. Nothing here ends a run: what goes wrong is a notice.

mod anchoring;
mod committing;
mod constitution;
mod extracting;
mod foresee;
mod ground;
mod in_force;
mod learning;
mod looked_at;
mod meaning;
mod recollect;
mod settling;
mod sought;
mod survey;
mod unknown;

use std::path::PathBuf;
use std::sync::Arc;

use ralph_core::check::CheckResult;
use ralph_core::task::Task;
use ralph_memory::{Allowance, Measure, Shelves};
use ralph_store::{Store, StoreError};

pub use anchoring::{anchored_anew, anchors};
pub use constitution::{
    CONSTITUTION, TRUSTED as TRUSTED_CONSTITUTION, as_told as constitution, changed as changed_constitution,
};
pub use extracting::Extracting;
pub use foresee::{About, Foreseen, foresee, near};
pub(crate) use ground::Ground;
pub use looked_at::{doubt_outdated, rests_on_code};

use crate::drive::Drive;
use crate::error::chain;

/// What a run remembers with.
#[derive(Debug)]
pub struct Remembering<S> {
    /// Where the project's notes are, where that is not with its runs: a work tree that ralph made has those of the
    /// project that it was made from.
    pub project: Option<Arc<S>>,
    /// What is known in all projects.
    pub global: Option<Arc<S>>,
    /// Who says what notes mean; none where they are found by their words alone.
    pub measure: Option<Arc<dyn Measure>>,
    /// What a brief may have of it; the constitution and the code count as well.
    pub allowance: Allowance,
    /// In which share of the briefs a note is left out, to see how the work goes without it.
    pub holdout: f64,
    /// Whether agents that can take ralph's tools are given them, whether or not they are to call one.
    pub tools: bool,
    /// Whether a person is asked what a task means that names what nobody knows.
    pub asks: bool,
    /// Whether an agent is asked what a completed task was worth knowing for.
    pub extracting: Option<Extracting>,
    /// A person's own rules for what git ignores.
    pub excludes_file: Option<PathBuf>,
}

impl<S: Store + 'static> Drive<S> {
    fn shelves(&self) -> Shelves<'_, S> {
        let global = self.parts.memory.as_ref().and_then(|memory| memory.global.as_deref());
        Shelves { project: self.notes(), global }
    }

    /// The store of the project's notes.
    fn notes(&self) -> &Arc<S> {
        let apart = self.parts.memory.as_ref().and_then(|memory| memory.project.as_ref());
        apart.unwrap_or(&self.parts.store)
    }

    /// The work goes on without its memory, and a person is told once.
    fn forgetful<T>(&mut self, outcome: Result<T, StoreError>) -> Option<T> {
        match outcome {
            Ok(done) => Some(done),
            Err(error) => {
                self.tell_once(&format!("the memory cannot be used: {}", chain(&error)));
                None
            }
        }
    }

    /// The task as the memory knows it: all prompts are called the same, and each has notes of its own.
    fn remembered_task(&self) -> ralph_core::id::TaskId {
        self.run.task.remembered_as()
    }
}

/// What a task is about, as far as one searches by it. Only so many words are searched for, so the beginnings of what
/// fails come before a text that may be long.
fn words_of(task: &Task, findings: &[String]) -> String {
    const LONGEST: usize = 8_000;
    const BEGINNING: usize = 12;
    let beginning =
        |finding: &String| finding.split_whitespace().take(BEGINNING).collect::<Vec<_>>().join(" ");
    let whole = |finding: &String| finding.chars().take(300).collect();
    let body = task.body.chars().take(LONGEST).collect();
    let parts = std::iter::once(task.title.clone())
        .chain(findings.iter().take(2).map(beginning))
        .chain([body])
        .chain(findings.iter().take(5).map(whole));
    parts.collect::<Vec<String>>().join("\n")
}

/// What fails, a line each, as checks have found it.
fn failing(checks: &[CheckResult]) -> Vec<String> {
    let failures = checks.iter().filter(|check| !check.passed).flat_map(|check| &check.failures);
    failures.map(|failure| format!("{}: {}", failure.title, failure.message)).collect()
}
