//! Writes into the journal of a run that nobody drives.

use jiff::Timestamp;
use ralph_core::id::RunId;
use ralph_core::moment::Moment;
use ralph_core::run::Run;
use ralph_store::{Commit, SqliteStore, Store, StoreError};

use crate::problem::Problems;
use crate::project::store_problem;
use crate::words::print;

/// The caller holds the tree. What was asked of the run meanwhile comes first.
pub(crate) async fn amend(
    store: &SqliteStore,
    id: &RunId,
    change: impl Fn(&mut Run, Moment),
) -> Result<(), Problems> {
    let taken = match store.take_run(id).await {
        Err(StoreError::Fenced { .. }) => {
            print(&format!("run {id} was left behind by a newer one; its journal does not tell of this\n"));
            return Ok(());
        }
        other => other.map_err(|error| store_problem(&error))?,
    };
    let Some(mut run) = taken else { return Ok(()) };
    loop {
        let now = Moment { at: Timestamp::now(), running: run.tally.running };
        let mut next = run.clone();
        change(&mut next, now);
        match store.commit(&next, now.at, &[]).await.map_err(|error| store_problem(&error))? {
            Commit::Written(_) => return Ok(()),
            Commit::Controls(controls) => {
                for (no, control) in &controls {
                    run.apply(*no, control, now);
                }
            }
        }
    }
}
