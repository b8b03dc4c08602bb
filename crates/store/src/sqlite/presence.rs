//! The database file on disk, as this process knows it.
//!
//! When a process closes any descriptor of a file, Linux drops every lock that the process holds on it. So the
//! file is never opened here, besides SQLite, while the same process has it open through SQLite.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::failure::io;
use super::peek;
use super::schema::Schema;
use crate::error::StoreError;

/// Device and inode.
type FileId = (u64, u64);

/// How many handles of this process have a file open. Shared, because the locks it stands for are the process's.
static OPEN: Mutex<BTreeMap<FileId, usize>> = Mutex::new(BTreeMap::new());

/// What to do when there is no file yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Create,
    Refuse,
}

#[derive(Debug)]
pub(super) struct Presence {
    path: PathBuf,
    file: FileId,
}

impl Presence {
    /// Makes sure that the file is there and is not a newer ralph's. To be called before SQLite opens it.
    pub(super) fn claim(path: &Path, missing: Missing, schema: &Schema) -> Result<Presence, StoreError> {
        let mut open = open_files();
        let file = match (identity(path), missing) {
            (Ok(file), _) => file,
            (Err(error), Missing::Create) if error.kind() == ErrorKind::NotFound => {
                create(path).and_then(|()| identity(path)).map_err(|error| io(path, &error))?
            }
            (Err(error), Missing::Refuse) if error.kind() == ErrorKind::NotFound => {
                return Err(StoreError::NoDatabase { path: path.to_owned() });
            }
            (Err(error), _) => return Err(io(path, &error)),
        };
        if !open.contains_key(&file) {
            schema.refuse_newer(path, peek::stamp(path).map_err(|error| io(path, &error))?)?;
        }
        *open.entry(file).or_insert(0) += 1;
        Ok(Presence { path: path.to_owned(), file })
    }

    /// Whether the path still leads to the file that is open. Writing to a deleted one succeeds on Linux.
    pub(super) fn still_there(&self) -> bool {
        identity(&self.path).is_ok_and(|file| file == self.file)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut open = open_files();
        if let Some(handles) = open.get_mut(&self.file) {
            *handles -= 1;
            if *handles == 0 {
                open.remove(&self.file);
            }
        }
    }
}

fn open_files() -> MutexGuard<'static, BTreeMap<FileId, usize>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn identity(path: &Path) -> std::io::Result<FileId> {
    std::fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

/// The prompts and outputs in it are nobody else's business.
fn create(path: &Path) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    std::fs::set_permissions(dir, Permissions::from_mode(0o700))?;
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    File::open(dir)?.sync_all()
}
