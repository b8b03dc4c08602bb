//! A snapshot is taken: the tree is walked, what is new goes into a pack, and when that is durable the snapshot is
//! marked. Two things are made durable, and nothing at all when the tree is as it was.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use crate::cache::{self, Cache, Stamp, now};
use crate::crash::point;
use crate::digest::{Digest, SnapshotId, TreeHash};
use crate::error::{Attempt, SnapshotError};
use crate::manifest::{Kind, push_line};
use crate::outer::Outer;
use crate::pack::{Batch, PackWriter, TEMPORARY};
use crate::record::{Counts, Record};
use crate::rules::Rules;
use crate::union::Union;
use crate::vault::{Access, Vault, create_private, write_private};
use crate::walk::{Cover, Uncovered, Walk, Walked, walk};

/// What a tree held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub id: SnapshotId,
    tree: TreeHash,
    pub files: u64,
    pub links: u64,
    pub directories: u64,
    pub pipes: u64,
    /// Of the files' content, before compression.
    pub bytes: u64,
    /// By how much the vault grew.
    pub stored: u64,
    /// What is in the tree but not in the snapshot, ignored files apart. Known only when it is taken.
    pub uncovered: Vec<Uncovered>,
    /// Files that were being written all the while: what is kept of them is what was read last.
    pub unsettled: Vec<PathBuf>,
}

impl Snapshot {
    /// The same for the same tree, whenever and wherever it is taken.
    pub fn tree_hash(&self) -> TreeHash {
        self.tree
    }

    pub(crate) fn of_record(id: SnapshotId, record: &Record) -> Snapshot {
        let Counts { files, links, directories, pipes, bytes } = record.counts;
        let (uncovered, unsettled) = (Vec::new(), Vec::new());
        let (tree, stored) = (record.tree, 0);
        Snapshot { id, tree, files, links, directories, pipes, bytes, stored, uncovered, unsettled }
    }
}

/// A snapshot, and what was seen when it was taken.
pub(crate) struct Taken {
    pub(crate) snapshot: Snapshot,
    pub(crate) walked: Walked,
}

/// What a restore wants to know besides.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    /// Trees whose paths are kept whatever the rules say.
    pub(crate) cover: Option<&'a Union>,
    pub(crate) leftovers: Option<&'a [u8]>,
}

impl Vault {
    /// Keeps the tree as it is now.
    pub fn take(&self) -> Result<Snapshot, SnapshotError> {
        let _lock = self.lock(Access::Alone)?;
        let pending = self.intent()?;
        let mark = pending.map(|intent| intent.mark());
        let wanted = Wanted { cover: None, leftovers: mark.as_deref() };
        self.take_locked(wanted).map(|taken| taken.snapshot)
    }

    pub(crate) fn take_locked(&self, wanted: Wanted<'_>) -> Result<Taken, SnapshotError> {
        let root = self.open_root()?;
        let root_stamp = Stamp::of(&rustix::fs::fstat(&root).attempt("look at", &self.root)?);
        let cache = Cache::load(&self.cache_path(), &root_stamp);
        // What the cache refers to is only sure to be there while its snapshot is.
        let cache = cache.filter(|cache| self.mark(cache.base()).exists());
        let packs = PackWriter::new(&self.directory, &self.indexes, self.options.limits.news);
        let mut batch = packs.batch();
        let outer = Outer::read(&self.root, self.options.excludes_file.as_deref(), &self.compiled);
        let rules = outer.rules(&self.compiled);
        let exclude = match outer.text() {
            Some(content) => Some(keep(&mut batch, &content)?),
            None => None,
        };
        point("snapshot.take.begun");
        let mut walked = self.walk(root.as_fd(), rules, cache.as_ref(), &packs, wanted)?;
        let tree = assemble(&mut walked, &mut batch)?;
        let (tree, covers) = (TreeHash(tree), wanted.cover.map(|cover| cover.tree));
        for (digest, manifest) in wanted.cover.iter().flat_map(|cover| &cover.fresh) {
            batch.put(*digest, manifest)?;
        }
        let record = Record { tree, exclude, covers, counts: counts(&walked) };
        let text = record.text();
        let id = SnapshotId(Digest::of(text.as_bytes()));
        let is_as_before = cache.as_ref().is_some_and(|cache| cache.base() == id);
        let stored = if is_as_before {
            drop(batch);
            self.touch(id)?;
            0
        } else {
            keep(&mut batch, text.as_bytes())?;
            batch.flush()?;
            drop(batch);
            self.commit(id, packs)?
        };
        if !is_as_before || walked.nodes.iter().any(|node| !node.has_fresh_stamps) {
            self.write_cache(id, &root_stamp, &walked);
        }
        let uncovered = walked.uncovered.clone();
        let unsettled = walked.unsettled.clone();
        let snapshot = Snapshot { stored, uncovered, unsettled, ..Snapshot::of_record(id, &record) };
        Ok(Taken { snapshot, walked })
    }

    fn walk<'a>(
        &'a self,
        root: BorrowedFd<'a>,
        rules: Option<Arc<Rules>>,
        cache: Option<&'a Cache>,
        packs: &'a PackWriter<'a>,
        wanted: Wanted<'a>,
    ) -> Result<Walked, SnapshotError> {
        let cover = match wanted.cover {
            Some(names) => Some(Cover { names, reader: Mutex::new(self.reader()?) }),
            None => None,
        };
        walk(&Walk {
            vault: self,
            root,
            rules,
            exclusions: &self.options.exclusions,
            compiled: &self.compiled,
            limits: self.options.limits,
            cache,
            packs,
            cover,
            leftovers: wanted.leftovers,
            now: now(),
        })
    }

    /// The pack first, then the mark that says that all of it is there.
    fn commit(&self, id: SnapshotId, packs: PackWriter<'_>) -> Result<u64, SnapshotError> {
        let written = packs.finish()?;
        let mark = self.mark(id);
        let file = create_private(&mark).attempt("mark the snapshot", &mark)?;
        file.set_modified(SystemTime::now()).attempt("mark the snapshot", &mark)?;
        point("snapshot.take.marked");
        self.sync_directory()?;
        point("snapshot.take.durable");
        Ok(written.map_or(0, |written| written.bytes))
    }

    fn touch(&self, id: SnapshotId) -> Result<(), SnapshotError> {
        let mark = self.mark(id);
        let touched = File::options().write(true).open(&mark);
        touched.and_then(|file| file.set_modified(SystemTime::now())).attempt("mark the snapshot", &mark)
    }

    /// Not made durable and not missed: it is sealed, and without it the next walk reads everything.
    fn write_cache(&self, base: SnapshotId, root: &Stamp, walked: &Walked) {
        let temporary = self.directory.join(format!("{TEMPORARY}cache"));
        let bytes = cache::encode(base, root, &walked.nodes);
        point("snapshot.take.cache");
        let written = write_private(&temporary, &bytes);
        let _ = written.and_then(|_| std::fs::rename(&temporary, self.cache_path()));
        point("snapshot.take.cached");
    }
}

fn keep(batch: &mut Batch<'_, '_>, content: &[u8]) -> Result<Digest, SnapshotError> {
    let digest = Digest::of(content);
    batch.put(digest, content)?;
    Ok(digest)
}

/// Gives every directory its digest, children before parents, and keeps the manifests that are new.
fn assemble(walked: &mut Walked, batch: &mut Batch<'_, '_>) -> Result<Digest, SnapshotError> {
    let mut text = Vec::new();
    for number in (0..walked.nodes.len()).rev() {
        let (above, below) = walked.nodes.split_at_mut(number + 1);
        let Some(node) = above.last_mut() else { continue };
        let mut is_same = node.is_as_cached;
        node.entries.retain_mut(|found| {
            if found.entry.kind != Kind::Directory {
                return true;
            }
            let child = &below[found.child as usize - number - 1];
            is_same &= !child.is_gone && child.digest == found.entry.digest;
            found.entry.digest = child.digest;
            !child.is_gone
        });
        if !is_same {
            text.clear();
            node.entries.iter().for_each(|found| push_line(&found.entry, &mut text));
            node.digest = keep(batch, &text)?;
            node.has_fresh_stamps = false;
        }
    }
    Ok(walked.nodes.first().map_or(Digest::NONE, |root| root.digest))
}

fn counts(walked: &Walked) -> Counts {
    let mut counts = Counts::default();
    for entry in walked.nodes.iter().flat_map(|node| &node.entries).map(|found| &found.entry) {
        match entry.kind {
            Kind::File => {
                counts.files += 1;
                counts.bytes += entry.size;
            }
            Kind::Link => counts.links += 1,
            Kind::Directory => counts.directories += 1,
            Kind::Pipe => counts.pipes += 1,
        }
    }
    counts
}
