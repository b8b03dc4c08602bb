//! A file is replaced whole or not at all, and what somebody else wrote to it in the meantime is not lost.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::beneath::{Spot, read, refused};
use crate::error::ChronicleError;

/// How often a file that another program has just changed is edited anew.
const TRIES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrote {
    Changes,
    Nothing,
}

impl Spot {
    /// Reads the file as it is now, asks what it is to be, and puts that in its place. Whatever fails, the file is as
    /// it was. The same bytes, or none: nothing is written.
    pub(crate) fn edit(
        &self,
        most: u64,
        change: impl Fn(Option<&[u8]>) -> Result<Option<Vec<u8>>, ChronicleError>,
    ) -> Result<Wrote, ChronicleError> {
        sweep_abandoned(&self.directory, &self.name);
        for _ in 0..TRIES {
            let before = self.read(most)?;
            let Some(after) = change(before.as_deref())? else { return Ok(Wrote::Nothing) };
            if before.as_deref() == Some(&after) {
                return Ok(Wrote::Nothing);
            }
            let fresh = Fresh::begin(&self.directory, &self.name, &self.path)?;
            fresh.fill(&after).map_err(ChronicleError::io("write", &self.path))?;
            // Since it was read, somebody may have had their say: it must not be lost. Where a file system cannot exchange
            // two files, this look is all there is.
            if self.read(most)? != before {
                continue;
            }
            match fresh.put(if before.is_some() { Place::Taken } else { Place::Free })? {
                Put::Done => {}
                Put::Exchanged(theirs) if theirs.read(most)? == before => {}
                Put::Exchanged(theirs) => {
                    theirs.back()?;
                    continue;
                }
                Put::Late => continue,
            }
            rustix::fs::fsync(&self.directory).map_err(refused("write", &self.path))?;
            return Ok(Wrote::Changes);
        }
        Err(ChronicleError::Contended { path: self.path.clone() })
    }
}

/// Whether there is a file where a new one is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Free,
    Taken,
}

/// What came of it.
#[derive(Debug)]
enum Put {
    Done,
    Exchanged(Displaced),
    /// Somebody made the file, or removed it, a moment ago.
    Late,
}

/// What was there before, under the name that the new file had; gone with this value.
#[derive(Debug)]
struct Displaced(Fresh);

/// A file beside the one that it is to become; gone if it does not.
#[derive(Debug)]
pub(crate) struct Fresh {
    directory: OwnedFd,
    name: OsString,
    target: OsString,
    path: PathBuf,
    pub(crate) file: File,
}

impl Fresh {
    pub(crate) fn begin(directory: &OwnedFd, target: &OsStr, path: &Path) -> Result<Fresh, ChronicleError> {
        let directory = directory.try_clone().map_err(ChronicleError::io("write", path))?;
        let name = abandoned(target, &std::process::id().to_string());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // What a killed process of the same number left behind.
        let _ = rustix::fs::unlinkat(&directory, &name, AtFlags::empty());
        let opened = rustix::fs::openat(&directory, &name, flags, Mode::from_raw_mode(0o666));
        let file = File::from(opened.map_err(refused("write", path))?);
        Ok(Fresh { directory, name, target: target.to_owned(), path: path.to_owned(), file })
    }

    /// With the mode of what it replaces, on the disk when it returns: the exchange must not have to wait for that.
    fn fill(&self, bytes: &[u8]) -> io::Result<()> {
        if let Ok(stat) = rustix::fs::statat(&self.directory, &self.target, AtFlags::SYMLINK_NOFOLLOW) {
            rustix::fs::fchmod(&self.file, Mode::from_raw_mode(stat.st_mode & 0o7777))?;
        }
        (&self.file).write_all(bytes)?;
        self.file.sync_all()
    }

    /// Takes its place.
    fn put(self, place: Place) -> Result<Put, ChronicleError> {
        let put = match place {
            // A link is made only where nothing is.
            Place::Free => rustix::fs::linkat(
                &self.directory,
                &self.name,
                &self.directory,
                &self.target,
                AtFlags::empty(),
            )
            .map(|()| false),
            Place::Taken => match self.exchange() {
                // Not every file system can.
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.rename().map(|()| false),
                done => done.map(|()| true),
            },
        };
        match put {
            Ok(true) => Ok(Put::Exchanged(Displaced(self))),
            Ok(false) => Ok(Put::Done),
            Err(Errno::EXIST | Errno::NOENT) => Ok(Put::Late),
            Err(errno) => Err(refused("write", &self.path)(errno)),
        }
    }

    fn exchange(&self) -> Result<(), Errno> {
        let (directory, flags) = (&self.directory, RenameFlags::EXCHANGE);
        rustix::fs::renameat_with(directory, &self.name, directory, &self.target, flags)
    }

    fn rename(&self) -> Result<(), Errno> {
        rustix::fs::renameat(&self.directory, &self.name, &self.directory, &self.target)
    }

    /// Takes the place of whatever is there.
    pub(crate) fn replace(self) -> Result<(), ChronicleError> {
        self.file.sync_all().map_err(ChronicleError::io("write", &self.path))?;
        self.rename().map_err(refused("write", &self.path))
    }
}

impl Displaced {
    fn read(&self, most: u64) -> Result<Option<Vec<u8>>, ChronicleError> {
        let Displaced(fresh) = self;
        read(&fresh.directory, &fresh.name, &fresh.path, most)
    }

    /// Puts it back where it was.
    fn back(self) -> Result<(), ChronicleError> {
        let Displaced(fresh) = self;
        fresh.exchange().map_err(refused("write", &fresh.path))
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let _ = rustix::fs::unlinkat(&self.directory, &self.name, AtFlags::empty());
    }
}

/// What a file is called until it is whole.
fn abandoned(target: &OsStr, process: &str) -> OsString {
    let mut name = OsString::from(".");
    name.push(target);
    name.push(".ralph-");
    name.push(process);
    name
}

/// Removes what processes that died left beside a file.
fn sweep_abandoned(directory: &OwnedFd, target: &OsStr) {
    let prefix = abandoned(target, "");
    let Ok(entries) = Dir::read_from(directory) else { return };
    for entry in entries.flatten() {
        let process = entry.file_name().to_bytes().strip_prefix(prefix.as_bytes());
        if process.is_some_and(is_gone) {
            let _ = rustix::fs::unlinkat(directory, entry.file_name(), AtFlags::empty());
        }
    }
}

/// Whether this is the number of a process that is no more.
pub(crate) fn is_gone(process: &[u8]) -> bool {
    let number = std::str::from_utf8(process).ok().and_then(|number| number.parse().ok());
    let process = number.and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process) == Err(Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::path::Path;

    use super::{Fresh, Place, Put, Wrote};
    use crate::beneath::{Missing, Spot};

    #[test]
    fn what_somebody_wrote_before_the_exchange_is_put_back() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        fs::write(&path, "read").unwrap();
        let spot = Spot::find(root.path(), Path::new("a"), Missing::Leave).unwrap().unwrap();
        let fresh = Fresh::begin(&spot.directory, &spot.name, &spot.path).unwrap();
        fresh.fill(b"ours").unwrap();
        fs::write(&path, "theirs").unwrap();
        let Put::Exchanged(theirs) = fresh.put(Place::Taken).unwrap() else { panic!("no exchange") };
        assert_eq!(fs::read(&path).unwrap(), b"ours");
        assert_eq!(theirs.read(99).unwrap().unwrap(), b"theirs");
        theirs.back().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_somebody_wrote_since_it_was_read_is_changed_instead() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        let spot = Spot::find(root.path(), Path::new("a"), Missing::Leave).unwrap().unwrap();
        let round = Cell::new(0);
        let wrote = spot.edit(99, |before| {
            round.set(round.get() + 1);
            if round.get() == 1 {
                assert_eq!(before, None);
                fs::write(&path, "theirs").unwrap();
            }
            Ok(Some([before.unwrap_or_default(), b"+"].concat()))
        });
        assert_eq!(wrote.unwrap(), Wrote::Changes);
        assert_eq!(fs::read(&path).unwrap(), b"theirs+");
        assert_eq!(spot.edit(99, |_| Ok(None)).unwrap(), Wrote::Nothing);
    }
}
