//! The predecessor's files: read whole or not at all, of a bounded size, and never from outside of where they belong.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::fault::Fault;

/// As much as is read of a file that people write.
pub(crate) const WRITTEN: u64 = 1 << 20;
/// As much as is read of a file that a program has filled.
pub(crate) const FILLED: u64 = 16 << 20;

/// How many files of a folder are looked at.
const MOST_FILES: usize = 1_000;

/// The text of a file below `root`; none if there is no file. A link may lead to another place below it, and nowhere else.
pub(crate) fn text(root: &Path, path: &Path, most: u64) -> Result<Option<String>, Fault> {
    let unreadable =
        |why: String| Fault::new(path, format!("cannot read this file: {why}"), "mend it, or move it away");
    let real = match path.canonicalize() {
        Ok(real) => real,
        // A link that leads nowhere is something, and not nothing.
        Err(error) if is_absent(&error) && path.symlink_metadata().is_err() => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let root = root.canonicalize().map_err(|error| unreadable(error.to_string()))?;
    if !real.starts_with(&root) {
        let what = format!("this file is a link that leads out of {}", root.display());
        return Err(Fault::new(path, what, "put the file itself there, or move the link away"));
    }
    read(&real, most).map(Some).map_err(unreadable)
}

/// The text of a file that was named, wherever it is; none if there is no file.
pub(crate) fn named(path: &Path) -> Result<Option<String>, Fault> {
    match path.metadata() {
        Err(error) if is_absent(&error) => Ok(None),
        _ => read(path, WRITTEN).map(Some).map_err(|why| {
            Fault::new(path, format!("cannot read this file: {why}"), "mend it, or name another")
        }),
    }
}

fn read(path: &Path, most: u64) -> Result<String, String> {
    // A pipe would never end, and to open one would wait for its other end.
    if !path.metadata().map_err(|error| error.to_string())?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {most} bytes"));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("its byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1))
}

/// The files of a folder by name, in order; none where there is no such folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let unreadable = |why: String| {
        Fault::new(folder, format!("cannot look into this folder: {why}"), "mend it, or move it away")
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let mut found = Vec::new();
    for entry in entries {
        if found.len() == MOST_FILES {
            return Err(unreadable(format!("it has more than {MOST_FILES} files")));
        }
        found.push(entry.map_err(|error| unreadable(error.to_string()))?.path());
    }
    found.sort();
    Ok(found)
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::{WRITTEN, files, text};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_is_read_from_outside_nor_without_end_nor_in_part() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(dir.path().join("secret"), "x").unwrap();
        fs::write(root.join("sub/own"), "mine").unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink("sub/own", root.join("in")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        fs::write(root.join("huge"), vec![b'x'; 1 + usize::try_from(WRITTEN).unwrap()]).unwrap();
        fs::write(root.join("binary"), [b'a', 0xff]).unwrap();
        let read = |name: &str| text(&root, &root.join(name), WRITTEN).map_err(|fault| fault.what);
        assert_eq!(read("in").unwrap().as_deref(), Some("mine"));
        assert_eq!(read("absent"), Ok(None));
        for (name, what) in [
            ("out", "leads out of"),
            ("dangling", "cannot read"),
            ("huge", "more than"),
            ("binary", "byte 2 is not UTF-8"),
            ("sub", "not a file"),
        ] {
            let said = read(name).unwrap_err();
            assert!(said.contains(what), "{name}: {said}");
        }
        assert_eq!(files(&root.join("sub")).unwrap(), [root.join("sub/own")]);
        assert!(files(&root.join("none")).unwrap().is_empty());
    }
}
