//! What decides which files are left out and stands where no directory is watched: above the tree, in `.git`, and in a
//! person's own file. It is small and read again each time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::outline::Digest;

/// Names in a directory that decide about others.
pub(super) const NAMES: [&str; 4] = [".gitignore", ".ignore", ".git", ".jj"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rules(BTreeMap<PathBuf, Content>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    None,
    Is(Digest),
    /// A directory, or something that cannot be read.
    Other,
}

impl Rules {
    /// For all of a tree but what is in its directories.
    pub(super) fn above(root: &Path, excludes: Option<&Path>) -> Rules {
        let mut rules = Rules::default();
        rules.note(excludes.map(Path::to_owned));
        for above in root.ancestors().skip(1) {
            rules.note(NAMES.map(|name| above.join(name)));
            rules.note(exclude(above));
        }
        rules
    }

    /// Those of a directory in the tree. That it becomes a repository, or is none any more, is seen in the directory.
    pub(super) fn enter(&mut self, folder: &Path) {
        self.note(exclude(folder));
    }

    fn note(&mut self, places: impl IntoIterator<Item = PathBuf>) {
        self.0.extend(places.into_iter().map(|place| {
            let content = content(&place);
            (place, content)
        }));
    }

    /// Whether all of it is as it was.
    pub(super) fn still_hold(&self) -> bool {
        self.0.iter().all(|(place, was)| content(place) == *was)
    }
}

fn content(place: &Path) -> Content {
    match fs::read(place) {
        Ok(text) => Content::Is(Digest::of(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Content::None,
        Err(_) => Content::Other,
    }
}

/// The rules of a repository that are not in its tree.
fn exclude(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let kind = fs::symlink_metadata(&git).ok()?;
    if !kind.is_file() {
        return Some(git.join("info/exclude"));
    }
    // A worktree's `.git` names its own directory, and that one the repository's.
    let text = fs::read_to_string(&git).ok()?;
    let own = folder.join(text.strip_prefix("gitdir:")?.trim());
    let common = fs::read_to_string(own.join("commondir")).ok()?;
    Some(own.join(common.trim()).join("info/exclude"))
}
