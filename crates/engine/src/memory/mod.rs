//! What a run remembers: what goes into its briefs, what is learned of an attempt, and what becomes of that when a task
//! is done. Nothing here ends a run: what goes wrong is a notice.

mod anchoring;
mod constitution;
mod extracting;
mod foresee;
mod ground;
mod learning;
mod meaning;
mod recollect;
mod settling;
mod sought;
mod survey;
mod unknown;

use std::path::PathBuf;
use std::sync::Arc;

use ralph_core::run::Run;
use ralph_core::task::Task;
use ralph_memory::{Allowance, Measure, Shelves};
use ralph_store::{Store, StoreError};

pub use anchoring::{anchored_anew, anchors};
pub use constitution::{
    CONSTITUTION, SUSPECT as CHANGED_CONSTITUTION, TRUSTED as TRUSTED_CONSTITUTION, as_told as constitution,
    digest_of as constitution_digest,
};
pub use extracting::Extracting;
pub use foresee::{About, Foreseen, foresee, near};
pub(crate) use ground::Ground;

use crate::drive::Drive;
use crate::error::chain;

/// What a run remembers with.
#[derive(Debug)]
pub struct Remembering<S> {
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
        Shelves { project: &*self.parts.store, global }
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

/// What a task is about, as far as one searches by it.
fn words_of(task: &Task, run: &Run) -> String {
    const LONGEST: usize = 8_000;
    let mut text: String = format!("{}\n{}", task.title, task.body).chars().take(LONGEST).collect();
    for finding in run.tried.last().into_iter().flat_map(|tried| tried.findings.iter().take(5)) {
        text.push('\n');
        text.extend(finding.chars().take(300));
    }
    text
}
