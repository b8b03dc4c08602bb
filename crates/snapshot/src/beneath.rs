//! Directories of the tree, opened beneath its root and never through a symlink.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

/// Set once the kernel has said that it has no `openat2`.
static IS_OLD: AtomicBool = AtomicBool::new(false);

/// To list a directory.
pub(crate) fn open_to_list(root: BorrowedFd<'_>, path: &[u8]) -> io::Result<OwnedFd> {
    open(root, path, OFlags::RDONLY)
}

/// To change what is in a directory, which may be unreadable.
pub(crate) fn open_to_change(root: BorrowedFd<'_>, path: &[u8]) -> io::Result<OwnedFd> {
    open(root, path, OFlags::PATH)
}

fn open(root: BorrowedFd<'_>, path: &[u8], access: OFlags) -> io::Result<OwnedFd> {
    let flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if !IS_OLD.load(Ordering::Relaxed) {
        let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let name = if path.is_empty() { b"." } else { path };
        loop {
            match rustix::fs::openat2(root, name, flags, Mode::empty(), within) {
                // Something was renamed during the look-up.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::NOSYS) => break,
                done => return Ok(done?),
            }
        }
        IS_OLD.store(true, Ordering::Relaxed);
    }
    step_by_step(root, path, flags)
}

/// The same on a kernel without `openat2`: each part from the one before, none of them a symlink.
fn step_by_step(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
    let mut here = rustix::fs::openat(root, c".", flags, Mode::empty())?;
    for part in path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()) {
        if part == b".." {
            return Err(Errno::XDEV.into());
        }
        here = rustix::fs::openat(here.as_fd(), part, flags, Mode::empty())?;
    }
    Ok(here)
}

/// Of the name itself, never of what a symlink leads to.
pub(crate) fn look(directory: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<Stat> {
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
}

pub(crate) fn os(name: &[u8]) -> &OsStr {
    OsStr::from_bytes(name)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::os::unix::fs::symlink;

    use rustix::fs::OFlags;

    use super::{open, step_by_step};

    #[test]
    fn no_path_leads_through_a_symlink_or_out_of_the_root() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::create_dir(home.path().join("outside")).unwrap();
        symlink("../outside", root.join("out")).unwrap();
        symlink("a", root.join("alias")).unwrap();
        let root = std::fs::File::open(root).unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for (path, opens) in [
            ("", true),
            ("a/b", true),
            ("out", false),
            ("alias", false),
            ("alias/b", false),
            ("..", false),
            ("a/../..", false),
        ] {
            let quick = open(root.as_fd(), path.as_bytes(), OFlags::RDONLY);
            assert_eq!(quick.is_ok(), opens, "{path}: {quick:?}");
            let slow = step_by_step(root.as_fd(), path.as_bytes(), flags);
            assert_eq!(slow.is_ok(), opens, "{path}: {slow:?}");
        }
    }
}
