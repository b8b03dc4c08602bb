//! Files that ralph puts into a host's configuration: written whole, known again by a line of their own, which also tells
//! whether somebody has changed them since, and taken out without a trace.

use std::io;
use std::path::{Path, PathBuf};

use crate::settings::BadSettings;

/// A file that has this in it is ralph's.
pub(crate) const MARK: &str = "installed by `ralph install";
/// What stands in for the seal until it is known.
pub(crate) const SEAL: &str = "content __SEAL__";
const SEALED: &str = "content ";
/// How many letters of the sum of a file's text make its seal.
const LETTERS: usize = 32;

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("{} is there already and is not ralph's", .path.display())]
    Foreign { path: PathBuf },
    #[error("{} was changed by somebody since ralph wrote it", .path.display())]
    Edited { path: PathBuf },
    #[error("{}, {bad}", .path.display())]
    Settings { path: PathBuf, bad: BadSettings },
    #[error("{} is read-only", .path.display())]
    ReadOnly { path: PathBuf },
    #[error("cannot {what} {}", .path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
}

/// What becomes of a file of ralph's that somebody changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    Keep,
    Replace,
}

/// What an installation did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    pub written: Vec<PathBuf>,
    /// They were as they should be.
    pub unchanged: Vec<PathBuf>,
    /// What an earlier version had written, and has no use any more.
    pub removed: Vec<PathBuf>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    pub removed: Vec<PathBuf>,
}

pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The text with its seal: the sum of everything else.
pub(crate) fn sealed(text: &str) -> String {
    text.replacen(SEAL, &format!("{SEALED}{}", sum(text)), 1)
}

fn sum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..LETTERS].to_owned()
}

/// Whether it is as ralph wrote it, whichever version of ralph.
fn is_whole(text: &str) -> bool {
    let is_seal = |letters: &&str| letters.len() == LETTERS && letters.bytes().all(|b| b.is_ascii_hexdigit());
    let seals =
        text.match_indices(SEALED).filter_map(|(at, _)| text.get(at + SEALED.len()..)?.get(..LETTERS));
    let Some(seal) = seals.into_iter().find(is_seal) else { return false };
    let unsealed = text.replacen(&format!("{SEALED}{seal}"), SEAL, 1);
    sum(&unsealed) == seal
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
pub(crate) fn write(files: &[File], edited: Edited) -> Result<Installed, InstallError> {
    let mut done = Installed::default();
    let mut due = Vec::new();
    for file in files {
        match present(&file.path)? {
            Some(text) if text == file.text => done.unchanged.push(file.path.clone()),
            Some(text) if !text.contains(MARK) => {
                return Err(InstallError::Foreign { path: file.path.clone() });
            }
            Some(text) if edited == Edited::Keep && !is_whole(&text) => {
                return Err(InstallError::Edited { path: file.path.clone() });
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

/// Removes what is ralph's of these files; first it is made sure that nobody's work is among it.
pub(crate) fn remove(paths: &[PathBuf], edited: Edited) -> Result<Removed, InstallError> {
    let ours = removable(paths, edited)?;
    remove_files(&ours)?;
    Ok(Removed { removed: ours })
}

/// What is ralph's of these files. An error if somebody's work is among it.
pub(crate) fn removable(paths: &[PathBuf], edited: Edited) -> Result<Vec<PathBuf>, InstallError> {
    let mut ours = Vec::new();
    for path in paths {
        match present(path) {
            Ok(Some(text)) if !text.contains(MARK) => {}
            Ok(Some(text)) if edited == Edited::Keep && !is_whole(&text) => {
                return Err(InstallError::Edited { path: path.clone() });
            }
            Ok(Some(_)) => ours.push(path.clone()),
            Ok(None) | Err(_) => {}
        }
    }
    Ok(ours)
}

pub(crate) fn remove_files(paths: &[PathBuf]) -> Result<(), InstallError> {
    paths.iter().try_for_each(|path| std::fs::remove_file(path).map_err(failed("remove", path)))
}
