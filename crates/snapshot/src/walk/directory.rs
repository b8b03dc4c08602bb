//! One directory: its names are matched with those in the cache, and only what looks different is read.

use std::io;
use std::iter::Peekable;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use rustix::fs::{FileType, RawDir, Stat};
use rustix::io::Errno;

use super::content::{Content, keep};
use super::queue::{Queue, Task};
use super::{Found, Node, Reason, Uncovered, Walk};
use crate::beneath::{look, open_to_list, os};
use crate::cache::{Entries, Known, NO_CHILD, Stamp};
use crate::digest::Digest;
use crate::error::SnapshotError;
use crate::manifest::{self, Entry, Kind};
use crate::pack::Batch;
use crate::rules::{self, Rules};

const GIT: &[u8] = b".git";

/// What one thread has found.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) nodes: Vec<(u32, Node)>,
    pub(super) uncovered: Vec<Uncovered>,
    pub(super) unsettled: Vec<PathBuf>,
    pub(super) leftovers: Vec<Vec<u8>>,
}

pub(super) struct Worker<'w, 'a> {
    walk: &'w Walk<'a>,
    queue: &'w Queue,
    batch: Batch<'w, 'a>,
    pub(super) found: Part,
    buffer: Vec<u8>,
    listing: Vec<u8>,
}

/// One directory while it is listed.
struct Here<'c> {
    task: Task,
    fd: OwnedFd,
    rules: Option<Arc<Rules>>,
    cached: Option<Peekable<Entries<'c>>>,
    /// The names that the covered tree has here, with the manifests of those that are directories.
    cover: Vec<Entry>,
    node: Node,
    children: Vec<Task>,
}

impl<'w, 'a> Worker<'w, 'a> {
    pub(super) fn new(walk: &'w Walk<'a>, queue: &'w Queue) -> Worker<'w, 'a> {
        let batch = walk.packs.batch();
        Worker {
            walk,
            queue,
            batch,
            found: Part::default(),
            buffer: Vec::new(),
            listing: Vec::with_capacity(32 << 10),
        }
    }

    /// Lists directories until there are none left.
    pub(super) fn work(&mut self, mut between: impl FnMut()) -> Result<(), SnapshotError> {
        while let Some(task) = self.queue.take() {
            let number = task.number;
            match self.directory(task) {
                Ok((node, children)) => {
                    self.found.nodes.push((number, node));
                    self.queue.done(children);
                }
                Err(error) => {
                    self.queue.fail();
                    return Err(error);
                }
            }
            between();
        }
        self.batch.flush()
    }

    fn directory(&mut self, task: Task) -> Result<(Node, Vec<Task>), SnapshotError> {
        let listed =
            open_to_list(self.walk.root, &task.path).and_then(|fd| Ok((self.names(&fd, &task.path)?, fd)));
        let (names, fd) = match listed {
            Ok(listed) => listed,
            Err(error) if task.path.is_empty() => return Err(SnapshotError::io("list", "the tree", error)),
            Err(error) => return Ok((self.without(&task.path, error)?, Vec::new())),
        };
        let node =
            Node { path: task.path.clone(), is_as_cached: true, has_fresh_stamps: true, ..Node::default() };
        let rules = self.rules(&task, &fd, &names);
        let cover = self.cover(task.cover)?;
        let entries = task.cached.and_then(|number| Some(self.walk.cache?.entries(number)));
        let known = entries.as_ref().map(Entries::count);
        let cached = entries.map(Iterator::peekable);
        let mut here = Here { task, fd, rules, cached, cover, node, children: Vec::new() };
        for name in names {
            self.name(&mut here, name)?;
        }
        self.number(&mut here);
        let Here { mut node, children, task, .. } = here;
        node.is_as_cached &= known == Some(node.entries.len());
        node.has_fresh_stamps &= node.is_as_cached;
        if let (true, Some(number), Some(cache)) = (node.is_as_cached, task.cached, self.walk.cache) {
            node.digest = cache.digest(number);
        }
        Ok((node, children))
    }

    /// Numbers are given when all children are known, so that they are higher than the parent's.
    fn number(&self, here: &mut Here<'_>) {
        let count = u32::try_from(here.children.len()).expect("fewer directories than a u32 can count");
        if count == 0 {
            return;
        }
        let first = self.queue.numbers(count);
        let directories = here.node.entries.iter_mut().filter(|found| found.entry.kind == Kind::Directory);
        for ((number, child), found) in (first..).zip(&mut here.children).zip(directories) {
            child.number = number;
            found.child = number;
        }
    }

    /// A directory that went away is as if it had never been seen; one that cannot be read is left alone.
    fn without(&mut self, path: &[u8], error: io::Error) -> Result<Node, SnapshotError> {
        let vanished = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP].map(|gone| Some(gone.raw_os_error()));
        if !vanished.contains(&error.raw_os_error()) {
            self.unreadable(path, error)?;
        }
        Ok(Node { path: path.into(), is_gone: true, ..Node::default() })
    }

    /// The names that may belong to the snapshot, sorted.
    fn names(&mut self, fd: &OwnedFd, directory: &[u8]) -> io::Result<Vec<Box<[u8]>>> {
        let mut names: Vec<Box<[u8]>> = Vec::new();
        let excluded = self.walk.exclusions.within(directory);
        self.listing.clear();
        let mut listing = RawDir::new(fd, self.listing.spare_capacity_mut());
        while let Some(entry) = listing.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            let is_top_git = directory.is_empty() && name == GIT;
            if name == b"."
                || name == b".."
                || is_top_git
                || excluded.is_some_and(|names| names.contains(name))
                || self.walk.exclusions.has_name(name)
            {
                continue;
            }
            match self.walk.leftovers {
                Some(mark) if name.starts_with(mark) => self.found.leftovers.push(join(directory, name)),
                _ => names.push(name.into()),
            }
        }
        names.sort_unstable();
        // A directory that changes while it is listed may show a name twice.
        names.dedup();
        Ok(names)
    }

    fn rules(&self, task: &Task, fd: &OwnedFd, names: &[Box<[u8]>]) -> Option<Arc<Rules>> {
        let above = task.rules.clone();
        if task.is_of_git || names.binary_search_by(|name| (**name).cmp(rules::FILE)).is_err() {
            return above;
        }
        match read_patterns(fd.as_fd(), rules::FILE) {
            Some(content) => Rules::within(above, &task.path, self.walk.compiled.patterns(&content)),
            None => above,
        }
    }

    fn cover(&self, digest: Option<Digest>) -> Result<Vec<Entry>, SnapshotError> {
        let (Some(cover), Some(digest)) = (&self.walk.cover, digest) else { return Ok(Vec::new()) };
        let mut reader = cover.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match cover.names.fresh.get(&digest) {
            Some(fresh) => fresh.clone(),
            None => reader.read(digest)?,
        };
        manifest::parse(&text).ok_or_else(|| SnapshotError::missing(std::path::Path::new(""), digest))
    }

    fn name(&mut self, here: &mut Here<'_>, name: Box<[u8]>) -> Result<(), SnapshotError> {
        self.walk.vault.go_on()?;
        let stat = match look(here.fd.as_fd(), &name) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return self.unreadable(&here.path(&name), error.into()),
        };
        let kind = FileType::from_raw_mode(stat.st_mode);
        let covered = here.cover.binary_search_by(|entry| entry.name.cmp(&name)).ok();
        let is_ignored = here.task.only_covered || here.ignores(&name, kind.is_dir());
        if is_ignored && covered.is_none() {
            return Ok(());
        }
        let known = here.known(&name);
        match kind {
            FileType::RegularFile => self.file(here, name, &stat, known),
            FileType::Symlink => self.link(here, name, &stat, known),
            FileType::Directory => {
                let cover =
                    covered.and_then(|at| here.cover.get(at)).filter(|entry| entry.kind == Kind::Directory);
                let cover = cover.map(|entry| entry.digest);
                here.child(name, &stat, known, cover, is_ignored);
                Ok(())
            }
            FileType::Fifo => {
                here.add(name, Kind::Pipe, &stat, (Digest::NONE, 0), known, Trust::Never);
                Ok(())
            }
            FileType::Socket => self.uncovered(here, &name, Reason::Socket),
            FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
                self.uncovered(here, &name, Reason::Device)
            }
        }
    }

    fn uncovered(&mut self, here: &Here<'_>, name: &[u8], reason: Reason) -> Result<(), SnapshotError> {
        self.found.uncovered.push(Uncovered::new(&here.path(name), reason));
        Ok(())
    }

    /// Leaves out what this process may not read; but where it is the process that lacks something, a snapshot that
    /// leaves things out would be a bad one.
    fn unreadable(&mut self, path: &[u8], error: io::Error) -> Result<(), SnapshotError> {
        let lacking = [Errno::MFILE, Errno::NFILE, Errno::NOMEM].map(|errno| Some(errno.raw_os_error()));
        if lacking.contains(&error.raw_os_error()) {
            return Err(SnapshotError::io("read", os(path), error));
        }
        self.found.uncovered.push(Uncovered::new(path, Reason::Unreadable { error: error.to_string() }));
        Ok(())
    }

    fn file(
        &mut self,
        here: &mut Here<'_>,
        name: Box<[u8]>,
        stat: &Stat,
        known: Option<Known<'_>>,
    ) -> Result<(), SnapshotError> {
        if let Some(known) = known.filter(|known| is_unchanged(known, Kind::File, stat)) {
            here.add(name, Kind::File, stat, (known.digest, known.size), Some(known), Trust::Settled);
            return Ok(());
        }
        let bytes = Stamp::of(stat).size;
        if bytes > self.walk.limits.file {
            return self.uncovered(here, &name, Reason::TooLarge { bytes });
        }
        match keep(here.fd.as_fd(), &name, &mut self.batch, &mut self.buffer)? {
            Content::Kept { digest, size, stat, held_still } => {
                if !held_still {
                    self.found.unsettled.push(os(&here.path(&name)).into());
                }
                let trust = if held_still { Trust::Since(self.walk.now) } else { Trust::Never };
                here.add(name, Kind::File, &stat, (digest, size), known, trust);
                Ok(())
            }
            Content::Gone => Ok(()),
            Content::Unreadable(error) => self.unreadable(&here.path(&name), error),
        }
    }

    fn link(
        &mut self,
        here: &mut Here<'_>,
        name: Box<[u8]>,
        stat: &Stat,
        known: Option<Known<'_>>,
    ) -> Result<(), SnapshotError> {
        if let Some(known) = known.filter(|known| is_unchanged(known, Kind::Link, stat)) {
            here.add(name, Kind::Link, stat, (known.digest, known.size), Some(known), Trust::Settled);
            return Ok(());
        }
        match rustix::fs::readlinkat(here.fd.as_fd(), &*name, Vec::new()) {
            Ok(target) => {
                let digest = Digest::of(target.as_bytes());
                self.batch.put(digest, target.as_bytes())?;
                let content = (digest, target.as_bytes().len() as u64);
                here.add(name, Kind::Link, stat, content, known, Trust::Since(self.walk.now));
                Ok(())
            }
            Err(Errno::NOENT | Errno::INVAL) => Ok(()),
            Err(error) => self.unreadable(&here.path(&name), error.into()),
        }
    }
}

/// Whether a stamp will show the next change.
#[derive(Debug, Clone, Copy)]
enum Trust {
    Settled,
    Since(i64),
    Never,
}

impl<'c> Here<'c> {
    fn path(&self, name: &[u8]) -> Vec<u8> {
        join(&self.task.path, name)
    }

    fn ignores(&self, name: &[u8], is_directory: bool) -> bool {
        let has_rules = self.rules.is_some() && !self.task.is_of_git && name != GIT;
        has_rules && Rules::ignore(self.rules.as_ref(), &self.path(name), is_directory)
    }

    fn known(&mut self, name: &[u8]) -> Option<Known<'c>> {
        let cached = self.cached.as_mut()?;
        while cached.next_if(|known| known.name < name).is_some() {}
        cached.next_if(|known| known.name == name)
    }

    fn add(
        &mut self,
        name: Box<[u8]>,
        kind: Kind,
        stat: &Stat,
        (digest, size): (Digest, u64),
        known: Option<Known<'_>>,
        trust: Trust,
    ) {
        let mode = (stat.st_mode & 0o7777) as u16;
        let entry = Entry { name, kind, mode, digest, size };
        let stamp = Stamp::of(stat);
        let is_settled = match trust {
            Trust::Settled => true,
            Trust::Since(now) => stamp.is_settled(now),
            Trust::Never => false,
        };
        let is_same = known.is_some_and(|known| {
            (known.kind, known.mode, known.digest, known.size) == (kind, mode, digest, size)
        });
        let is_fresh = kind == Kind::Directory
            || known.is_some_and(|known| known.stamp == stamp && known.is_settled == is_settled);
        self.node.is_as_cached &= is_same;
        self.node.has_fresh_stamps &= is_fresh;
        self.node.entries.push(Found { entry, stamp, is_settled, child: NO_CHILD });
    }

    fn child(
        &mut self,
        name: Box<[u8]>,
        stat: &Stat,
        known: Option<Known<'_>>,
        cover: Option<Digest>,
        is_ignored: bool,
    ) {
        let same = known.filter(|known| known.kind == Kind::Directory);
        let digest = same.map_or(Digest::NONE, |known| known.digest);
        let is_of_git = self.task.is_of_git || *name == *GIT;
        let path = self.path(&name).into();
        self.add(name, Kind::Directory, stat, (digest, 0), known, Trust::Never);
        self.children.push(Task {
            number: 0,
            path,
            rules: self.rules.clone(),
            is_of_git,
            cached: same.map(|known| known.child),
            cover,
            only_covered: is_ignored,
        });
    }
}

fn is_unchanged(known: &Known<'_>, kind: Kind, stat: &Stat) -> bool {
    let mode = (stat.st_mode & 0o7777) as u16;
    known.is_settled && known.kind == kind && known.mode == mode && known.stamp == Stamp::of(stat)
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() { name.to_vec() } else { [directory, name].join(&b'/') }
}

/// The content of a file of patterns, if it is a plain file of a sane size.
pub(crate) fn read_patterns(directory: BorrowedFd<'_>, name: &[u8]) -> Option<Vec<u8>> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    plain_content(rustix::fs::openat(directory, name, flags, Mode::empty()).ok()?)
}

pub(crate) fn plain_content(file: OwnedFd) -> Option<Vec<u8>> {
    use std::io::Read;
    let stat = rustix::fs::fstat(&file).ok()?;
    if !FileType::from_raw_mode(stat.st_mode).is_file() || Stamp::of(&stat).size > rules::LARGEST {
        return None;
    }
    let mut content = Vec::new();
    std::fs::File::from(file).take(rules::LARGEST).read_to_end(&mut content).ok()?;
    Some(content)
}
