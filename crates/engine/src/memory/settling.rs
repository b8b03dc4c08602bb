//! When a task is done: what it has learned is taken over into the project's memory.

use ralph_core::attempt::Attempt;
use ralph_core::event::Event;
use ralph_core::id::TaskId;
use ralph_core::verdict::Verdict;
use ralph_memory::{Consolidation, Done, consolidate, consolidated_since, staged};
use ralph_store::Store;

use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::EngineError;
use crate::settle::Settled;
use crate::verify::branch;

impl<S: Store + 'static> Drive<S> {
    /// A task that is not done keeps its notes to itself.
    pub(crate) async fn settle_memory(
        &mut self,
        attempt: &Attempt,
        verdict: &Verdict,
        commit: Option<String>,
    ) -> Result<Settled, EngineError> {
        if self.parts.memory.is_none() || !verdict.is_complete() {
            return Ok(Settled::Stands);
        }
        if self.extract(attempt).await? == Settled::Rewound {
            return Ok(Settled::Rewound);
        }
        crash_point("memory.before");
        let made = self.fresh_commits();
        let proven = self.is_proven(attempt).await;
        self.note_commits(attempt, &made, proven).await;
        let task = self.remembered_task();
        let branch = commit.as_ref().and_then(|_| branch(&self.parts.place.root));
        let done = Done {
            task: &task,
            run: Some(&self.run.id),
            commit: commit.as_deref(),
            branch: branch.as_deref(),
            verified: proven,
            entities_updated: std::mem::take(&mut self.touched).len() as u64,
        };
        let at = self.now().at;
        let consolidated = consolidate(&**self.notes(), &done, &self.parts.redactor, at).await;
        crash_point("memory.inside");
        if let Some(report) = self.forgetful(consolidated) {
            let report = self.with_untold(report, &task).await;
            let Consolidation { promoted, deduplicated, conflicts_resolved, dropped, entities_updated } =
                report;
            let (task, iteration) = (attempt.task.clone(), attempt.iteration);
            if promoted + deduplicated + conflicts_resolved + dropped > 0 {
                let event = Event::Consolidated {
                    task,
                    iteration,
                    promoted,
                    deduplicated,
                    conflicts_resolved,
                    dropped,
                    entities_updated,
                };
                self.run.note(at, event);
            }
        }
        crash_point("memory.after");
        self.keep_ground().await?;
        Ok(Settled::Stands)
    }

    /// Whether checks have shown something of the task, in this process or before it: those that were green all the time,
    /// with nothing changed, show nothing.
    async fn is_proven(&mut self, attempt: &Attempt) -> bool {
        if !self.run.policy.verification.gives_evidence() || self.proven.as_ref() == Some(&attempt.task) {
            return self.proven.as_ref() == Some(&attempt.task);
        }
        let known = staged(&**self.notes(), &self.remembered_task()).await;
        self.forgetful(known).unwrap_or_default().iter().any(|note| note.verified)
    }

    /// A process that was killed behind its consolidation has left nothing to do, and has not said so.
    async fn with_untold(&mut self, report: Consolidation, task: &TaskId) -> Consolidation {
        // A host's hook is a new process at every turn, and nobody waits while it reads the whole log.
        let is_resumed = self.is_resumed && self.run.in_session.is_none();
        if !is_resumed || !report.is_idle() {
            return report;
        }
        let before = consolidated_since(&**self.notes(), task, self.run.started_at).await;
        let before = self.forgetful(before).unwrap_or_default();
        Consolidation { dropped: report.dropped, entities_updated: report.entities_updated, ..before }
    }
}
