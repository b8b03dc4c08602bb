//! Where ralph writes in the project: beneath its root, and never outside of it, wherever a symlink leads.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::error::ChronicleError;

/// How many symlinks may lead to a file.
const LINKS: usize = 8;

/// Whether directories that are missing are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Make,
    Leave,
}

/// A directory beneath the root, and how people know it.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) fd: OwnedFd,
    pub(crate) path: PathBuf,
}

/// A name in a directory beneath the root, at which there is a file or nothing.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) directory: OwnedFd,
    pub(crate) name: OsString,
    /// As people know it, whatever symlinks led here.
    pub(crate) path: PathBuf,
}

impl Directory {
    /// None where it is missing and is not to be made.
    pub(crate) fn find(
        root: &Path,
        way: &Path,
        missing: Missing,
    ) -> Result<Option<Directory>, ChronicleError> {
        let path = root.join(way);
        let top = open_root(root)?;
        let mut made = PathBuf::new();
        loop {
            match open_beneath(&top, way) {
                Ok(fd) => return Ok(Some(Directory { fd, path })),
                Err(Errno::NOENT) if missing == Missing::Leave => return Ok(None),
                Err(Errno::NOENT) if made == way => {
                    return Err(ChronicleError::io("make", &path)(Errno::NOENT.into()));
                }
                Err(Errno::NOENT) => made = make_next(&top, way, &made).map_err(refused("make", &path))?,
                Err(error) => return Err(refused("open", &path)(error)),
            }
        }
    }
}

/// Makes the directory on the way that comes after those that were made.
fn make_next(top: &OwnedFd, way: &Path, made: &Path) -> Result<PathBuf, Errno> {
    let next: PathBuf = way.components().take(made.components().count() + 1).collect();
    let parent = open_beneath(top, next.parent().unwrap_or(Path::new("")))?;
    match rustix::fs::mkdirat(&parent, next.file_name().unwrap_or_default(), Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => Ok(next),
        Err(error) => Err(error),
    }
}

impl Spot {
    /// Follows symlinks that stay within the project. None where the directory is missing and is not to be made.
    pub(crate) fn find(root: &Path, way: &Path, missing: Missing) -> Result<Option<Spot>, ChronicleError> {
        let path = root.join(way);
        let leads_out = || ChronicleError::LeadsOut { path: path.clone() };
        let mut way = way.to_owned();
        let mut missing = missing;
        for _ in 0..=LINKS {
            let parent = way.parent().ok_or_else(leads_out)?.to_owned();
            let name = way.file_name().ok_or_else(leads_out)?.to_owned();
            let Some(directory) = Directory::find(root, &parent, missing)? else { return Ok(None) };
            match rustix::fs::readlinkat(&directory.fd, &name, Vec::new()) {
                Ok(target) => way = parent.join(OsStr::from_bytes(target.as_bytes())),
                Err(Errno::INVAL | Errno::NOENT) => {
                    return Ok(Some(Spot { directory: directory.fd, name, path }));
                }
                Err(error) => return Err(refused("read", &path)(error)),
            }
            if way.is_absolute() {
                return Err(leads_out());
            }
            // Where somebody's link leads, nothing is made.
            missing = Missing::Leave;
        }
        Err(leads_out())
    }

    /// The bytes of the file; none where there is none.
    pub(crate) fn read(&self, most: u64) -> Result<Option<Vec<u8>>, ChronicleError> {
        read(&self.directory, &self.name, &self.path, most)
    }
}

/// The bytes of a file; none where there is none.
pub(crate) fn read(
    directory: &OwnedFd,
    name: &OsStr,
    path: &Path,
    most: u64,
) -> Result<Option<Vec<u8>>, ChronicleError> {
    // A pipe must not make anybody wait for its other end.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(directory, name, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(refused("read", path)(error)),
    };
    let metadata = file.metadata().map_err(ChronicleError::io("read", path))?;
    if !metadata.is_file() {
        return Err(ChronicleError::NoFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(ChronicleError::io("read", path))?;
    if bytes.len() as u64 > most {
        let size = metadata.len().max(most + 1);
        return Err(ChronicleError::TooLarge { path: path.to_owned(), size, most });
    }
    Ok(Some(bytes))
}

fn open_root(root: &Path) -> Result<OwnedFd, ChronicleError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(root, flags, Mode::empty()).map_err(refused("open", root))
}

/// A directory, through symlinks that stay within the root; on a kernel without `openat2` through none at all.
fn open_beneath(top: &OwnedFd, way: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let name = if way.as_os_str().is_empty() { Path::new(".") } else { way };
    loop {
        match rustix::fs::openat2(top, name, flags, Mode::empty(), within) {
            // Something was renamed during the look-up.
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::NOSYS | Errno::PERM) => break,
            done => return done,
        }
    }
    step_by_step(top, name, flags | OFlags::NOFOLLOW)
}

fn step_by_step(top: &OwnedFd, way: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut here = rustix::fs::openat(top, c".", flags, Mode::empty())?;
    for part in way.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => here = rustix::fs::openat(&here, name, flags, Mode::empty())?,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    Ok(here)
}

pub(crate) fn refused(action: &'static str, path: &Path) -> impl FnOnce(Errno) -> ChronicleError {
    let path = path.to_owned();
    move |errno| match errno {
        Errno::XDEV | Errno::LOOP => ChronicleError::LeadsOut { path },
        errno => ChronicleError::Io { action, path, source: errno.into() },
    }
}
