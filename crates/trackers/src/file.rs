//! The file that a backlog is kept in: read whole and bounded, edited by ranges of bytes, replaced at once.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::ops::Range;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Spot, TrackerError};

/// The largest file that is read.
pub(crate) const MOST: u64 = 64 << 20;

/// How often a file that another program has just changed is edited anew.
const TRIES: usize = 8;

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

/// Reads the file as it is now, asks what to change, and puts the changed one in its place. Whatever fails, the file is
/// as it was. No edits: nothing is written.
pub(crate) fn edit(
    path: &Path,
    edits: impl Fn(&[u8]) -> Result<Vec<Edit>, TrackerError>,
) -> Result<Wrote, TrackerError> {
    // Somebody's link stays one: what it points at is what is changed.
    let target = fs::canonicalize(path).map_err(TrackerError::io("read", path))?;
    for _ in 0..TRIES {
        let before = read(&target)?;
        let edits = edits(&before)?;
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
    match (overwrite, &temporary.0) {
        // A link is made only where nothing is, also if somebody else was quicker.
        (Overwrite::Never, Some(new)) => fs::hard_link(new, path).map_err(TrackerError::io("write", path)),
        (Overwrite::Never | Overwrite::Allowed, _) => temporary.replace(path),
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

/// A file beside the one that it is to replace; gone if it does not.
struct Temporary(Option<PathBuf>);

impl Temporary {
    fn write(target: &Path, bytes: &[u8]) -> Result<Temporary, TrackerError> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = target.with_file_name(format!(".{name}.ralph-{}", std::process::id()));
        let error = || TrackerError::io("write", target);
        // What a killed process of the same number left behind.
        let _ = fs::remove_file(&path);
        let created = OpenOptions::new().write(true).create_new(true).open(&path);
        let mut file = created.map_err(error())?;
        let temporary = Temporary(Some(path));
        if let Ok(metadata) = fs::metadata(target) {
            let mode = fs::Permissions::from_mode(metadata.mode() & 0o7777);
            file.set_permissions(mode).map_err(error())?;
        }
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(error())?;
        Ok(temporary)
    }

    fn replace(mut self, target: &Path) -> Result<(), TrackerError> {
        let path = self.0.take().expect("it is replaced once");
        let replaced = fs::rename(&path, target);
        if replaced.is_err() {
            self.0 = Some(path);
        }
        replaced.map_err(TrackerError::io("write", target))?;
        let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
        let synced =
            File::open(directory.unwrap_or(Path::new("."))).and_then(|directory| directory.sync_all());
        synced.map_err(TrackerError::io("write", target))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::{Edit, Wrote, edit};
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
