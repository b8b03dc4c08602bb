//! The unified format, and what it says of each file.

use std::collections::HashMap;

use super::tokens::Tokens;
use super::{LONGEST, hash};
use crate::text::cut;

/// What happened to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change<'a> {
    pub file: &'a str,
    pub removed: Vec<&'a str>,
    pub added: Vec<&'a str>,
}

impl<'a> Change<'a> {
    /// From a whole file before and after: lines that both have, as often as both have them, are no change.
    pub fn between(file: &'a str, before: &'a str, after: &'a str) -> Change<'a> {
        Change {
            file,
            removed: cut(before, LONGEST).lines().collect(),
            added: cut(after, LONGEST).lines().collect(),
        }
    }

    /// Without lines that are both removed and added: those moved, or only their blanks and comments changed.
    pub(super) fn without_moved(&self) -> (Vec<&'a str>, Vec<&'a str>) {
        let (removed, added) = (keyed(&self.removed), keyed(&self.added));
        let mut left: HashMap<u64, usize> = HashMap::new();
        removed.iter().for_each(|(key, _)| *left.entry(*key).or_default() += 1);
        let mut moved: HashMap<u64, usize> = HashMap::new();
        let added = added.into_iter().filter(|(key, _)| {
            let is_moved = take(&mut left, *key);
            if is_moved {
                *moved.entry(*key).or_default() += 1;
            }
            !is_moved
        });
        let added: Vec<&str> = added.map(|(_, line)| line).collect();
        let removed = removed.into_iter().filter(|(key, _)| !take(&mut moved, *key));
        (removed.map(|(_, line)| line).collect(), added)
    }
}

/// Each line that says anything, with what it says.
fn keyed<'a>(lines: &[&'a str]) -> Vec<(u64, &'a str)> {
    let mut tokens = Tokens::default();
    let mut keyed = Vec::new();
    for line in lines {
        let mut key = None;
        tokens.line(line, |token| key = Some(hash(&[&key.unwrap_or(0_u64).to_le_bytes(), token.as_bytes()])));
        keyed.extend(key.map(|key| (key, *line)));
    }
    keyed
}

fn take(left: &mut HashMap<u64, usize>, key: u64) -> bool {
    match left.get_mut(&key) {
        Some(number) if *number > 0 => {
            *number -= 1;
            true
        }
        _ => false,
    }
}

/// What each file's hunks remove and add; a file that is only renamed, or is no text, gives its header lines.
pub(super) fn changes(diff: &str) -> Vec<Change<'_>> {
    let mut changes: Vec<Change<'_>> = Vec::new();
    // How many lines the hunk still has on either side.
    let (mut old, mut new) = (0_usize, 0_usize);
    for line in diff.lines() {
        if old > 0 || new > 0 {
            let Some(change) = changes.last_mut() else { continue };
            match line.as_bytes().first() {
                Some(b'-') => {
                    old = old.saturating_sub(1);
                    change.removed.push(&line[1..]);
                }
                Some(b'+') => {
                    new = new.saturating_sub(1);
                    change.added.push(&line[1..]);
                }
                Some(b'\\') => {}
                _ => {
                    old = old.saturating_sub(1);
                    new = new.saturating_sub(1);
                }
            }
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            let file = names.rsplit_once(" b/").map_or(names, |(_, file)| file);
            changes.push(Change { file, ..Change::default() });
        } else if let Some(name) = line.strip_prefix("+++ ") {
            named(&mut changes, name);
        } else if let Some(name) = line.strip_prefix("--- ") {
            // Without git's header, this line begins a file.
            if changes.last().is_none_or(|change| !change.removed.is_empty() || !change.added.is_empty()) {
                changes.push(Change { file: plain(name), ..Change::default() });
            }
        } else if let Some(sizes) = hunk(line) {
            (old, new) = sizes;
        } else if let Some(change) = changes.last_mut().filter(|_| is_change(line)) {
            change.added.push(line);
        }
    }
    changes
}

/// The new name counts, unless the file is gone.
fn named<'a>(changes: &mut [Change<'a>], name: &'a str) {
    if let Some(change) = changes.last_mut().filter(|_| plain(name) != "/dev/null") {
        change.file = plain(name);
    }
}

fn plain(name: &str) -> &str {
    let name = name.split('\t').next().unwrap_or(name).trim();
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

/// `@@ -1,3 +1,4 @@`.
fn hunk(line: &str) -> Option<(usize, usize)> {
    let rest = line.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let size = |range: &str| range.split_once(',').map_or(Some(1), |(_, size)| size.parse().ok());
    Some((size(old)?, size(new)?))
}

/// Header lines that are a change by themselves.
fn is_change(line: &str) -> bool {
    ["rename from ", "rename to ", "new mode ", "deleted file", "Binary files "]
        .iter()
        .any(|start| line.starts_with(start))
}
