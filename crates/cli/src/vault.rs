//! Where a project's tree is kept as it was.

use std::sync::Arc;

use ralph_engine::{Place, chain};
use ralph_snapshot::{Exclusions, Options, SnapshotError, Vault};

use crate::problem::{Problem, Problems};

/// What ralph itself writes into the tree for people: neither kept nor put back.
const OWN: [&str; 2] = [".ralph/progress.md", ".ralph/logs"];

/// None where the state directory lies inside the tree: a snapshot would hold the snapshots.
pub(crate) fn open(place: &Place) -> Result<Option<Arc<Vault>>, Problems> {
    let exclusions = Exclusions::new(OWN).expect("these are below the root");
    let options = Options { exclusions, ..Options::default() };
    match Vault::open(&place.snapshots(), &place.root, options) {
        Ok(vault) => Ok(Some(Arc::new(vault))),
        Err(SnapshotError::Inside { .. }) => Ok(None),
        Err(error) => Err(problem(&error).into()),
    }
}

pub(crate) fn problem(error: &SnapshotError) -> Problem {
    Problem::new(chain(error)).exit(1)
}
