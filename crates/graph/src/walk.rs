//! The files of a tree that could hold code: what git ignores and what is hidden are left out, links are not followed.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, mpsc};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::build::Options;
use crate::error::GraphError;
use crate::language::{Guess, Language};
use crate::watch::Changes;

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

/// Called with every directory, by its path below the root, before it is listed.
pub(crate) type Enter = Arc<dyn Fn(&str) + Send + Sync>;

/// What is walked.
pub(crate) struct Walk<'a> {
    pub(crate) root: &'a Path,
    pub(crate) options: &'a Options,
    /// Only these; everything if nothing is said.
    pub(crate) part: Option<Arc<Changes>>,
    pub(crate) enter: Option<Enter>,
}

impl<'a> Walk<'a> {
    pub(crate) fn whole(root: &'a Path, options: &'a Options) -> Walk<'a> {
        Walk { root, options, part: None, enter: None }
    }

    /// All that is walked by the same rules, whatever part of it is asked for.
    fn builder(&self) -> WalkBuilder {
        let mut builder = WalkBuilder::new(self.root);
        // A person's own excludes file is handed in: nothing is read from the environment here.
        builder.git_global(false).require_git(false).follow_links(false);
        builder.threads(if self.part.is_some() { 1 } else { self.options.threads() });
        // Rules above the tree count only within the repository that it is a part of.
        let is_repository = |dir: &Path| dir.join(".git").exists();
        builder.parents(!is_repository(self.root) && self.root.ancestors().skip(1).any(is_repository));
        if let Some(file) = &self.options.excludes_file {
            // A line that is no pattern excludes nothing, as in git.
            let _unread = builder.add_ignore(file);
        }
        if self.part.is_some() || self.enter.is_some() {
            let (root, part, enter) = (self.root.to_owned(), self.part.clone(), self.enter.clone());
            builder.filter_entry(move |entry| is_wanted(&root, part.as_deref(), enter.as_ref(), entry));
        }
        builder
    }
}

/// Whether something that no rule leaves out is part of what is asked for. A directory is entered next.
fn is_wanted(root: &Path, part: Option<&Changes>, enter: Option<&Enter>, entry: &DirEntry) -> bool {
    // Of what has no name in UTF-8 nothing is ever looked at.
    let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str) else { return false };
    let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
    let is_wanted = part.is_none_or(|part| if is_dir { part.lead_into(path) } else { part.hold(path) });
    if is_wanted
        && is_dir
        && let Some(enter) = enter
    {
        enter(path);
    }
    is_wanted
}

/// What a walk has found, each sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<(String, Stamp)>,
    /// Files whose paths are no UTF-8, with signs in place of what is none. Where only a part is walked or directories
    /// are entered one by one, they are not looked for.
    pub(crate) nameless: Vec<String>,
}

/// All that could hold code.
pub(crate) fn walk(what: &Walk<'_>) -> Result<Found, GraphError> {
    let root = what.root;
    if let Some(enter) = &what.enter {
        enter("");
    }
    let (found, entries) = mpsc::channel();
    what.builder().build_parallel().run(|| {
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
    let mut all = Found::default();
    for entry in entries {
        match entry {
            Entry::Named(path, stamp) => all.files.push((path, stamp)),
            Entry::Nameless(path) => all.nameless.push(path),
        }
    }
    all.files.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    all.nameless.sort_unstable();
    if all.files.is_empty() {
        // A root that is not there is told apart from one without code.
        std::fs::read_dir(root)
            .map_err(|error| GraphError::Walk { path: root.to_owned(), why: error.to_string() })?;
    }
    Ok(all)
}

enum Entry {
    Named(String, Stamp),
    Nameless(String),
}

fn look(root: &Path, entry: &DirEntry) -> Option<Entry> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let path = entry.path().strip_prefix(root).ok()?;
    let shown = path.to_string_lossy();
    if Language::of_path(&shown) == Guess::None {
        return None;
    }
    if path.to_str().is_none() {
        return Some(Entry::Nameless(shown.into_owned()));
    }
    Some(Entry::Named(shown.into_owned(), Stamp::of(&entry.metadata().ok()?)))
}
