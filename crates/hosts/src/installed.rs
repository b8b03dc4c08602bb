//! Files that ralph puts into a host's configuration: written whole, known again by a line of their own, and taken out
//! without a trace.

use std::io;
use std::path::{Path, PathBuf};

use crate::settings::BadSettings;

/// A file that has this in it is ralph's.
pub(crate) const MARK: &str = "installed by `ralph install";

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("{} is there already and is not ralph's", .path.display())]
    Foreign { path: PathBuf },
    #[error("{}, {bad}", .path.display())]
    Settings { path: PathBuf, bad: BadSettings },
    #[error("{} is read-only", .path.display())]
    ReadOnly { path: PathBuf },
    #[error("cannot {what} {}", .path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
}

/// What an installation did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    pub written: Vec<PathBuf>,
    /// They were as they should be.
    pub unchanged: Vec<PathBuf>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    pub removed: Vec<PathBuf>,
}

pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

pub(crate) fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> InstallError {
    let path = path.to_owned();
    move |source| InstallError::Io { what, path, source }
}

/// Nothing where there is nothing. A link is not followed: what it leads to is not ralph's to write.
fn present(path: &Path) -> Result<Option<String>, InstallError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("look at", path)(error)),
        Ok(found) if !found.is_file() => Err(InstallError::Foreign { path: path.to_owned() }),
        Ok(_) => match std::fs::read(path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) => Err(failed("read", path)(error)),
        },
    }
}

/// Writes the files that are not as they should be; first it is made sure that none of them is somebody else's.
pub(crate) fn write(files: &[File]) -> Result<Installed, InstallError> {
    let mut done = Installed::default();
    let mut due = Vec::new();
    for file in files {
        match present(&file.path)? {
            Some(text) if text == file.text => done.unchanged.push(file.path.clone()),
            Some(text) if !text.contains(MARK) => {
                return Err(InstallError::Foreign { path: file.path.clone() });
            }
            Some(_) | None => due.push(file),
        }
    }
    for file in due {
        let folder = file.path.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder).map_err(failed("make", folder))?;
        let draft = file.path.with_extension(format!("{}.ralph-draft", std::process::id()));
        let written = std::fs::write(&draft, &file.text).and_then(|()| std::fs::rename(&draft, &file.path));
        if let Err(error) = written {
            let _not_there_either = std::fs::remove_file(&draft);
            return Err(failed("write", &file.path)(error));
        }
        done.written.push(file.path.clone());
    }
    Ok(done)
}

/// Removes what is ralph's of these files.
pub(crate) fn remove(paths: &[PathBuf]) -> Result<Removed, InstallError> {
    let mut done = Removed::default();
    for path in paths {
        let is_ours = matches!(present(path), Ok(Some(text)) if text.contains(MARK));
        if is_ours {
            std::fs::remove_file(path).map_err(failed("remove", path))?;
            done.removed.push(path.clone());
        }
    }
    Ok(done)
}
