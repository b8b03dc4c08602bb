//! A difference for people: unified text, binary files named as such, and an end to it.

use std::fmt::Write;
use std::time::Duration;

use similar::TextDiff;

use crate::beneath::os;
use crate::diff::{Change, ChangeKind, State};
use crate::digest::SnapshotId;
use crate::error::SnapshotError;
use crate::manifest::Kind;
use crate::pack::Reader;
use crate::vault::{Access, Vault};

/// How much of a difference is shown.
#[derive(Debug, Clone, Copy)]
pub struct TextLimits {
    /// A larger file is only named.
    pub file: u64,
    /// What comes after this many bytes is only counted.
    pub total: usize,
    /// How long to look for the shortest difference of one file.
    pub patience: Duration,
}

impl Default for TextLimits {
    fn default() -> TextLimits {
        TextLimits { file: 1 << 20, total: 1 << 20, patience: Duration::from_millis(500) }
    }
}

impl Vault {
    /// What changed from one snapshot to another, to be read.
    pub fn text_diff(
        &self,
        from: SnapshotId,
        to: SnapshotId,
        limits: &TextLimits,
    ) -> Result<String, SnapshotError> {
        self.text_of(&self.diff(from, to)?, limits)
    }

    /// Some changes between two snapshots, to be read.
    pub fn text_of(&self, changes: &[Change], limits: &TextLimits) -> Result<String, SnapshotError> {
        let _lock = self.lock(Access::Shared)?;
        let mut reader = self.reader()?;
        let mut text = String::new();
        for (at, change) in changes.iter().enumerate() {
            if text.len() >= limits.total {
                let _ = writeln!(text, "and {} more", changes.len() - at);
                break;
            }
            describe(change, &mut reader, limits, &mut text)?;
        }
        Ok(text)
    }
}

fn describe(
    change: &Change,
    reader: &mut Reader<'_>,
    limits: &TextLimits,
    text: &mut String,
) -> Result<(), SnapshotError> {
    let path = shown(super::restore::raw(&change.path));
    let what = |state: State| match state.kind {
        Kind::File => "file",
        Kind::Link => "link",
        Kind::Directory => "directory",
        Kind::Pipe => "pipe",
    };
    let _ = match (change.kind, change.before, change.after) {
        (ChangeKind::Added, _, Some(after)) => {
            writeln!(text, "added {} {path} ({:04o})", what(after), after.mode)
        }
        (ChangeKind::Removed, Some(before), _) => writeln!(text, "removed {} {path}", what(before)),
        (ChangeKind::Type, Some(before), Some(after)) => {
            writeln!(text, "{path}: {} became {}", what(before), what(after))
        }
        (_, Some(before), Some(after)) if before.mode != after.mode => {
            writeln!(text, "changed {} {path} ({:04o} to {:04o})", what(after), before.mode, after.mode)
        }
        (_, _, Some(after)) => writeln!(text, "changed {} {path}", what(after)),
        _ => Ok(()),
    };
    if change.kind == ChangeKind::Mode {
        return Ok(());
    }
    let has_content =
        |state: Option<State>| state.filter(|state| matches!(state.kind, Kind::File | Kind::Link));
    let (before, after) = (has_content(change.before), has_content(change.after));
    if before.is_none() && after.is_none() {
        return Ok(());
    }
    let largest = before.map_or(0, |state| state.size).max(after.map_or(0, |state| state.size));
    if largest > limits.file {
        let _ = writeln!(text, "  too large to show ({largest} bytes)");
        return Ok(());
    }
    let mut content = |state: Option<State>| state.map_or(Ok(Vec::new()), |state| reader.read(state.digest));
    let (before, after) = (content(before)?, content(after)?);
    if is_binary(&before) || is_binary(&after) {
        let _ = writeln!(text, "  binary ({} to {} bytes)", before.len(), after.len());
        return Ok(());
    }
    unified(&before, &after, limits, text);
    Ok(())
}

fn unified(before: &[u8], after: &[u8], limits: &TextLimits, text: &mut String) {
    let diff = TextDiff::configure().timeout(limits.patience).diff_lines(before, after);
    let hunks = diff.unified_diff().context_radius(3).to_string();
    let room = limits.total.saturating_sub(text.len());
    match hunks.char_indices().map(|(at, _)| at).find(|at| *at >= room) {
        Some(end) => {
            text.push_str(&hunks[..end]);
            let _ = writeln!(text, "\n  cut: {} bytes are not shown", hunks.len() - end);
        }
        None => text.push_str(&hunks),
    }
}

/// As git sees it: a zero byte near the beginning.
fn is_binary(content: &[u8]) -> bool {
    content.iter().take(8000).any(|byte| *byte == 0)
}

/// A name on one line, whatever is in it.
fn shown(path: &[u8]) -> String {
    let text = os(path).to_string_lossy();
    if text.chars().any(char::is_control) { format!("{text:?}") } else { text.into_owned() }
}
