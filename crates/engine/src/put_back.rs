//! The tree is put back as it was. What is there now is kept first, and what was cut short is finished.

use std::path::PathBuf;

use ralph_core::event::Event;
use ralph_core::put_back::{PutBack, Restored, Why};
use ralph_snapshot::{Report, Restore, SnapshotError, SnapshotId, Vault};
use ralph_store::Store;

use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::{EngineError, chain};
use crate::snapshots::NAMED;

impl<S: Store + 'static> Drive<S> {
    /// A person's own restore may have been cut short; nobody is to work on half of it.
    pub(crate) async fn finish_restore(&mut self) -> Result<(), EngineError> {
        let Some(vault) = self.parts.vault.clone() else { return Ok(()) };
        let Some(pending) = vault.pending_restore()? else { return Ok(()) };
        let owed = self.run.to_put_back();
        if owed.is_some_and(|owed| owed.snapshot == pending.target.to_string()) {
            return Ok(());
        }
        let Some(report) = self.aside(vault, Vault::finish_restore).await? else { return Ok(()) };
        self.run.note(self.now().at, Event::Notice { text: finished(&report) });
        self.tell_problems(&report);
        // Whoever began it has seen to the tree since the attempt was cut short.
        if self.run.to_put_back().is_some_and(|owed| owed.why == Why::Torn) {
            self.run.leave_tree();
        }
        Ok(())
    }

    /// Puts the tree back where the run owes that, and journals it.
    pub(crate) async fn put_back(&mut self) -> Result<(), EngineError> {
        let Some(owed) = self.run.to_put_back().cloned() else { return Ok(()) };
        crash_point("put_back.before");
        let restored = match self.restore(&owed).await {
            Ok(report) => {
                self.tell_problems(&report);
                restored(&report)
            }
            Err(error) if error.is_given_up() => return Err(error),
            Err(error) if owed.why == Why::Failed || is_gone(&error) => {
                let text = format!("the tree is as it was left: {}", chain(&error));
                self.run.note(self.now().at, Event::Notice { text });
                None
            }
            Err(error) => return Err(error),
        };
        crash_point("put_back.inside");
        self.run.after_put_back(restored, self.now());
        self.commit().await?;
        crash_point("put_back.after");
        Ok(())
    }

    async fn restore(&self, owed: &PutBack) -> Result<Report, EngineError> {
        let Some(vault) = self.parts.vault.clone() else { return Err(EngineError::NoSnapshots) };
        let Ok(target) = owed.snapshot.parse::<SnapshotId>() else { return Err(EngineError::NoSnapshots) };
        self.aside(vault, move |vault| carry_out(vault, target, &[])).await
    }

    fn tell_problems(&mut self, report: &Report) {
        if let Some(first) = report.problems.first() {
            let text = format!(
                "{} paths could not be put back, the first: {}: {}",
                report.problems.len(),
                first.path.display(),
                first.why
            );
            self.run.note(self.now().at, Event::Notice { text });
        }
    }
}

/// Puts the tree, or some paths of it, back as a snapshot has them. The same restore, cut short before, is finished;
/// another one is finished first.
pub fn carry_out(vault: &Vault, target: SnapshotId, paths: &[PathBuf]) -> Result<Report, SnapshotError> {
    let pending = vault.pending_restore()?;
    let finished = vault.finish_restore()?;
    let is_this = pending.is_some_and(|pending| pending.target == target && pending.paths == paths);
    match finished.filter(|_| is_this) {
        Some(report) => Ok(report),
        None => vault.restore(target, &Restore { paths: paths.to_vec(), dry_run: false }),
    }
}

/// A restore that was cut short and is finished now, in a sentence.
pub fn finished(report: &Report) -> String {
    format!(
        "a rollback that was cut short is finished ({} of its paths were left); `ralph rollback --undo` takes it back, \
         `ralph rollback --snapshot {}` brings back what was found",
        report.changes.len(),
        &report.found.to_string()[..12],
    )
}

/// What a restore changed; none where the tree was like that already.
pub fn restored(report: &Report) -> Option<Restored> {
    let names = report.changes.iter().map(|change| change.path.to_string_lossy().into_owned());
    (!report.changes.is_empty()).then(|| Restored {
        undo: report.before.to_string(),
        changed: report.changes.len() as u64,
        files: names.take(NAMED).collect(),
    })
}

/// Whether the snapshot is not there any more, so that nothing can be put back, now or later.
fn is_gone(error: &EngineError) -> bool {
    matches!(error, EngineError::NoSnapshots | EngineError::Snapshot(SnapshotError::Unknown { .. }))
}
