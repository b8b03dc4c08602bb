//! What a run that has ended still owes its tree: it was to be put back, and the crash came before.

use std::collections::HashMap;

use ralph_core::event::Event;
use ralph_core::put_back::{Extent, PutBack};
use ralph_core::run::Run;
use ralph_engine::{Place, carry_out, head, restored};
use ralph_snapshot::{Change, Report, Restore, SnapshotError, SnapshotId, Vault};
use ralph_store::{SqliteStore, Store};

use crate::amend::amend;
use crate::commands::resume::take_lock;
use crate::history::{History, short};
use crate::problem::{Problem, Problems};
use crate::project::store_problem;
use crate::restoring::{agreed, told, undoing};
use crate::vault;
use crate::words::print;

/// What the tree is owed. Once a newer run has begun, nothing is: the tree is that one's.
pub(crate) async fn owed(store: &SqliteStore, run: &Run) -> Result<Option<PutBack>, Problems> {
    let latest = store.latest_run().await.map_err(|error| store_problem(&error))?;
    Ok(run.owed.clone().filter(|_| latest.is_some_and(|latest| latest.id == run.id)))
}

/// A run that has ended for good.
pub(crate) struct Ended<'a> {
    pub(crate) store: &'a SqliteStore,
    pub(crate) place: &'a Place,
    pub(crate) run: &'a Run,
}

impl Ended<'_> {
    /// Puts the tree back, or does not and says why. Nothing is done to files that were changed since, and nothing
    /// unasked.
    pub(crate) async fn settle(&self, keep_tree: bool, yes: bool) -> Result<(), Problems> {
        let Some(owed) = owed(self.store, self.run).await? else { return Ok(()) };
        if keep_tree {
            return self.forgive("the files are left as they are").await;
        }
        let Ok(target) = owed.snapshot.parse::<SnapshotId>() else { return Ok(()) };
        let vault = vault::existing(self.place)?;
        let plan = plan(&vault, target)?;
        if self.is_touched(&vault, &plan).await? {
            return self.forgive("the files are not put back: they were changed after the run ended").await;
        }
        if !plan.changes.is_empty() {
            let when = match owed.iteration {
                Some(iteration) => format!("when iteration {iteration} of run {} began", self.run.id),
                None => format!("before run {}", self.run.id),
            };
            print(&format!("as it was {when} (snapshot {}):\n", short(&target)));
            print(&told(&plan, true));
            let id = &self.run.id;
            let hint = format!("`ralph resume {id} --yes` puts this back, `--keep-tree` leaves it");
            if !agreed(yes, false, "Put this back? [y/N] ", &hint)? {
                print("nothing was changed\n");
                return Ok(());
            }
        }
        self.pay(&vault, target, &plan).await
    }

    /// The tree is held only now: nobody waits for a person who is being asked.
    async fn pay(&self, vault: &Vault, target: SnapshotId, agreed: &Report) -> Result<(), Problems> {
        let _lock = take_lock(self.place, &self.run.id)?;
        if plan(vault, target)?.changes != agreed.changes || owed(self.store, self.run).await?.is_none() {
            return Err(Problem::new("something was changed meanwhile; nothing was put back")
                .next(format!("`ralph resume {}` shows what would be done now", self.run.id))
                .into());
        }
        let report = carry_out(vault, target, &[]).map_err(|error| vault::problem(&error))?;
        let done =
            restored(vault, &report, head(&self.place.root)).map_err(|error| vault::problem(&error))?;
        amend(self.store, &self.run.id, |run, now| run.after_put_back(done.clone(), now)).await?;
        let in_session = self.run.in_session.is_some().then_some(&self.run.id);
        print(&format!("put back; {} takes this back\n", undoing(in_session)));
        print(&told(&report, false));
        Ok(())
    }

    async fn forgive(&self, why: &str) -> Result<(), Problems> {
        let id = &self.run.id;
        let text = format!("{why}; `ralph rollback --run {id}` puts them back as they were before the run");
        amend(self.store, id, |run, now| {
            run.disown(Extent::Whole, now);
            run.note(now.at, Event::Notice { text: text.clone() });
        })
        .await?;
        print(&format!("{text}\n"));
        Ok(())
    }

    /// Whether there is anything to undo that the run did not leave so: a person's work, or another program's.
    async fn is_touched(&self, vault: &Vault, plan: &Report) -> Result<bool, Problems> {
        let pending = vault.pending_restore().map_err(|error| vault::problem(&error))?;
        let left = match pending {
            Some(own) if own.target == plan.target && own.paths.is_empty() => Some(own.before),
            Some(_) => None,
            None => History::read(self.store, &self.run.id).await?.taken.last().map(|last| last.id),
        };
        let Some(left) = left else { return Ok(true) };
        let owed = match vault.diff(left, plan.target) {
            Ok(changes) => changes,
            Err(SnapshotError::Unknown { .. }) => return Ok(!plan.changes.is_empty()),
            Err(error) => return Err(vault::problem(&error).into()),
        };
        let owed: HashMap<_, &Change> = owed.iter().map(|change| (&change.path, change)).collect();
        Ok(plan.changes.iter().any(|change| owed.get(&change.path).copied() != Some(change)))
    }
}

fn plan(vault: &Vault, target: SnapshotId) -> Result<Report, Problems> {
    let dry = Restore { dry_run: true, ..Restore::default() };
    vault.restore(target, &dry).map_err(|error| vault::problem(&error).into())
}
