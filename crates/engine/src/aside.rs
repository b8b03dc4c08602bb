//! Work that takes its time, of a vault most of all, while signals are heard.

use std::sync::Arc;

use ralph_core::report::Fault;
use ralph_core::run::{Pace, Step};
use ralph_snapshot::{SnapshotError, Vault};
use ralph_store::Store;

use crate::drive::Drive;
use crate::error::EngineError;
use crate::urgency::{Urgency, pressed};

impl<S: Store + 'static> Drive<S> {
    /// The first signal makes the vault give up what can be given up; the second is not kept waiting by anything. What
    /// is then left half-done, the next one to open the vault finishes or clears away.
    pub(crate) async fn aside<T: Send + 'static>(
        &self,
        vault: Arc<Vault>,
        work: impl FnOnce(&Vault) -> Result<T, SnapshotError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let mut urgency = self.parts.urgency.clone();
        let worker = Arc::clone(&vault);
        let mut working = tokio::task::spawn_blocking(move || work(&worker));
        let mut endured = Urgency::None;
        loop {
            tokio::select! {
                biased;
                done = &mut working => return Ok(done.expect("a vault does not panic and is not cancelled")?),
                pressing = pressed(&mut urgency, endured) => {
                    endured = pressing;
                    vault.give_up();
                    if pressing == Urgency::Kill {
                        return Err(EngineError::CutOff);
                    }
                }
            }
        }
    }

    /// Work that nothing can cut short but the second signal, which is not kept waiting by anything.
    pub(crate) async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let mut urgency = self.parts.urgency.clone();
        let mut working = tokio::task::spawn_blocking(work);
        tokio::select! {
            biased;
            done = &mut working => Ok(done.expect("such work does not panic and is not cancelled")),
            _ = pressed(&mut urgency, Urgency::Abort) => Err(EngineError::CutOff),
        }
    }

    /// Passes on what went wrong, unless it is that the vault gave up for a signal: then the run is aborted where it
    /// stands.
    pub(crate) async fn unless_given_up(
        &mut self,
        outcome: Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        if !outcome.as_ref().is_err_and(EngineError::is_given_up) {
            return outcome;
        }
        // What an ended run owes its tree, it goes on owing.
        if self.run.stop().is_some() {
            return Ok(());
        }
        self.abort_by_signal(Urgency::Abort).await?;
        // Most of what was decided since the gate has not happened yet.
        self.commit().await?;
        self.look().await?;
        if self.run.pace != Pace::Aborting {
            return Ok(());
        }
        let now = self.now();
        match self.run.step.clone() {
            Step::Verify(attempt, report) => {
                self.run.after_verify(attempt, &report, Err(Fault::Aborted), now);
            }
            // Nothing of the attempt has begun.
            Step::Code(..) => self.run.after_wait(self.run.step.clone(), now),
            // These came to the gate when the signal was obeyed, or do so next.
            Step::Baseline
            | Step::Select
            | Step::Think(_)
            | Step::Wait(..)
            | Step::Consolidate(..)
            | Step::Abandon(..)
            | Step::Stop(_) => {}
        }
        Ok(())
    }
}
