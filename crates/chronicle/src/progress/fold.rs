//! Old entries become a line each. Only what is exactly as ralph wrote it is ever taken out of the file.

use ralph_core::id::RunId;

use super::entry;
use super::layout::{Layout, as_in};

/// How many entries stay whole in any case.
const WHOLE: usize = 5;

/// The text with all but the newest entries in short.
pub(super) fn folded(text: &str, whole: usize) -> String {
    let mut edits = Vec::new();
    let (mut count, mut bytes) = (0, 0);
    for entry in Layout::of(text).entries.iter().rev().filter(|entry| entry.intact.is_some()) {
        count += 1;
        bytes += entry.range.len();
        if count > WHOLE && bytes > whole {
            let line = in_short(entry.body(text)) + "\n";
            edits.push((entry.block(text), as_in(text, &line)));
        }
    }
    edits.reverse();
    edited(text, edits)
}

/// The text without the entry of an iteration, unless it was edited.
pub(super) fn without(text: &str, run: &RunId, iteration: u32) -> String {
    let entries = Layout::of(text).entries;
    let same = entries
        .iter()
        .filter(|entry| entry.intact.is_some() && entry.run == *run && entry.iteration == iteration);
    edited(text, same.map(|entry| (entry.block(text), String::new())).collect())
}

/// One line of an entry: `- Iteration 3 of 0abcdefghjkm: T-7 Add login: complete (2026-11-16, 4m 12s)`.
pub(super) fn in_short(entry: &str) -> String {
    let heading = entry.lines().next().unwrap_or_default().trim_end().trim_start_matches(['#', ' ']);
    let after = |name: &str| entry.lines().find_map(|line| line.trim_end().strip_prefix(name));
    let outcome = after(entry::OUTCOME).map(|line| line.split(':').next().unwrap_or(line));
    let when = after(entry::WHEN).map(|line| {
        let mut parts = line.split(", ");
        let day = parts.next().and_then(|at| at.split('T').next()).unwrap_or_default();
        parts.next().map_or(day.to_owned(), |took| format!("{day}, {took}"))
    });
    let outcome = outcome.map_or(String::new(), |outcome| format!(": {outcome}"));
    let when = when.map_or(String::new(), |when| format!(" ({when})"));
    format!("- {heading}{outcome}{when}")
}

/// Ranges are in order and do not overlap.
fn edited(text: &str, edits: Vec<(std::ops::Range<usize>, String)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, new) in edits {
        out.push_str(&text[done..range.start]);
        out.push_str(&new);
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}
