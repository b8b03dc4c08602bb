//! Where a project's tree is kept as it was.

use std::sync::Arc;

use ralph_core::backlog::TEMPORARY;
use ralph_core::policy::OnFailure;
use ralph_core::run::Run;
use ralph_core::stop::RunState;
use ralph_engine::{Place, chain};
use ralph_snapshot::{Exclusions, Keep, NotedRestore, Options, SnapshotError, SnapshotId, Vault};
use ralph_store::{SqliteStore, Store};

use crate::own;
use crate::problem::{self, Problem, Problems};
use crate::project::store_problem;
use crate::settings::{Snapshots, excludes_file};

/// None where the state directory lies inside the tree: a snapshot would hold the snapshots.
pub(crate) fn open(place: &Place) -> Result<Option<Arc<Vault>>, Problems> {
    let exclusions = Exclusions::new(own::paths(place)).expect("these are below the root");
    let exclusions = exclusions.and_names_beginning_with(TEMPORARY);
    let excludes_file = excludes_file(&std::env::vars_os().collect(), &place.root);
    let options = Options { exclusions, excludes_file, ..Options::default() };
    match Vault::open(&place.snapshots(), &place.root, options) {
        Ok(vault) => Ok(Some(Arc::new(vault))),
        Err(SnapshotError::Inside { .. }) => Ok(None),
        Err(error) => Err(problem(&error).into()),
    }
}

/// The vault of a run; none where snapshots are not wanted, or not possible and not needed either.
pub(crate) fn wanted(place: &Place, settings: &Snapshots) -> Result<Option<Arc<Vault>>, Problems> {
    let vault = if settings.enabled { open(place)? } else { None };
    if vault.is_none() && settings.on_failure == OnFailure::Restore {
        let problem = Problem::new("nothing could be restored: the state directory lies inside the project");
        return Err(problem.next("set `state_dir` to a place outside, or `--on-failure keep`").into());
    }
    Ok(vault)
}

/// How long snapshots are kept, and which ones unfinished runs need.
pub(crate) async fn retention(store: &SqliteStore, settings: &Snapshots) -> Result<Keep, Problems> {
    let mut pinned = Vec::new();
    for summary in store.runs(usize::MAX).await.map_err(|error| store_problem(&error))? {
        if summary.state == RunState::Success || summary.superseded_by.is_some() {
            continue;
        }
        let run = store.run(&summary.id).await.map_err(|error| store_problem(&error))?;
        if let Some(run) = run.filter(Run::is_unfinished) {
            pinned.extend(run.needed_snapshots().filter_map(|id| id.parse::<SnapshotId>().ok()));
        }
    }
    Ok(Keep { max_bytes: settings.max_size, max_age: settings.keep, pinned })
}

/// For commands that look: they make none.
pub(crate) fn existing(place: &Place) -> Result<Arc<Vault>, Problems> {
    let nothing = || {
        Problem::new("nothing has been kept of this project")
            .at(problem::Place::from(place.root.clone()))
            .next("a run keeps it before and after each iteration, unless `snapshots.enabled` is false")
            .exit(4)
    };
    let vault = if place.snapshots().is_dir() { open(place)? } else { None };
    Ok(vault.ok_or_else(nothing)?)
}

/// A restore that was cut short; nothing is said of a vault that cannot be read, or that there is not.
pub(crate) fn pending(place: &Place) -> Option<NotedRestore> {
    existing(place).ok()?.pending_restore().ok()?
}

/// A vault's error, with what to do about a snapshot that has expired.
pub(crate) fn problem(error: &SnapshotError) -> Problem {
    let problem = Problem::new(chain(error));
    match error {
        SnapshotError::NotBeneath(_) => problem,
        SnapshotError::Unknown { .. } => {
            problem.next("`ralph snapshots --all` lists those that are still there").exit(1)
        }
        _ => problem.exit(1),
    }
}
