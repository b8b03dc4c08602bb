//! The file that a backlog is kept in: read whole and bounded, edited by ranges of bytes, replaced at once.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::{Spot, TrackerError};
use crate::temporary::Temporary;

/// The largest file that is read.
pub(crate) const MOST: u64 = 64 << 20;

/// How often a file that another program has just changed is edited anew.
const TRIES: usize = 8;

/// How long to wait before a file that makes no sense is read again: most programs empty a file before they write it.
const PAUSE: Duration = Duration::from_millis(100);

/// A file that nobody has written to for so long is not being written.
const AT_REST: Duration = Duration::from_secs(2);

const BOM: &[u8] = b"\xef\xbb\xbf";

/// A piece of a file and what comes in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// The bytes of a file, if they are not too many.
pub fn read(path: &Path) -> Result<Vec<u8>, TrackerError> {
    // A pipe must not make anybody wait for its other end.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(nonblocking).open(path);
    let file = opened.map_err(TrackerError::io("read", path))?;
    let metadata = file.metadata().map_err(TrackerError::io("read", path))?;
    if !metadata.is_file() {
        return Err(TrackerError::NoFile { path: path.to_owned() });
    }
    let too_large = |size| TrackerError::TooLarge { path: path.to_owned(), size, most: MOST };
    if metadata.len() > MOST {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(TrackerError::io("read", path))?;
    if bytes.len() as u64 > MOST {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// The text of a file's bytes, which is what comes behind the mark of its encoding, and where it begins.
pub(crate) fn text<'a>(path: &Path, bytes: &'a [u8]) -> Result<(&'a str, usize), TrackerError> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(TrackerError::malformed(path, None, "this is UTF-16", "save it as UTF-8"));
    }
    let begin = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    let text = std::str::from_utf8(&bytes[begin..]).map_err(|error| {
        let spot = Spot::of(bytes, begin + error.valid_up_to());
        TrackerError::malformed(path, spot, "this is not UTF-8", "save it as UTF-8")
    })?;
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        let spot = Spot::of(bytes, begin + at);
        return Err(TrackerError::malformed(path, spot, "a NUL byte is no text", "take it out"));
    }
    Ok((text, begin))
}

/// Whether what was read of a file is all there is to it.
#[derive(Debug)]
pub(crate) enum Sense<T> {
    Made(T),
    /// It may be in the middle of being written: empty, most likely.
    Doubtful(T),
}

/// Reads the file and makes sense of it. What makes none, or is doubtful, may be what another program has just begun to
/// write: it is read again, and counts only if it stays the same.
pub(crate) fn understood<T>(
    path: &Path,
    understand: impl Fn(&[u8]) -> Result<Sense<T>, TrackerError>,
) -> Result<(Vec<u8>, T), TrackerError> {
    let mut bytes = read(path)?;
    for _ in 0..TRIES {
        let sense = match understand(&bytes) {
            Ok(Sense::Made(sense)) => return Ok((bytes, sense)),
            Ok(Sense::Doubtful(sense)) => Ok(sense),
            Err(error @ TrackerError::Malformed { .. }) => Err(error),
            Err(error) => return Err(error),
        };
        if is_at_rest(path) {
            return sense.map(|sense| (bytes, sense));
        }
        std::thread::sleep(PAUSE);
        let again = read(path)?;
        if again == bytes {
            return sense.map(|sense| (bytes, sense));
        }
        bytes = again;
    }
    Err(TrackerError::Contended { path: path.to_owned() })
}

fn is_at_rest(path: &Path) -> bool {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
    age.is_some_and(|age| age > AT_REST)
}

/// The file, and what it is a link to, if it is one.
pub(crate) fn and_target(path: &Path) -> Vec<PathBuf> {
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    let target = if is_link { fs::canonicalize(path).ok() } else { None };
    std::iter::once(path.to_owned()).chain(target).collect()
}

/// Reads the file as it is now, asks what to change, and puts the changed one in its place. Whatever fails, the file is
/// as it was. No edits: nothing is written.
pub(crate) fn edit(
    path: &Path,
    edits: impl Fn(&[u8]) -> Result<Vec<Edit>, TrackerError>,
) -> Result<Wrote, TrackerError> {
    // Somebody's link stays one: what it points at is what is changed.
    let target = fs::canonicalize(path).map_err(TrackerError::io("read", path))?;
    for _ in 0..TRIES {
        let (before, edits) = understood(&target, |bytes| edits(bytes).map(Sense::Made))?;
        if edits.is_empty() {
            return Ok(Wrote::Nothing);
        }
        let after = apply(&before, edits);
        if after == before {
            return Ok(Wrote::Nothing);
        }
        let temporary = Temporary::write(&target, &after)?;
        // Between reading and replacing, another program may have had its say: it must not be lost.
        if read(&target)? == before {
            temporary.replace(&target)?;
            return Ok(Wrote::Changes);
        }
    }
    Err(TrackerError::Contended { path: path.to_owned() })
}

/// Whether a file may be written over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    Never,
    Allowed,
}

/// Writes a new file, whole or not at all.
pub fn create(path: &Path, text: &str, overwrite: Overwrite) -> Result<(), TrackerError> {
    let temporary = Temporary::write(path, text.as_bytes())?;
    match overwrite {
        Overwrite::Never => temporary.settle(path),
        Overwrite::Allowed => temporary.replace(path),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrote {
    Changes,
    Nothing,
}

/// Edits do not overlap.
fn apply(bytes: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let grown: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + grown);
    let mut done = 0;
    for Edit { range, text } in edits {
        out.extend_from_slice(&bytes[done..range.start]);
        out.extend_from_slice(text.as_bytes());
        done = range.end;
    }
    out.extend_from_slice(&bytes[done..]);
    out
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;
    use std::time::{Duration, Instant, SystemTime};

    use super::{Edit, PAUSE, Sense, Wrote, edit, understood};
    use crate::error::TrackerError;

    fn to_x(range: std::ops::Range<usize>) -> Vec<Edit> {
        vec![Edit { range, text: "X".to_owned() }]
    }

    #[test]
    fn an_edit_keeps_mode_and_link_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("real")).unwrap();
        let (real, link) = (dir.path().join("real/a.md"), dir.path().join("a.md"));
        fs::write(&real, "abc").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("real/a.md", &link).unwrap();
        assert_eq!(edit(&link, |_| Ok(to_x(1..2))), Ok(Wrote::Changes));
        assert_eq!(fs::read_to_string(&real).unwrap(), "aXc");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(dir.path().join("real")).unwrap().count(), 1);
    }

    #[test]
    fn what_another_program_wrote_in_between_is_not_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        fs::write(&path, "abc").unwrap();
        let round = Cell::new(0);
        let wrote = edit(&path, |bytes| {
            round.set(round.get() + 1);
            if round.get() == 1 {
                fs::write(&path, "abc and more").unwrap();
            } else {
                assert_eq!(bytes, b"abc and more");
            }
            Ok(to_x(0..1))
        });
        assert_eq!((wrote, round.get()), (Ok(Wrote::Changes), 2));
        assert_eq!(fs::read_to_string(&path).unwrap(), "Xbc and more");
        // One that never rests is not fought.
        let restless = edit(&path, |bytes| {
            fs::write(&path, [bytes, b"+"].concat()).unwrap();
            Ok(to_x(1..2))
        });
        assert_eq!(restless, Err(TrackerError::Contended { path: path.clone() }));
        assert!(fs::read_to_string(&path).unwrap().starts_with("Xbc and more+"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    /// Understands nothing but `whole`, and finishes writing after it has looked so often.
    fn torn(path: &Path, first: &str, looks: usize) -> Result<usize, TrackerError> {
        fs::write(path, first).unwrap();
        let looked = Cell::new(0);
        let read = understood(path, |bytes| {
            looked.set(looked.get() + 1);
            let found = match bytes {
                b"" => Ok(Sense::Doubtful(())),
                b"whole" => Ok(Sense::Made(())),
                _ => Err(TrackerError::malformed(path, None, "torn", "wait")),
            };
            let more = if looked.get() < looks { "w".repeat(looked.get()) } else { "whole".to_owned() };
            fs::write(path, more).unwrap();
            found
        });
        read.map(|_| looked.get())
    }

    #[test]
    fn a_file_that_is_being_written_is_read_when_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        assert_eq!(torn(&path, "", 1), Ok(2), "emptied, then written");
        assert_eq!(torn(&path, "wh", 3), Ok(4), "written in pieces");
        assert_eq!(torn(&path, "", 100), Err(TrackerError::Contended { path: path.clone() }));
    }

    #[test]
    fn what_stays_wrong_is_told_and_at_once_if_nobody_writes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        fs::write(&path, "wrong").unwrap();
        let refused = |_: &[u8]| -> Result<Sense<()>, TrackerError> {
            Err(TrackerError::malformed(&path, None, "wrong", "correct it"))
        };
        let begun = Instant::now();
        assert!(matches!(understood(&path, refused), Err(TrackerError::Malformed { .. })));
        assert!(begun.elapsed() >= PAUSE, "it may have been torn");
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        fs::File::options().append(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        let begun = Instant::now();
        assert!(understood(&path, refused).is_err());
        assert!(begun.elapsed() < PAUSE, "nobody is writing it");
    }

    #[test]
    fn an_edit_keeps_the_owner() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        fs::write(&path, "abc").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
        // Only root can give a file away; for others the owner is themselves before and after.
        let _ = std::os::unix::fs::chown(&path, Some(65_534), Some(65_533));
        let owner = |path: &Path| fs::metadata(path).map(|one| (one.uid(), one.gid(), one.mode())).unwrap();
        let before = owner(&path);
        assert_eq!(edit(&path, |_| Ok(to_x(1..2))), Ok(Wrote::Changes));
        assert_eq!(owner(&path), before);
    }

    #[test]
    fn without_edits_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        fs::write(&path, "abc").unwrap();
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(edit(&path, |_| Ok(Vec::new())), Ok(Wrote::Nothing));
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
    }
}
