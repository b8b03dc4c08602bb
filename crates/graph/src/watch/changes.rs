//! The places of a tree where something happened.

use std::collections::BTreeSet;

/// More places than these are looked for by walking the whole tree.
const MOST: usize = 4_096;

/// Files, and directories with all that is in them, by their paths below the root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Changes {
    files: BTreeSet<String>,
    trees: BTreeSet<String>,
}

impl Changes {
    pub(super) fn file(&mut self, path: String) {
        self.files.insert(path);
    }

    pub(super) fn tree(&mut self, path: String) {
        self.trees.insert(path);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.trees.is_empty()
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.files.len() + self.trees.len() > MOST
    }

    /// Whether something can have happened to a file.
    pub(crate) fn hold(&self, path: &str) -> bool {
        self.files.contains(path) || self.hold_tree(path)
    }

    /// Whether something can have happened to all that is in a directory.
    pub(super) fn hold_tree(&self, path: &str) -> bool {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above.chain([path]).any(|folder| self.trees.contains(folder))
    }

    /// Whether something can have happened in a directory.
    pub(crate) fn lead_into(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        let has = |places: &BTreeSet<String>| {
            places.range(inside.clone()..).next().is_some_and(|place| place.starts_with(&inside))
        };
        self.hold_tree(folder) || has(&self.files) || has(&self.trees)
    }
}

#[cfg(test)]
mod tests {
    use super::Changes;

    #[test]
    fn a_place_is_reached_through_the_folders_above_it_and_no_others() {
        let mut changes = Changes::default();
        changes.file("a/b/c.rs".to_owned());
        changes.tree("d/e".to_owned());
        assert!(["a", "a/b", "d", "d/e", "d/e/f"].iter().all(|folder| changes.lead_into(folder)));
        assert!(!["a/b/c", "a-", "b", "d/f", "d/e-"].iter().any(|folder| changes.lead_into(folder)));
        assert!(["a/b/c.rs", "d/e", "d/e/f/g.rs"].iter().all(|file| changes.hold(file)));
        assert!(!["a/b/d.rs", "d/x.rs", "d/e.rs", "d/e-/x.rs"].iter().any(|file| changes.hold(file)));
    }
}
