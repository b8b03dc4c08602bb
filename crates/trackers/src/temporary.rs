//! The new contents of a file, beside it until they are whole.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Gid, Uid, fchown};

use crate::error::TrackerError;

/// What every such name begins with; behind it are the writer's process and a random number.
const PREFIX: &str = ralph_core::backlog::TEMPORARY;

/// Nobody takes longer to write one: what is older was left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(60);

/// How often a name is made that nobody has.
const TRIES: usize = 16;

/// Whether a file is one that ralph writes beside a backlog's before it replaces it. It is there for an instant, and no
/// part of anybody's work.
pub fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
}

/// A file beside the one that it is to replace; gone if it does not.
#[derive(Debug)]
pub(crate) struct Temporary(Option<PathBuf>);

impl Temporary {
    pub(crate) fn write(target: &Path, bytes: &[u8]) -> Result<Temporary, TrackerError> {
        let error = || TrackerError::io("write", target);
        sweep(directory(target));
        let (mut file, path) = new(directory(target)).map_err(error())?;
        let temporary = Temporary(Some(path));
        if let Ok(metadata) = fs::metadata(target) {
            // Who may not give a file away writes it as himself, which is what every editor does.
            let (owner, group) = (Uid::from_raw(metadata.uid()), Gid::from_raw(metadata.gid()));
            let _ = fchown(&file, Some(owner), Some(group)).or_else(|_| fchown(&file, None, Some(group)));
            let mode = fs::Permissions::from_mode(metadata.mode() & 0o7777);
            file.set_permissions(mode).map_err(error())?;
        }
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(error())?;
        Ok(temporary)
    }

    /// Takes the place of the target, at once.
    pub(crate) fn replace(mut self, target: &Path) -> Result<(), TrackerError> {
        let path = self.0.take().expect("it is replaced once");
        let replaced = fs::rename(&path, target);
        if replaced.is_err() {
            self.0 = Some(path);
        }
        replaced.map_err(TrackerError::io("write", target))?;
        sync(target)
    }

    /// Becomes the target where nothing is yet, also if somebody else was quicker.
    pub(crate) fn settle(self, target: &Path) -> Result<(), TrackerError> {
        let path = self.0.as_ref().expect("it is there until it is dropped");
        fs::hard_link(path, target).map_err(TrackerError::io("write", target))?;
        sync(target)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

fn directory(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn sync(target: &Path) -> Result<(), TrackerError> {
    let synced = File::open(directory(target)).and_then(|directory| directory.sync_all());
    synced.map_err(TrackerError::io("write", target))
}

/// A file that was not there before, and nobody's link.
fn new(directory: &Path) -> std::io::Result<(File, PathBuf)> {
    let mut tries = 0;
    loop {
        let random = RandomState::new().hash_one(tries);
        let path = directory.join(format!("{PREFIX}{}.{random:016x}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && tries < TRIES => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Removes what killed processes left behind. It is no matter if that fails.
fn sweep(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name())) {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
        if age.is_some_and(|age| age > LEFT_BEHIND) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    use super::{LEFT_BEHIND, Temporary, is_temporary};

    fn names(dir: &Path) -> Vec<PathBuf> {
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into()).collect()
    }

    #[test]
    fn two_writers_do_not_meet_and_both_are_recognised() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("a.md");
        let (one, other) =
            (Temporary::write(&target, b"1").unwrap(), Temporary::write(&target, b"2").unwrap());
        let both = names(dir.path());
        assert_eq!(both.len(), 2);
        assert!(both.iter().all(|name| is_temporary(name.as_os_str())), "{both:?}");
        one.replace(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"1", "the other one did not delete it");
        drop(other);
        assert_eq!(names(dir.path()), [Path::new("a.md")]);
        assert!(!is_temporary(std::ffi::OsStr::new("a.md")));
    }

    #[test]
    fn what_a_killed_writer_left_is_swept_and_what_is_being_written_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join(".ralph-tmp.1.old"), dir.path().join(".ralph-tmp.1.new"));
        for path in [&old, &new] {
            fs::write(path, "half").unwrap();
        }
        let long_ago = SystemTime::now() - LEFT_BEHIND - Duration::from_secs(1);
        fs::File::options().append(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        let target = dir.path().join("a.md");
        Temporary::write(&target, b"1").unwrap().replace(&target).unwrap();
        assert_eq!((old.exists(), new.exists()), (false, true));
    }
}
