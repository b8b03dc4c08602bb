//! One run per tree: a kernel lock on the project's directory itself.
//!
//! The lock lives as long as ralph or its guard does and needs no cleaning up. It is on the directory and not on a
//! file of ours, so that it holds for every path and every state directory that lead to the same tree. A small file
//! beside the database says whose it is, for people; it is never taken for the lock.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use nix::fcntl::{Flock, FlockArg};
use ralph_core::id::RunId;
use serde::{Deserialize, Serialize};

/// A command that settles a dead run has the tree for a moment; whoever still has it after this drives a run.
const MOMENT: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub struct TreeLock {
    held: Flock<File>,
    owner: PathBuf,
}

/// Who holds a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub run: RunId,
    pub pid: u32,
    /// With the pid this names one process for ever, even after the pid is used again.
    pub process_start: u64,
    /// And with this one, also after a restart of the machine.
    pub boot: String,
    pub since: Timestamp,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("this directory is in use by {}", .0.as_ref().map_or("another ralph".to_owned(), |o| format!("run {} (pid {}, since {})", o.run, o.pid, o.since)))]
    Held(Option<Owner>),
    #[error("cannot lock {path}")]
    Io { path: PathBuf, source: io::Error },
}

impl TreeLock {
    /// Takes the lock or says at once who has it.
    pub fn acquire(root: &Path, owner_file: &Path, run: &RunId) -> Result<TreeLock, LockError> {
        let io = |source| LockError::Io { path: root.to_owned(), source };
        let dir = File::open(root).map_err(io)?;
        match Flock::lock(dir, FlockArg::LockExclusiveNonblock) {
            Ok(held) => {
                write_owner(owner_file, run)
                    .map_err(|source| LockError::Io { path: owner_file.to_owned(), source })?;
                Ok(TreeLock { held, owner: owner_file.to_owned() })
            }
            Err((_, nix::errno::Errno::EWOULDBLOCK)) => Err(LockError::Held(find_owner(owner_file))),
            Err((_, errno)) => Err(io(errno.into())),
        }
    }

    /// As `acquire`, but gives a dead owner's guard time to end its processes, and a living one a moment to let go.
    pub fn acquire_within(
        patience: Duration,
        root: &Path,
        owner_file: &Path,
        run: &RunId,
    ) -> Result<TreeLock, LockError> {
        let begun = Instant::now();
        loop {
            match TreeLock::acquire(root, owner_file, run) {
                Err(LockError::Held(owner)) if begun.elapsed() < patience => {
                    if owner.as_ref().is_some_and(Owner::is_alive) && begun.elapsed() >= MOMENT {
                        return Err(LockError::Held(owner));
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
                settled => return settled,
            }
        }
    }

    /// A second handle on the same lock, for a guard to inherit.
    pub fn share(&self) -> io::Result<OwnedFd> {
        Ok(self.held.try_clone()?.into())
    }
}

impl Drop for TreeLock {
    fn drop(&mut self) {
        // The name of an owner that is gone helps nobody; the next one writes its own.
        let _already_gone = std::fs::remove_file(&self.owner);
    }
}

impl Owner {
    pub fn is_alive(&self) -> bool {
        self.boot == boot_id() && crate::custody::process_start(self.pid) == Some(self.process_start)
    }
}

/// The live owner of a tree. Only reads: trying the lock here could make a starting run believe it is taken.
pub fn owner(owner_file: &Path) -> Option<Owner> {
    read_owner(owner_file).filter(Owner::is_alive)
}

fn read_owner(owner_file: &Path) -> Option<Owner> {
    serde_json::from_slice(&std::fs::read(owner_file).ok()?).ok()
}

/// The owner's file may still be the last owner's, or not be there yet: the winner writes it right after it has
/// the lock. A short look is enough to name the living one.
fn find_owner(owner_file: &Path) -> Option<Owner> {
    let give_up = Instant::now() + Duration::from_secs(2);
    loop {
        match read_owner(owner_file) {
            Some(owner) if owner.is_alive() => return Some(owner),
            other if Instant::now() >= give_up => return other,
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

fn write_owner(path: &Path, run: &RunId) -> io::Result<()> {
    let pid = std::process::id();
    let process_start = crate::custody::process_start(pid).unwrap_or_default();
    let owner = Owner { run: run.clone(), pid, process_start, boot: boot_id(), since: Timestamp::now() };
    let temporary = path.with_extension(format!("{pid}.tmp"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
    file.write_all(&serde_json::to_vec(&owner)?)?;
    std::fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::{LockError, MOMENT, TreeLock};
    use jiff::Timestamp;
    use ralph_core::id::RunId;
    use std::time::{Duration, Instant};

    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn whoever_has_the_tree_for_a_moment_is_waited_for_and_no_longer() {
        let dir = tempfile::tempdir().expect("a directory");
        let owner = dir.path().join("owner.json");
        let run = RunId::new(Timestamp::now(), 7);
        let take = || TreeLock::acquire_within(PATIENCE, dir.path(), &owner, &run);
        let settling = take().expect("nobody has it");
        let lets_go = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            drop(settling);
        });
        let held = take().expect("it was let go of");
        lets_go.join().expect("no panic");

        let begun = Instant::now();
        let refused = take().expect_err("it is held");
        let pid = std::process::id();
        assert!(matches!(refused, LockError::Held(Some(owner)) if owner.pid == pid));
        assert!(begun.elapsed() >= MOMENT && begun.elapsed() < PATIENCE / 2, "{:?}", begun.elapsed());
        drop(held);
    }
}
