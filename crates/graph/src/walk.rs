//! The files of a tree that could hold code: what git ignores and what is hidden are left out, links are not followed.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::mpsc;

use ignore::{WalkBuilder, WalkState};

use crate::error::GraphError;
use crate::language::{Guess, Language};

/// What tells that a file is the same without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// In nanoseconds since 1970.
    pub(crate) modified: i64,
    pub(crate) changed: i64,
    pub(crate) inode: u64,
}

impl Stamp {
    fn of(metadata: &std::fs::Metadata) -> Stamp {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Stamp {
            size: metadata.len(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }
}

/// All that could hold code, sorted by path.
pub(crate) fn walk(
    root: &Path,
    excludes: Option<&Path>,
    threads: usize,
) -> Result<Vec<(String, Stamp)>, GraphError> {
    let mut builder = WalkBuilder::new(root);
    // A person's own excludes file is handed in: nothing is read from the environment here.
    builder.git_global(false).require_git(false).follow_links(false).threads(threads);
    // Rules above the tree count only within the repository that it is a part of.
    let is_repository = |dir: &Path| dir.join(".git").exists();
    builder.parents(!is_repository(root) && root.ancestors().skip(1).any(is_repository));
    if let Some(file) = excludes {
        // A line that is no pattern excludes nothing, as in git.
        let _unread = builder.add_ignore(file);
    }
    let (found, entries) = mpsc::channel();
    builder.build_parallel().run(|| {
        let found = found.clone();
        Box::new(move |entry| {
            // What cannot be looked at now is not part of the tree now.
            if let Some(entry) = entry.ok().and_then(|entry| look(root, &entry)) {
                let _nobody_left = found.send(entry);
            }
            WalkState::Continue
        })
    });
    drop(found);
    let mut files: Vec<(String, Stamp)> = entries.into_iter().collect();
    files.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    if files.is_empty() {
        // A root that is not there is told apart from one without code.
        std::fs::read_dir(root)
            .map_err(|error| GraphError::Walk { path: root.to_owned(), why: error.to_string() })?;
    }
    Ok(files)
}

fn look(root: &Path, entry: &ignore::DirEntry) -> Option<(String, Stamp)> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let path = entry.path().strip_prefix(root).ok()?.to_str()?;
    if Language::of_path(path) == Guess::None {
        return None;
    }
    Some((path.to_owned(), Stamp::of(&entry.metadata().ok()?)))
}
