//! A difference for people: unified text, binary files named as such, and an end to it.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

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

/// What there is to read of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Of a directory, a pipe or a mode alone there is nothing to read.
    Nothing,
    Text {
        /// In unified form, without a header.
        hunks: String,
        added: u64,
        removed: u64,
    },
    /// Not text; the sizes before and after.
    Binary {
        before: u64,
        after: u64,
    },
    TooLarge {
        bytes: u64,
    },
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
            let body = body(change, &mut reader, limits)?;
            describe(change, &body, limits, &mut text);
        }
        Ok(text)
    }

    /// Hands on one change after the other with what there is to read of it; only those that are wanted are read.
    pub fn compare(
        &self,
        (from, to): (SnapshotId, SnapshotId),
        limits: &TextLimits,
        wanted: impl Fn(&Path) -> bool,
        mut each: impl FnMut(Change, Body),
    ) -> Result<(), SnapshotError> {
        let changes = self.diff(from, to)?;
        let _lock = self.lock(Access::Shared)?;
        let mut reader = self.reader()?;
        for change in changes.into_iter().filter(|change| wanted(&change.path)) {
            let body = body(&change, &mut reader, limits)?;
            each(change, body);
        }
        Ok(())
    }
}

fn body(change: &Change, reader: &mut Reader<'_>, limits: &TextLimits) -> Result<Body, SnapshotError> {
    let has_content =
        |state: Option<State>| state.filter(|state| matches!(state.kind, Kind::File | Kind::Link));
    let (before, after) = (has_content(change.before), has_content(change.after));
    if change.kind == ChangeKind::Mode || before.is_none() && after.is_none() {
        return Ok(Body::Nothing);
    }
    let largest = before.map_or(0, |state| state.size).max(after.map_or(0, |state| state.size));
    if largest > limits.file {
        return Ok(Body::TooLarge { bytes: largest });
    }
    let mut content = |state: Option<State>| state.map_or(Ok(Vec::new()), |state| reader.read(state.digest));
    let (before, after) = (content(before)?, content(after)?);
    if is_binary(&before) || is_binary(&after) {
        return Ok(Body::Binary { before: before.len() as u64, after: after.len() as u64 });
    }
    Ok(unified(&before, &after, limits))
}

fn describe(change: &Change, body: &Body, limits: &TextLimits, text: &mut String) {
    let path = shown(super::restore::raw(&change.path));
    let what = |state: State| state.kind.name();
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
    let _ = match body {
        Body::Nothing => Ok(()),
        Body::TooLarge { bytes } => writeln!(text, "  too large to show ({bytes} bytes)"),
        Body::Binary { before, after } => writeln!(text, "  binary ({before} to {after} bytes)"),
        Body::Text { hunks, .. } => {
            push_cut(hunks, limits, text);
            Ok(())
        }
    };
}

fn unified(before: &[u8], after: &[u8], limits: &TextLimits) -> Body {
    let diff = TextDiff::configure().timeout(limits.patience).diff_lines(before, after);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count() as u64;
    let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
    Body::Text { hunks: diff.unified_diff().context_radius(3).to_string(), added, removed }
}

fn push_cut(hunks: &str, limits: &TextLimits, text: &mut String) {
    let room = limits.total.saturating_sub(text.len());
    match hunks.char_indices().map(|(at, _)| at).find(|at| *at >= room) {
        Some(end) => {
            text.push_str(&hunks[..end]);
            let _ = writeln!(text, "\n  cut: {} bytes are not shown", hunks.len() - end);
        }
        None => text.push_str(hunks),
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
