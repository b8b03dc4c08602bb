//! The tree is put back as it was. What is there now is kept first, and what was cut short is finished.

use std::path::PathBuf;

use ralph_core::event::Event;
use ralph_core::put_back::{Extent, PutBack, Restored, Why};
use ralph_snapshot::{Change, Report, Restore, SnapshotError, SnapshotId, Vault};
use ralph_store::Store;

use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::{EngineError, chain};
use crate::snapshots::NAMED;
use crate::verify::head;

/// How many journal lines are read at a time.
const PAGE: usize = 1_000;

impl<S: Store + 'static> Drive<S> {
    /// A person's own restore may have been cut short; nobody is to work on half of it.
    pub(crate) async fn finish_restore(&mut self) -> Result<(), EngineError> {
        let Some(vault) = self.parts.vault.clone() else { return Ok(()) };
        let Some(pending) = vault.pending_restore()? else { return Ok(()) };
        let (target, extent) = (pending.target.to_string(), Extent::of(&pending.paths));
        let owed = self.run.to_put_back();
        if owed.is_some_and(|owed| owed.snapshot == target && extent == Extent::Whole) {
            return Ok(());
        }
        let Some(report) = self.aside(vault, Vault::finish_restore).await? else { return Ok(()) };
        self.run.note(self.now().at, Event::Notice { text: finished(&report) });
        self.tell_problems(&report);
        let step = self.run.step.clone();
        let done = self.done(&report).await?;
        self.run.restore_finished(&target, extent, done, self.now());
        if self.run.step != step {
            self.back_to_the_gate();
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
                self.done(&report).await?
            }
            Err(error) if error.is_given_up() => return Err(error),
            Err(error) if matches!(owed.why, Why::Failed | Why::GivenUp) || is_gone(&error) => {
                let text = format!("the tree is as it was left: {}", chain(&error));
                self.run.note(self.now().at, Event::Notice { text });
                None
            }
            Err(error) => return Err(error),
        };
        crash_point("put_back.inside");
        // Nothing that was found or touched since then is so any more.
        self.checked = None;
        self.touched.clear();
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

    /// What was done, with what a crash kept from being told: the tree may have been put back before it.
    async fn done(&self, report: &Report) -> Result<Option<Restored>, EngineError> {
        let Some(vault) = self.parts.vault.clone() else { return Ok(None) };
        let is_new = !report.changes.is_empty();
        let (report, head) = (report.clone(), head(&self.parts.place.root));
        let done = self.aside(vault, move |vault| restored(vault, &report, head)).await?;
        Ok(match done {
            Some(done) if !is_new && self.is_told(&done.undo).await? => None,
            done => done,
        })
    }

    /// Whether the journal tells of the restore that this undoes.
    async fn is_told(&self, undo: &str) -> Result<bool, EngineError> {
        let tells = |event: &Event| matches!(event, Event::RolledBack { undo: its, .. } if its == undo);
        let mut after = 0;
        loop {
            let page = self.parts.store.entries(&self.run.id, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(false) };
            if page.iter().any(|entry| tells(&entry.event)) {
                return Ok(true);
            }
            after = last.seq;
        }
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

/// What a restore of the whole tree, or of some paths, changed; none where everything was like that already, and not
/// because the same restore of the whole tree was the last one.
pub fn restored(
    vault: &Vault,
    report: &Report,
    head: Option<String>,
) -> Result<Option<Restored>, SnapshotError> {
    let told = |undo: SnapshotId, changes: &[Change]| Restored {
        undo: undo.to_string(),
        changed: changes.len() as u64,
        files: changes.iter().take(NAMED).map(|change| change.path.to_string_lossy().into_owned()).collect(),
        head,
    };
    if !report.changes.is_empty() {
        return Ok(Some(told(report.before, &report.changes)));
    }
    let last = vault.last_restore()?.filter(|last| last.target == report.target && last.paths.is_empty());
    let Some(last) = last else { return Ok(None) };
    let changes = vault.diff(last.before, last.target)?;
    Ok((!changes.is_empty()).then(|| told(last.before, &changes)))
}

/// Whether the snapshot is not there any more, so that nothing can be put back, now or later.
fn is_gone(error: &EngineError) -> bool {
    matches!(error, EngineError::NoSnapshots | EngineError::Snapshot(SnapshotError::Unknown { .. }))
}
