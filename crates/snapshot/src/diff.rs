//! What became of a tree between two snapshots. Directories that are the same are not looked into.

use std::path::PathBuf;

use crate::beneath::os;
use crate::digest::{Digest, SnapshotId, TreeHash};
use crate::error::SnapshotError;
use crate::manifest::{self, Entry, Kind};
use crate::pack::Reader;
use crate::vault::{Access, Vault};

/// What a path was, or is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub kind: Kind,
    /// The low twelve bits.
    pub mode: u16,
    /// Of a file's content or a link's target.
    pub digest: Digest,
    pub size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    Added,
    Removed,
    /// Other content; the mode may have changed as well.
    Modified,
    /// The mode alone.
    Mode,
    /// A file became a directory, or the like.
    Type,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// From the root of the tree.
    pub path: PathBuf,
    pub kind: ChangeKind,
    pub before: Option<State>,
    pub after: Option<State>,
}

impl Change {
    fn new(path: &[u8], before: Option<&Entry>, after: Option<&Entry>) -> Option<Change> {
        let state = |entry: &Entry| State {
            kind: entry.kind,
            mode: entry.mode,
            digest: if entry.kind == Kind::Directory { Digest::NONE } else { entry.digest },
            size: entry.size,
        };
        let (before, after) = (before.map(state), after.map(state));
        let kind = match (before, after) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            (Some(before), Some(after)) if before.kind != after.kind => ChangeKind::Type,
            (Some(before), Some(after)) if before.digest != after.digest => ChangeKind::Modified,
            (Some(before), Some(after)) if before.mode != after.mode => ChangeKind::Mode,
            (Some(_), Some(_)) => return None,
        };
        Some(Change { path: PathBuf::from(os(path)), kind, before, after })
    }
}

impl Vault {
    /// What changed from one snapshot to another, sorted by path; a directory comes before what is in it.
    pub fn diff(&self, from: SnapshotId, to: SnapshotId) -> Result<Vec<Change>, SnapshotError> {
        let _lock = self.lock(Access::Shared)?;
        let mut reader = self.reader()?;
        let before = self.record(from, &mut reader)?.tree;
        let after = self.record(to, &mut reader)?.tree;
        self.changes(before, after, &mut reader)
    }

    pub(crate) fn changes(
        &self,
        before: TreeHash,
        after: TreeHash,
        reader: &mut Reader<'_>,
    ) -> Result<Vec<Change>, SnapshotError> {
        let mut changes = Vec::new();
        let mut left = vec![(Vec::new(), Some(before.0), Some(after.0))];
        while let Some((directory, before, after)) = left.pop() {
            if before == after {
                continue;
            }
            let before = self.manifest(before, reader)?;
            let after = self.manifest(after, reader)?;
            for (before, after) in side_by_side(&before, &after) {
                let name = &before.or(after).expect("one of two has the name").name;
                let path =
                    if directory.is_empty() { name.to_vec() } else { [&directory[..], name].join(&b'/') };
                changes.extend(Change::new(&path, before, after));
                let below = |entry: Option<&Entry>| {
                    entry.filter(|entry| entry.kind == Kind::Directory).map(|entry| entry.digest)
                };
                left.push((path, below(before), below(after)));
            }
        }
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(changes)
    }

    pub(crate) fn manifest(
        &self,
        digest: Option<Digest>,
        reader: &mut Reader<'_>,
    ) -> Result<Vec<Entry>, SnapshotError> {
        let Some(digest) = digest else { return Ok(Vec::new()) };
        let text = reader.read(digest)?;
        manifest::parse(&text).ok_or_else(|| self.damaged(format!("{digest} is no directory")))
    }
}

/// The entries of two directories by name.
fn side_by_side<'e>(before: &'e [Entry], after: &'e [Entry]) -> Vec<(Option<&'e Entry>, Option<&'e Entry>)> {
    let (mut before, mut after) = (before.iter().peekable(), after.iter().peekable());
    let mut pairs = Vec::new();
    loop {
        let pair = match (before.peek(), after.peek()) {
            (None, None) => return pairs,
            (Some(one), Some(other)) if one.name == other.name => (before.next(), after.next()),
            (Some(one), Some(other)) if one.name < other.name => (before.next(), None),
            (Some(_), None) => (before.next(), None),
            (_, Some(_)) => (None, after.next()),
        };
        pairs.push(pair);
    }
}
