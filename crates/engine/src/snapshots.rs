//! The tree as it was: kept before every attempt and after it, and compared.

use std::sync::Arc;

use ralph_core::event::{Event, Occasion};
use ralph_core::progress::{PIECES, Sketch};
use ralph_snapshot::{Snapshot, SnapshotId, TextLimits, Uncovered, Vault};
use ralph_store::Store;

use crate::drive::Drive;
use crate::error::EngineError;
use crate::verify::head;

/// How many changed files a sketch names, and an event of those that were not kept.
pub(crate) const NAMED: usize = 20;

impl<S: Store + 'static> Drive<S> {
    /// Keeps the tree as it is now, with the next commit saying so. Nothing where there is no vault.
    pub(crate) async fn keep(
        &mut self,
        (iteration, attempt): (u32, u32),
        occasion: Occasion,
    ) -> Result<Option<Snapshot>, EngineError> {
        let Some(vault) = self.parts.vault.clone() else { return Ok(None) };
        let snapshot = self.aside(vault, Vault::take).await?;
        let id = snapshot.id.to_string();
        let uncovered = snapshot.uncovered.len() as u64;
        let left_out = self.left_out(&snapshot.uncovered);
        let head = head(&self.parts.place.root);
        let at = self.now().at;
        if self.run.origin.is_none() && uncovered > 0 {
            self.run.note(at, Event::Notice { text: not_covered(&left_out, uncovered) });
        }
        self.run.kept(&id, head.as_deref(), occasion);
        let taken = Event::SnapshotTaken {
            iteration,
            attempt,
            occasion,
            snapshot: id,
            uncovered,
            left_out,
            stored: snapshot.stored,
            head,
        };
        self.run.note(at, taken);
        Ok(Some(snapshot))
    }

    /// What could not be kept and why, in words.
    fn left_out(&self, uncovered: &[Uncovered]) -> Vec<String> {
        let words = |one: &Uncovered| format!("{}: {}", one.path.display(), one.reason);
        let told = uncovered.iter().take(NAMED).map(words);
        told.map(|text| self.parts.redactor.text(&text).into_owned()).collect()
    }

    /// The tree that the attempt began with, unless it is still the same.
    fn changed_from(&self, to: SnapshotId) -> Option<(Arc<Vault>, SnapshotId)> {
        let from = self.run.begun_from.as_deref()?.parse::<SnapshotId>().ok()?;
        let vault = self.parts.vault.clone()?;
        (from != to).then_some((vault, from))
    }

    /// Says which files the attempt has changed, where there are any.
    pub(crate) async fn tell_changed(
        &mut self,
        (iteration, attempt): (u32, u32),
        to: SnapshotId,
    ) -> Result<(), EngineError> {
        let Some((vault, from)) = self.changed_from(to) else { return Ok(()) };
        let changes = self.aside(vault, move |vault| vault.diff(from, to)).await?;
        let words = |path: &std::path::Path| self.parts.redactor.text(&path.to_string_lossy()).into_owned();
        let files = changes.iter().take(NAMED).map(|change| words(&change.path)).collect();
        let changed = changes.len() as u64;
        if changed > 0 {
            self.run.note(self.now().at, Event::FilesChanged { iteration, attempt, changed, files });
        }
        Ok(())
    }

    /// What changed since the attempt began.
    pub(crate) async fn sketch(&self, to: SnapshotId) -> Result<Sketch, EngineError> {
        let Some((vault, from)) = self.changed_from(to) else { return Ok(Sketch::default()) };
        self.aside(vault, move |vault| {
            let changes = vault.diff(from, to)?;
            let text = vault.text_diff(from, to, &TextLimits::default())?;
            let names = changes.iter().map(|change| change.path.to_string_lossy().into_owned());
            Ok(sketch_of(&text, names.take(NAMED).collect()))
        })
        .await
    }
}

/// What no rollback brings back, told before anything is done.
fn not_covered(named: &[String], all: u64) -> String {
    let more = all - named.len() as u64;
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("no snapshot holds these, and no rollback brings them back: {}{more}", named.join("; "))
}

fn sketch_of(text: &str, files: Vec<String>) -> Sketch {
    let mut pieces: Vec<u64> = ralph_checks::diff::fingerprint_unified(text).iter().take(PIECES).collect();
    if pieces.is_empty() {
        // A change that no text shows: of a mode, a name, a binary file.
        pieces.push(u64::from_le_bytes(
            blake3::hash(text.as_bytes()).as_bytes()[..8].try_into().expect("eight bytes"),
        ));
    }
    Sketch { pieces, files }
}
