//! The hands of a restore: every change is made in a directory that was opened beneath the root without following a
//! symlink, by a name that is a single part of a path. One failure does not keep the others from being made.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, Uid};
use rustix::io::Errno;

use super::intent::{self, Intent};
use super::{Problem, Report, Seen, raw};
use crate::beneath::{look, open_to_change};
use crate::crash::point;
use crate::diff::{Change, ChangeKind, State};
use crate::exclusions::split;
use crate::manifest::Kind;
use crate::pack::Reader;
use crate::vault::Vault;

/// Why one path could not be put back.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("{0}")]
    Refused(#[from] Errno),
    #[error("it was changed while the tree was being restored; it is as somebody left it")]
    ChangedMeanwhile,
    #[error("something that no snapshot holds is in its place")]
    InTheWay,
    #[error("files that are ignored are in the directory that has its place")]
    HoldsIgnored,
    #[error("{0}")]
    Content(String),
}

pub(super) struct Hands<'v, 'a> {
    vault: &'v Vault,
    root: BorrowedFd<'a>,
    reader: Reader<'v>,
    intent: Intent,
    seen: Seen<'a>,
    count: u64,
}

impl<'v, 'a> Hands<'v, 'a> {
    pub(super) fn new(
        vault: &'v Vault,
        root: BorrowedFd<'a>,
        reader: Reader<'v>,
        intent: &Intent,
        seen: Seen<'a>,
    ) -> Hands<'v, 'a> {
        Hands { vault, root, reader, intent: intent.clone(), seen, count: 0 }
    }

    /// Makes way first, from the bottom up; then puts everything in its place, from the top down; modes of
    /// directories come last, because they may forbid both.
    pub(super) fn perform(mut self, report: &mut Report) {
        let changes = std::mem::take(&mut report.changes);
        let mut is_done = vec![true; changes.len()];
        for (at, change) in changes.iter().enumerate().rev().filter(|(_, change)| makes_way(change)) {
            match self.remove(change) {
                Ok(()) => point("snapshot.restore.removed"),
                Err(Trouble::HoldsIgnored) if change.after.is_none() => {
                    is_done[at] = false;
                    report.kept.push(change.path.clone());
                }
                Err(trouble) => is_done[at] = report.trouble(change, &trouble),
            }
        }
        for (at, change) in changes.iter().enumerate().filter(|(at, _)| is_done[*at]).collect::<Vec<_>>() {
            if let Err(trouble) = self.put(change) {
                is_done[at] = report.trouble(change, &trouble);
            }
        }
        self.set_modes(&changes, &mut is_done, report);
        report.changes =
            changes.into_iter().zip(is_done).filter(|(_, done)| *done).map(|(change, _)| change).collect();
        report.kept.sort();
    }

    fn set_modes(&mut self, changes: &[Change], is_done: &mut [bool], report: &mut Report) {
        for (at, change) in changes.iter().enumerate().rev() {
            let Some(after) = change.after.filter(|after| after.kind == Kind::Directory && is_done[at])
            else {
                continue;
            };
            let opened = open_to_change(self.root, raw(&change.path));
            let set = opened.map_err(|error| Trouble::Content(error.to_string()));
            match set.and_then(|directory| Ok(set_mode(directory.as_fd(), after.mode)?)) {
                Ok(()) => point("snapshot.restore.mode"),
                Err(trouble) => is_done[at] = report.trouble(change, &trouble),
            }
            self.intent.loosened.retain(|(path, _)| path != raw(&change.path));
        }
        for (path, mode) in self.intent.loosened.iter().rev() {
            if let Ok(directory) = open_to_change(self.root, path) {
                let _ = set_mode(directory.as_fd(), *mode);
            }
        }
    }

    fn remove(&mut self, change: &Change) -> Result<(), Trouble> {
        let path = raw(&change.path);
        let was_directory = change.before.is_some_and(|before| before.kind == Kind::Directory);
        self.in_directory(path, |hands, parent, name| {
            if was_directory {
                return match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
                    Err(Errno::NOTEMPTY | Errno::EXIST) => Err(Trouble::HoldsIgnored),
                    Err(Errno::NOENT) => Ok(()),
                    done => Ok(done?),
                };
            }
            if !hands.seen.is_still_there(parent, path) {
                return Err(Trouble::ChangedMeanwhile);
            }
            match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
                Err(Errno::NOENT) => Ok(()),
                done => Ok(done?),
            }
        })
    }

    fn put(&mut self, change: &Change) -> Result<(), Trouble> {
        let (path, Some(after)) = (raw(&change.path), change.after) else { return Ok(()) };
        match (after.kind, change.kind) {
            (Kind::Directory, ChangeKind::Mode) | (Kind::Link, ChangeKind::Mode) => Ok(()),
            (Kind::Directory, _) => self.in_directory(path, |_, parent, name| make_directory(parent, name)),
            (_, ChangeKind::Mode) => self.change_mode(path, change, after),
            _ => self.write(path, change, after),
        }
    }

    fn change_mode(&mut self, path: &[u8], change: &Change, after: State) -> Result<(), Trouble> {
        let is_alone = self.in_directory(path, |hands, parent, name| {
            if !hands.seen.is_still_there(parent, path) {
                return Err(Trouble::ChangedMeanwhile);
            }
            let file = rustix::fs::openat(
                parent,
                name,
                OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                Mode::empty(),
            )?;
            let stat = rustix::fs::fstat(&file)?;
            let kind = FileType::from_raw_mode(stat.st_mode);
            // A file with other names may have them outside the tree; its mode would change there, too.
            let is_alone = stat.st_nlink == 1 && matches!(kind, FileType::RegularFile | FileType::Fifo);
            if is_alone {
                set_mode(file.as_fd(), after.mode)?;
                point("snapshot.restore.put");
            }
            Ok(is_alone)
        })?;
        if is_alone { Ok(()) } else { self.write(path, change, after) }
    }

    /// Makes the file under another name in the same directory and then gives it its own.
    fn write(&mut self, path: &[u8], change: &Change, after: State) -> Result<(), Trouble> {
        self.count += 1;
        let temporary = [self.intent.mark(), self.count.to_string().into_bytes()].concat();
        self.in_directory(path, |hands, parent, name| {
            let made = hands.make(parent, &temporary, name, after);
            point("snapshot.restore.made");
            let placed = made.and_then(|()| hands.place(parent, &temporary, path, change));
            if placed.is_err() {
                let _ = rustix::fs::unlinkat(parent, &*temporary, AtFlags::empty());
            }
            placed
        })?;
        point("snapshot.restore.put");
        Ok(())
    }

    fn make(
        &mut self,
        parent: BorrowedFd<'_>,
        temporary: &[u8],
        name: &[u8],
        after: State,
    ) -> Result<(), Trouble> {
        match after.kind {
            Kind::File => {
                let flags =
                    OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let file = rustix::fs::openat(parent, temporary, flags, Mode::RUSR | Mode::WUSR)?;
                let mut file = File::from(file);
                let copied = self.reader.copy(after.digest, &mut file);
                copied.map_err(|error| Trouble::Content(error.to_string()))?;
                keep_owner(parent, name, &file);
                Ok(rustix::fs::fchmod(&file, mode(after.mode))?)
            }
            Kind::Link => {
                let target =
                    self.reader.read(after.digest).map_err(|error| Trouble::Content(error.to_string()))?;
                Ok(rustix::fs::symlinkat(&*target, parent, temporary)?)
            }
            Kind::Pipe => {
                rustix::fs::mknodat(parent, temporary, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
                let pipe = rustix::fs::openat(
                    parent,
                    temporary,
                    OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                    Mode::empty(),
                )?;
                Ok(set_mode(pipe.as_fd(), after.mode)?)
            }
            Kind::Directory => unreachable!("a directory is made in its place"),
        }
    }

    fn place(
        &self,
        parent: BorrowedFd<'_>,
        temporary: &[u8],
        path: &[u8],
        change: &Change,
    ) -> Result<(), Trouble> {
        let (_, name) = split(path);
        if change.before.is_some_and(|before| before.kind != Kind::Directory) {
            if !self.seen.is_still_there(parent, path) {
                return Err(Trouble::ChangedMeanwhile);
            }
            return Ok(rustix::fs::renameat(parent, temporary, parent, name)?);
        }
        match rustix::fs::renameat_with(parent, temporary, parent, name, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => Err(Trouble::InTheWay),
            // Not every file system knows how to.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => match look(parent, name) {
                Err(Errno::NOENT) => Ok(rustix::fs::renameat(parent, temporary, parent, name)?),
                Err(error) => Err(error.into()),
                Ok(_) => Err(Trouble::InTheWay),
            },
            done => Ok(done?),
        }
    }

    /// Does something in the directory of a path. Where its mode or that of one above forbids it, that is changed for
    /// as long as the restore lasts.
    fn in_directory<T>(
        &mut self,
        path: &[u8],
        act: impl Fn(&mut Self, BorrowedFd<'_>, &[u8]) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let (parent, name) = split(path);
        match self.opened(parent).and_then(|directory| act(self, directory.as_fd(), name)) {
            Err(Trouble::Refused(Errno::ACCESS)) if self.loosen(parent) => {
                let directory = self.opened(parent)?;
                act(self, directory.as_fd(), name)
            }
            done => done,
        }
    }

    fn opened(&self, directory: &[u8]) -> Result<OwnedFd, Trouble> {
        open_to_change(self.root, directory).map_err(|error| match Errno::from_io_error(&error) {
            Some(errno) => Trouble::Refused(errno),
            None => Trouble::Content(error.to_string()),
        })
    }

    /// Lets the owner into a directory and those above it, and notes their modes where a crash cannot reach them.
    fn loosen(&mut self, directory: &[u8]) -> bool {
        let ends = directory.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let mut any = false;
        for end in ends.chain([directory.len()]) {
            let path = &directory[..end];
            let Ok(opened) = open_to_change(self.root, path) else { return any };
            let Ok(stat) = rustix::fs::fstat(&opened) else { return any };
            let had = (stat.st_mode & 0o7777) as u16;
            if path.is_empty() || had & 0o700 == 0o700 {
                continue;
            }
            self.intent.loosened.push((path.to_vec(), had));
            if self.vault.write_durably(intent::NAME, self.intent.text().as_bytes()).is_err() {
                return any;
            }
            point("snapshot.restore.loosened");
            any |= set_mode(opened.as_fd(), had | 0o700).is_ok();
        }
        any
    }
}

impl Report {
    /// Notes it; the answer is that it is not done.
    fn trouble(&mut self, change: &Change, trouble: &Trouble) -> bool {
        self.problems.push(Problem { path: change.path.clone(), why: trouble.to_string() });
        false
    }
}

/// Whether something must go before anything can come: what the snapshot does not have, and what must become a
/// directory or ceases to be one.
fn makes_way(change: &Change) -> bool {
    let is_directory = |state: Option<State>| state.is_some_and(|state| state.kind == Kind::Directory);
    let turns =
        change.kind == ChangeKind::Type && (is_directory(change.before) || is_directory(change.after));
    change.kind == ChangeKind::Removed || turns
}

fn make_directory(parent: BorrowedFd<'_>, name: &[u8]) -> Result<(), Trouble> {
    match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
        Err(Errno::EXIST) => match look(parent, name) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_dir() => Ok(()),
            _ => Err(Trouble::InTheWay),
        },
        Err(error) => Err(error.into()),
        Ok(()) => {
            point("snapshot.restore.put");
            Ok(())
        }
    }
}

/// What is replaced keeps its owner where that is allowed.
fn keep_owner(parent: BorrowedFd<'_>, name: &[u8], file: &File) {
    let (Ok(was), Ok(is)) = (look(parent, name), rustix::fs::fstat(file)) else { return };
    if (was.st_uid, was.st_gid) != (is.st_uid, is.st_gid) {
        let _ = rustix::fs::fchown(file, Some(Uid::from_raw(was.st_uid)), Some(Gid::from_raw(was.st_gid)));
    }
}

fn mode(bits: u16) -> Mode {
    Mode::from_raw_mode(u32::from(bits))
}

/// Of what is opened, even if it was only opened by path: such a descriptor cannot be given a mode directly.
pub(super) fn set_mode(opened: BorrowedFd<'_>, bits: u16) -> Result<(), Errno> {
    rustix::fs::chmod(format!("/proc/self/fd/{}", opened.as_raw_fd()), mode(bits))
}
