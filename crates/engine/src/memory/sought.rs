//! Whether a word stands anywhere in the tree: not everything that a task names is a symbol of the code graph.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ignore::WalkBuilder;

/// A tree with more than this is not read through.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 128 << 20;
const LARGEST: u64 = 1 << 20;

/// Those of the words that stand in no file. Where the tree is too large to tell, none: nobody is asked by a guess.
pub(super) fn nowhere(root: &Path, words: BTreeSet<String>) -> BTreeSet<String> {
    let mut left = words;
    let (mut files, mut bytes) = (0, 0);
    for entry in WalkBuilder::new(root).hidden(false).require_git(false).build().flatten() {
        if left.is_empty() {
            break;
        }
        let Ok(metadata) = entry.metadata() else { continue };
        if !metadata.is_file() || metadata.len() > LARGEST || is_of_git(entry.path()) {
            continue;
        }
        (files, bytes) = (files + 1, bytes + metadata.len());
        if files > MOST_FILES || bytes > MOST_BYTES {
            return BTreeSet::new();
        }
        let Ok(content) = fs::read(entry.path()) else { continue };
        left.retain(|word| !holds(&content, word.as_bytes()));
    }
    left
}

fn is_of_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}

fn holds(content: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else { return true };
    let mut rest = content;
    while let Some(at) = rest.iter().position(|byte| byte == first) {
        rest = &rest[at..];
        if rest.starts_with(word) {
            return true;
        }
        rest = &rest[1..];
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::nowhere;

    #[test]
    fn a_word_in_any_file_that_git_does_not_ignore_is_known() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("docs")).unwrap();
        fs::write(dir.path().join("docs/states.md"), "open, in_progress, done").unwrap();
        fs::write(dir.path().join(".gitignore"), "built\n").unwrap();
        fs::write(dir.path().join("built"), "frobnicate").unwrap();
        let words = ["in_progress", "frobnicate"].map(str::to_owned);
        let left = nowhere(dir.path(), BTreeSet::from(words));
        assert_eq!(left, BTreeSet::from(["frobnicate".to_owned()]));
    }
}
