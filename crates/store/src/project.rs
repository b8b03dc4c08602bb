//! Where a project's lasting state is kept: outside its tree, because agents delete what they find in there.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::sqlite::io;

const PROJECTS: &str = "projects";
const GLOBAL: &str = "global";
const IDENTITY: &str = "project.json";
const KEY: usize = 16;

/// The directory for a project's state. Nothing is made.
pub fn project_dir(state_dir: &Path, root: &Path) -> Result<PathBuf, StoreError> {
    let root = root.canonicalize().map_err(|error| io(root, &error))?;
    let key = blake3::hash(root.as_os_str().as_bytes()).to_hex();
    Ok(state_dir.join(PROJECTS).join(&key[..KEY]))
}

/// The directory for what is remembered for all projects. Nothing is made.
pub fn global_dir(state_dir: &Path) -> PathBuf {
    state_dir.join(GLOBAL)
}

/// A project is not where, or not what, it was when it was last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectMoved {
    /// This very directory was elsewhere before; what it did there is kept in `state`.
    From { path: PathBuf, state: PathBuf },
    /// Another directory now stands at the same path; what is kept is the earlier one's.
    Replaced { path: PathBuf },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    format: u32,
    path: PathBuf,
    device: u64,
    inode: u64,
}

/// Makes the directory for a project's state, notes which project it is for, and says if that is a surprise.
/// It is said once: from then on the project is known as it is now.
pub fn settle(state_dir: &Path, root: &Path) -> Result<Option<ProjectMoved>, StoreError> {
    let dir = project_dir(state_dir, root)?;
    let now = Identity::of(root)?;
    let moved = match Identity::read(&dir) {
        Some(before) if before.is_same_directory(&now) => return Ok(None),
        Some(before) => Some(ProjectMoved::Replaced { path: before.path }),
        None => earlier_place(&state_dir.join(PROJECTS), &now),
    };
    now.write(&dir)?;
    Ok(moved)
}

/// Where this directory was known before, if it is not there any more.
fn earlier_place(projects: &Path, now: &Identity) -> Option<ProjectMoved> {
    let dirs = std::fs::read_dir(projects).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    dirs.filter_map(|dir| Some((Identity::read(&dir)?, dir)))
        .find(|(before, _)| before.is_same_directory(now) && before.path != now.path)
        .map(|(before, state)| ProjectMoved::From { path: before.path, state })
}

impl Identity {
    fn of(root: &Path) -> Result<Identity, StoreError> {
        let path = root.canonicalize().map_err(|error| io(root, &error))?;
        let found = std::fs::metadata(&path).map_err(|error| io(&path, &error))?;
        Ok(Identity { format: 1, path, device: found.dev(), inode: found.ino() })
    }

    fn is_same_directory(&self, other: &Identity) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// A note that cannot be read surprises nobody: it only serves to notice a move.
    fn read(dir: &Path) -> Option<Identity> {
        serde_json::from_slice(&std::fs::read(dir.join(IDENTITY)).ok()?).ok()
    }

    /// Whole or not at all: written beside and renamed.
    fn write(&self, dir: &Path) -> Result<(), StoreError> {
        let file = dir.join(IDENTITY);
        let draft = dir.join(format!("{IDENTITY}.{}", std::process::id()));
        let text = serde_json::to_vec(self).map_err(|error| io(&file, &error.into()))?;
        let written = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).and_then(|()| {
            let mut options = std::fs::OpenOptions::new();
            let mut out = options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
            std::io::Write::write_all(&mut out, &text)?;
            std::fs::rename(&draft, &file)
        });
        written.map_err(|error| io(&file, &error))
    }
}
