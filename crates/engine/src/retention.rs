//! What is kept of the tree does not grow without bound: it is swept when a run begins and ends, and now and then between.

use std::time::SystemTime;

use ralph_core::event::Event;
use ralph_snapshot::SnapshotId;
use ralph_store::Store;

use crate::drive::Drive;
use crate::error::{EngineError, chain};

/// How many attempts of a long run go by between two sweeps.
const BETWEEN: u32 = 32;

impl<S: Store + 'static> Drive<S> {
    /// A sweep that fails costs space, not the run.
    pub(crate) async fn sweep(&mut self) {
        if let Err(error) = self.let_go().await
            && !error.is_given_up()
        {
            let text = format!("old snapshots could not be let go of: {}", chain(&error));
            self.run.note(self.now().at, Event::Notice { text });
        }
    }

    pub(crate) async fn sweep_now_and_then(&mut self) {
        if self.run.tally.attempts_total.is_multiple_of(BETWEEN) {
            self.sweep().await;
        }
    }

    async fn let_go(&self) -> Result<(), EngineError> {
        let Some(vault) = self.parts.vault.clone() else { return Ok(()) };
        let mut keep = self.parts.retention.clone();
        keep.pinned.extend(self.run.needed_snapshots().filter_map(|id| id.parse::<SnapshotId>().ok()));
        self.aside(vault, move |vault| {
            let now = SystemTime::now();
            if vault.is_sweep_due(&keep, now)? {
                vault.sweep(&keep, now)?;
            }
            Ok(())
        })
        .await
    }
}
