//! The directory in which the snapshots of one tree are kept, and who may work in it when.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use crate::digest::SnapshotId;
use crate::error::{Attempt, SnapshotError};
use crate::exclusions::Exclusions;
use crate::pack::{self, Indexes, Reader, TEMPORARY};
use crate::record::Record;
use crate::rules::Compiled;
use crate::take::Snapshot;

const MARK: &str = "snapshot-";
const LOCK: &str = "lock";

#[derive(Debug, Clone)]
pub struct Options {
    pub exclusions: Exclusions,
    /// A person's own file of patterns, which counts as it does for git.
    pub excludes_file: Option<PathBuf>,
    pub limits: Limits,
    /// How long to wait for another process that works in the vault.
    pub wait: Duration,
}

/// What a snapshot takes in at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A larger file is left alone and listed as uncovered.
    pub file: u64,
    /// A tree with more bytes than this that no snapshot has yet is refused.
    pub news: u64,
}

impl Default for Options {
    fn default() -> Options {
        let limits = Limits { file: 1 << 30, news: 20 << 30 };
        let exclusions = Exclusions::default();
        Options { exclusions, excludes_file: None, limits, wait: Duration::from_secs(120) }
    }
}

/// A snapshot that can be restored, and when the tree was last seen in that state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    pub id: SnapshotId,
    pub taken: SystemTime,
}

#[derive(Debug)]
pub struct Vault {
    pub(crate) directory: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) options: Options,
    pub(crate) indexes: Indexes,
    pub(crate) compiled: Compiled,
    is_given_up: AtomicBool,
}

impl Vault {
    /// Whatever is under way, and all that is asked of this vault from now on, ends as soon as it can without harm:
    /// nothing is waited for, and no tree is walked to its end. A restore that has begun to change files goes on.
    pub fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    pub(crate) fn go_on(&self) -> Result<(), SnapshotError> {
        match self.is_given_up.load(Ordering::Relaxed) {
            true => Err(SnapshotError::GivenUp { vault: self.directory.clone() }),
            false => Ok(()),
        }
    }

    /// Opens the vault of the tree at `root`, and makes it where there is none.
    pub fn open(directory: &Path, root: &Path, options: Options) -> Result<Vault, SnapshotError> {
        let root = root.canonicalize().attempt("find the tree", root)?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.attempt("make a place for snapshots at", directory)?;
        let directory = directory.canonicalize().attempt("find", directory)?;
        if directory.starts_with(&root) {
            return Err(SnapshotError::Inside { vault: directory, root });
        }
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(&directory, private).attempt("make private", &directory)?;
        let indexes = Indexes::new(&directory);
        let compiled = Compiled::default();
        let is_given_up = AtomicBool::new(false);
        let vault = Vault { directory, root, options, indexes, compiled, is_given_up };
        // Whoever holds the lock is alive, what is half-written is theirs, and they have seen to the recipe.
        if let Ok(_lock) = vault.lock_within(Duration::ZERO, Access::Alone) {
            vault.clear_leftovers()?;
            vault.write_recipe()?;
        }
        Ok(vault)
    }

    /// The snapshots that there are, the latest first.
    pub fn list(&self) -> Result<Vec<Kept>, SnapshotError> {
        let mut kept = Vec::new();
        for name in pack::names(&self.directory).attempt("list the snapshots at", &self.directory)? {
            let Some(id) = name.strip_prefix(MARK).and_then(|id| id.parse().ok()) else { continue };
            let path = self.directory.join(&name);
            match path.metadata().and_then(|meta| meta.modified()) {
                Ok(taken) => kept.push(Kept { id, taken }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(SnapshotError::io("read", path, error)),
            }
        }
        kept.sort_by_key(|kept| (std::cmp::Reverse(kept.taken), kept.id));
        Ok(kept)
    }

    /// What a snapshot holds.
    pub fn find(&self, id: SnapshotId) -> Result<Snapshot, SnapshotError> {
        let _lock = self.lock(Access::Shared)?;
        let record = self.record(id, &mut self.reader()?)?;
        Ok(Snapshot::of_record(id, &record))
    }

    pub(crate) fn record(&self, id: SnapshotId, reader: &mut Reader<'_>) -> Result<Record, SnapshotError> {
        if !self.mark(id).exists() || !reader.has(id.0) {
            return Err(SnapshotError::Unknown { id, vault: self.directory.clone() });
        }
        let text = reader.read(id.0)?;
        Record::parse(&text).ok_or_else(|| self.damaged(format!("{id} is no snapshot")))
    }

    pub(crate) fn damaged(&self, what: String) -> SnapshotError {
        SnapshotError::Damaged { vault: self.directory.clone(), what }
    }

    pub(crate) fn reader(&self) -> Result<Reader<'_>, SnapshotError> {
        Reader::new(&self.directory, &self.indexes)
    }

    /// The empty file that says that a snapshot is whole; its time is when the tree was last in that state.
    pub(crate) fn mark(&self, id: SnapshotId) -> PathBuf {
        self.directory.join(format!("{MARK}{id}"))
    }

    pub(crate) fn cache_path(&self) -> PathBuf {
        self.directory.join("cache")
    }

    pub(crate) fn open_root(&self) -> Result<File, SnapshotError> {
        File::open(&self.root).attempt("open the tree", &self.root)
    }

    /// Makes the names in the vault durable.
    pub(crate) fn sync_directory(&self) -> Result<(), SnapshotError> {
        let synced = File::open(&self.directory).and_then(|directory| directory.sync_all());
        synced.attempt("make durable", &self.directory)
    }

    /// Writes a small file so that it is there whole or not at all, also after a power cut.
    pub(crate) fn write_durably(&self, name: &str, content: &[u8]) -> Result<(), SnapshotError> {
        let (temporary, path) =
            (self.directory.join(format!("{TEMPORARY}{name}")), self.directory.join(name));
        let written = write_private(&temporary, content).and_then(|file| file.sync_data());
        written.attempt("write", &temporary)?;
        std::fs::rename(&temporary, &path).attempt("write", &path)?;
        self.sync_directory()
    }

    pub(crate) fn clear_leftovers(&self) -> Result<(), SnapshotError> {
        let names = pack::names(&self.directory).attempt("list the snapshots at", &self.directory)?;
        let left =
            names.iter().filter(|name| name.starts_with(TEMPORARY)).map(|name| self.directory.join(name));
        let widowed = pack::widowed(&self.directory).attempt("list the snapshots at", &self.directory)?;
        for path in left.chain(widowed) {
            std::fs::remove_file(&path).attempt("remove", &path)?;
        }
        Ok(())
    }

    pub(crate) fn lock(&self, access: Access) -> Result<Lock, SnapshotError> {
        self.lock_within(self.options.wait, access)
    }

    fn lock_within(&self, wait: Duration, access: Access) -> Result<Lock, SnapshotError> {
        let path = self.directory.join(LOCK);
        let file =
            OpenOptions::new().create(true).append(true).mode(0o600).open(&path).attempt("open", &path)?;
        let begun = Instant::now();
        loop {
            self.go_on()?;
            let tried = match access {
                Access::Shared => file.try_lock_shared(),
                Access::Alone => file.try_lock(),
            };
            match tried {
                Ok(()) => return Ok(Lock(file)),
                Err(TryLockError::Error(error)) => return Err(SnapshotError::io("lock", path, error)),
                Err(TryLockError::WouldBlock) if begun.elapsed() < wait => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(SnapshotError::Busy {
                        vault: self.directory.clone(),
                        seconds: wait.as_secs(),
                    });
                }
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    /// To read what nobody may sweep away meanwhile.
    Shared,
    Alone,
}

/// The kernel lets go of it when the file is closed, however the process ends.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "it is held, not used")] File);

pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

pub(crate) fn write_private(path: &Path, content: &[u8]) -> io::Result<File> {
    let mut file = create_private(path)?;
    file.write_all(content)?;
    Ok(file)
}
