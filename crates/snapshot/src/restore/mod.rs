//! A tree is put back as a snapshot has it, touching only what differs. What is there now is kept first, and the
//! intent is noted before the first change, so that a restore that was cut short can be finished.

mod hands;
mod intent;
mod plan;
mod target;

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::beneath::{look, open_to_change};
use crate::cache::Stamp;
use crate::crash::point;
use crate::diff::Change;
use crate::digest::SnapshotId;
use crate::error::{Attempt, SnapshotError};
use crate::exclusions::split;
use crate::take::Wanted;
use crate::union::Union;
use crate::vault::{Access, Vault};
use crate::walk::{Node, Walked};
use hands::Hands;
use intent::Intent;
use plan::Plan;

/// What of a snapshot to put back.
#[derive(Debug, Clone, Default)]
pub struct Restore {
    /// Files and directories from the root of the tree; none means everything.
    pub paths: Vec<PathBuf>,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What a restore did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub target: SnapshotId,
    /// The tree as it was before: restoring this undoes it all.
    pub before: SnapshotId,
    /// The tree as it was found; another than `before` where a restore that was cut short was finished.
    pub found: SnapshotId,
    /// From what was there to what the snapshot has, without what went wrong.
    pub changes: Vec<Change>,
    /// What the snapshot does not have but was not deleted: its own rules ignore it, or ignored files are in it.
    pub kept: Vec<PathBuf>,
    pub problems: Vec<Problem>,
}

/// A path that is not as the snapshot has it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    pub why: String,
}

/// A restore that was begun: not finished, or the last one that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedRestore {
    pub target: SnapshotId,
    pub before: SnapshotId,
    pub paths: Vec<PathBuf>,
}

impl From<Intent> for NotedRestore {
    fn from(intent: Intent) -> NotedRestore {
        let Intent { target, before, paths, .. } = intent;
        NotedRestore { target, before, paths }
    }
}

impl Vault {
    /// Puts the tree, or some paths of it, back as the snapshot has them.
    pub fn restore(&self, target: SnapshotId, restore: &Restore) -> Result<Report, SnapshotError> {
        let _lock = self.lock(Access::Alone)?;
        let interrupted = self.intent()?;
        self.carry_out(target, restore, interrupted.as_ref(), None)
    }

    /// The restore that a crash cut short, if there is one.
    pub fn pending_restore(&self) -> Result<Option<NotedRestore>, SnapshotError> {
        Ok(self.intent()?.map(NotedRestore::from))
    }

    /// The last restore that changed anything: restoring `before` with the same paths undoes it.
    pub fn last_restore(&self) -> Result<Option<NotedRestore>, SnapshotError> {
        Ok(self.finished()?.map(NotedRestore::from))
    }

    /// Finishes it. What undoes it is the snapshot that was taken when it was begun.
    pub fn finish_restore(&self) -> Result<Option<Report>, SnapshotError> {
        let _lock = self.lock(Access::Alone)?;
        let Some(intent) = self.intent()? else { return Ok(None) };
        let restore = Restore { paths: intent.paths.clone(), dry_run: false };
        self.carry_out(intent.target, &restore, Some(&intent), Some(intent.before)).map(Some)
    }

    fn carry_out(
        &self,
        target: SnapshotId,
        restore: &Restore,
        interrupted: Option<&Intent>,
        undo: Option<SnapshotId>,
    ) -> Result<Report, SnapshotError> {
        let record = self.record(target, &mut self.reader()?)?;
        if let Some(intent) = interrupted.filter(|_| !restore.dry_run) {
            self.tighten(intent)?;
        }
        let mark = interrupted.map(Intent::mark);
        // What the snapshot says was not there counts as well: it may have to go.
        let cover = Union::of(self, (record.tree, record.covers), &mut self.reader()?)?;
        let wanted = Wanted { cover: Some(&cover), leftovers: mark.as_deref() };
        let taken = self.take_locked(wanted)?;
        point("snapshot.restore.kept");
        if !restore.dry_run {
            self.clear(&taken.walked.leftovers)?;
        }
        let before = undo.unwrap_or(taken.snapshot.id);
        let mut reader = self.reader()?;
        let changes = self.changes(taken.snapshot.tree_hash(), record.tree, &mut reader)?;
        let plan = Plan::make(self, &record, changes, &restore.paths, &mut reader)?;
        let found = taken.snapshot.id;
        let mut report =
            Report { target, before, found, changes: plan.changes, kept: plan.kept, problems: Vec::new() };
        if restore.dry_run {
            return Ok(report);
        }
        if !report.changes.is_empty() {
            let intent = Intent::new(target, before, restore.paths.clone());
            self.write_durably(intent::NAME, intent.text().as_bytes())?;
            point("snapshot.restore.intended");
            let root = self.open_root()?;
            Hands::new(self, root.as_fd(), reader, &intent, Seen::new(&taken.walked)).perform(&mut report);
            point("snapshot.restore.performed");
            rustix::fs::syncfs(&root).attempt("make durable", &self.root)?;
            point("snapshot.restore.durable");
        }
        self.close_intent()?;
        Ok(report)
    }

    /// Gives directories that were made writable for a restore the mode they had.
    fn tighten(&self, intent: &Intent) -> Result<(), SnapshotError> {
        let root = self.open_root()?;
        for (path, mode) in intent.loosened.iter().rev() {
            if let Ok(directory) = open_to_change(root.as_fd(), path) {
                hands::set_mode(directory.as_fd(), *mode)
                    .attempt("set the mode of", crate::beneath::os(path))?;
            }
        }
        Ok(())
    }

    /// Removes what a restore that was cut short left half-written.
    fn clear(&self, leftovers: &[Vec<u8>]) -> Result<(), SnapshotError> {
        let root = self.open_root()?;
        for path in leftovers {
            let (parent, name) = split(path);
            let removed = open_to_change(root.as_fd(), parent)
                .and_then(|parent| Ok(rustix::fs::unlinkat(parent, name, rustix::fs::AtFlags::empty())?));
            removed.attempt("remove", crate::beneath::os(path))?;
            point("snapshot.restore.cleared");
        }
        Ok(())
    }
}

/// What was seen of each path when the tree was kept.
struct Seen<'w> {
    nodes: HashMap<&'w [u8], &'w Node>,
}

impl<'w> Seen<'w> {
    fn new(walked: &'w Walked) -> Seen<'w> {
        Seen { nodes: walked.nodes.iter().map(|node| (&*node.path, node)).collect() }
    }

    /// Whether what is there is still what was kept; a file that was changed since must not be lost.
    fn is_still_there(&self, directory: std::os::fd::BorrowedFd<'_>, path: &[u8]) -> bool {
        let (parent, name) = split(path);
        let stat = match look(directory, name) {
            Ok(stat) => stat,
            Err(error) => return error == rustix::io::Errno::NOENT,
        };
        let entries = self.nodes.get(parent).map(|node| node.entries.as_slice()).unwrap_or_default();
        let Ok(at) = entries.binary_search_by(|found| (*found.entry.name).cmp(name)) else { return false };
        let (kept, now) = (entries[at].stamp, Stamp::of(&stat));
        // The other names of a file may just have been put back.
        let now = if stat.st_nlink > 1 { Stamp { changed: kept.changed, ..now } } else { now };
        kept == now
    }
}

/// A path as the tree's manifests spell it.
pub(crate) fn raw(path: &Path) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str())
}
