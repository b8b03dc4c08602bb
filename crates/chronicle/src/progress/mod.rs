//! `.ralph/progress.md`: what was done, and what everybody who works on the code should know. People and agents edit this
//! file: whatever in it ralph did not write itself is kept, byte for byte.

mod entry;
mod fold;
mod layout;
mod patterns;

use std::path::Path;

pub use patterns::{PATTERN, stated};

use crate::PROGRESS;
use crate::beneath::{Missing, Spot};
use crate::error::ChronicleError;
use crate::iteration::Iteration;
use crate::text::cut;
use layout::Layout;

/// The largest file that is read.
const MOST: u64 = 16 << 20;

/// How much of the patterns goes into a brief, in characters; the file keeps them all.
const PATTERNS_IN_BRIEF: usize = 24_000;

/// How many bytes of entries stay as they were written; the newest five do in any case.
const WHOLE_BYTES: usize = 24 * 1024;

const BEGINNING: &str = "\
# Progress

ralph adds an entry for every iteration, and in time folds it into a line. Everything else here is yours: it is kept as
it is.

## Codebase patterns

<!-- What everybody who works on this code should know, one line each. It is in the brief of every iteration. -->

## Iterations
";

/// The file as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    text: String,
}

/// What became of an entry and of the patterns that came with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Patterns that were not known.
    pub added: Vec<String>,
    /// Patterns that were left out because the section is full; a person should look through it.
    pub left_out: usize,
}

impl Progress {
    pub(crate) fn read(root: &Path) -> Result<Progress, ChronicleError> {
        let Some(spot) = Spot::find(root, Path::new(PROGRESS), Missing::Leave)? else {
            return Ok(Progress::default());
        };
        let text = spot.read(MOST)?.map(|bytes| text_of(&bytes, &spot.path)).transpose()?;
        Ok(Progress { text: text.unwrap_or_default() })
    }

    /// The section of that name, for the brief.
    pub fn patterns(&self) -> String {
        let all = patterns::text(&self.text);
        if all.chars().count() <= PATTERNS_IN_BRIEF {
            return all;
        }
        let kept = cut(&all, PATTERNS_IN_BRIEF);
        let whole_lines = kept.rfind('\n').map_or(kept.as_str(), |end| &kept[..end]);
        format!("{whole_lines}\n(there are more in {PROGRESS})")
    }

    /// The newest entries, the oldest of them first, in at most that many characters. One that does not fit is given
    /// in short.
    pub fn recent(&self, count: usize, most: usize) -> String {
        let layout = Layout::of(&self.text);
        let mut told: Vec<String> = Vec::new();
        let mut left = most;
        for entry in layout.entries.iter().rev().take(count) {
            let whole = unmarked(entry.body(&self.text));
            let short = fold::in_short(&whole);
            let fits = |text: &&String| text.chars().count() + 2 <= left;
            let Some(text) = [&whole, &short].into_iter().find(fits).cloned() else {
                if told.is_empty() {
                    told.push(cut(&short, most));
                }
                break;
            };
            left -= text.chars().count() + 2;
            told.push(text);
        }
        told.reverse();
        told.join("\n\n")
    }

    /// Adds an entry and patterns, and folds what is old. The entry that an iteration had before a crash is replaced,
    /// unless somebody edited it.
    pub(crate) fn record(
        root: &Path,
        iteration: &Iteration,
        patterns: &[String],
    ) -> Result<Recorded, ChronicleError> {
        let Some(spot) = Spot::find(root, Path::new(PROGRESS), Missing::Make)? else {
            return Err(ChronicleError::LeadsOut { path: root.join(PROGRESS) });
        };
        let recorded = std::cell::Cell::default();
        spot.edit(MOST, |before| {
            let before = text_of(before.unwrap_or_default(), &spot.path)?;
            let (after, added) = recorded_in(&before, iteration, patterns, WHOLE_BYTES);
            recorded.set(added);
            Ok(Some(after.into_bytes()))
        })?;
        Ok(recorded.take())
    }
}

/// The text with an entry and patterns added, and with so many bytes of entries that are not folded.
fn recorded_in(before: &str, iteration: &Iteration, patterns: &[String], whole: usize) -> (String, Recorded) {
    let is_empty = before.trim_start_matches('\u{feff}').trim().is_empty();
    let text = if is_empty { BEGINNING } else { before };
    let (text, recorded) = patterns::with(text, patterns);
    let text = fold::without(&text, &iteration.run, iteration.number);
    let text = layout::with_entry(&text, &entry::text(iteration));
    (fold::folded(&text, whole), recorded)
}

/// An entry that was edited has a mark that no longer says anything.
fn unmarked(entry: &str) -> String {
    let lines = entry.trim().lines().map(str::trim_end).filter(|line| !entry::is_mark(line));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn text_of(bytes: &[u8], path: &Path) -> Result<String, ChronicleError> {
    let text = std::str::from_utf8(bytes);
    let text =
        text.map_err(|error| ChronicleError::NotText { path: path.to_owned(), at: error.valid_up_to() })?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests;
