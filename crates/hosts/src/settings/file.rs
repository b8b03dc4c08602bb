//! A settings file on disk: read as text, written whole, with its mode, its owner and the link that leads to it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use super::tree::BadSettings;
use crate::installed::{InstallError, failed};

/// A file as it was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// What a link leads to, where there is one.
    path: PathBuf,
    is_linked: bool,
    mode: u32,
    owner: (u32, u32),
    pub(crate) text: String,
}

impl Found {
    /// Whoever took away every right to write meant it.
    pub(crate) fn is_writable(&self) -> Result<(), InstallError> {
        match self.mode & 0o222 {
            0 => Err(InstallError::ReadOnly { path: self.path.clone() }),
            _ => Ok(()),
        }
    }
}

/// None where there is nothing.
pub(crate) fn read_file(path: &Path) -> Result<Option<Found>, InstallError> {
    let is_linked = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("look at", path)(error)),
        Ok(about) => about.is_symlink(),
    };
    let real = std::fs::canonicalize(path).map_err(failed("follow", path))?;
    let about = std::fs::metadata(&real).map_err(failed("look at", path))?;
    if !about.is_file() {
        return Err(InstallError::Foreign { path: path.to_owned() });
    }
    let bytes = std::fs::read(&real).map_err(failed("read", path))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let bad = BadSettings { line, what: "it is not text in UTF-8".to_owned() };
        InstallError::Settings { path: path.to_owned(), bad }
    })?;
    let (mode, owner) = (about.permissions().mode(), (about.uid(), about.gid()));
    Ok(Some(Found { path: real, is_linked, mode, owner, text }))
}

/// All of it or nothing.
pub(crate) fn write_file(path: &Path, found: Option<&Found>, text: &str) -> Result<(), InstallError> {
    let path = found.map_or(path, |found| found.path.as_path());
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder).map_err(failed("make", folder))?;
    let draft = path.with_extension(format!("{}.ralph-draft", std::process::id()));
    let write = || {
        // What is in settings may be secret, and a draft is a file like any other.
        let mode = if found.is_some() { 0o600 } else { 0o666 };
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&draft)?;
        file.write_all(text.as_bytes())?;
        drop(file);
        if let Some(found) = found {
            let (user, group) = found.owner;
            // Only root can give a file away, and only then can it be another's.
            let _is_ours_already = chown(&draft, Some(user), Some(group));
            std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(found.mode))?;
        }
        std::fs::rename(&draft, path)
    };
    write().map_err(|error| {
        let _not_there_either = std::fs::remove_file(&draft);
        failed("write", path)(error)
    })
}

/// Whoever put a link in its place keeps link and file, with nothing in it.
pub(crate) fn remove_file(path: &Path, found: &Found) -> Result<(), InstallError> {
    if found.is_linked {
        return write_file(path, Some(found), "{}\n");
    }
    std::fs::remove_file(path).map_err(failed("remove", path))
}
