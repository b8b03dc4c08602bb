//! Where a project's tree is kept as it was.

use std::sync::Arc;

use ralph_engine::{Place, chain};
use ralph_snapshot::{Exclusions, NotedRestore, Options, SnapshotError, Vault};

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

/// For commands that look: they make none.
pub(crate) fn existing(place: &Place) -> Result<Arc<Vault>, Problems> {
    let vault = if place.snapshots().is_dir() { open(place)? } else { None };
    let none = || Problem::new("there are no snapshots in this project");
    Ok(vault.ok_or_else(|| none().next("a run takes them, unless `snapshots.enabled` is false"))?)
}

/// A restore that was cut short; nothing is said of a vault that cannot be read, or that there is not.
pub(crate) fn pending(place: &Place) -> Option<NotedRestore> {
    existing(place).ok()?.pending_restore().ok()?
}

pub(crate) fn problem(error: &SnapshotError) -> Problem {
    match error {
        SnapshotError::NotBeneath(_) => Problem::new(chain(error)),
        _ => Problem::new(chain(error)).exit(1),
    }
}
