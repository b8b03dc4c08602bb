//! What a restore is about to do, written down before it does it.

use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::PathBuf;

use super::raw;
use crate::beneath::os;
use crate::digest::SnapshotId;
use crate::error::{Attempt, SnapshotError};
use crate::escape::{escaped, unescaped};
use crate::vault::Vault;

pub(super) const NAME: &str = "restore";
/// The note of the last restore that changed anything, kept so that it can be undone.
const DONE: &str = "restored";
const FIRST: &str = "ralph restore 1";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Intent {
    pub(super) target: SnapshotId,
    pub(super) before: SnapshotId,
    /// Part of the name of every unfinished file.
    token: String,
    pub(super) paths: Vec<PathBuf>,
    /// Directories that were made writable, with the mode they had.
    pub(super) loosened: Vec<(Vec<u8>, u16)>,
}

impl Intent {
    pub(super) fn new(target: SnapshotId, before: SnapshotId, paths: Vec<PathBuf>) -> Intent {
        let token = format!("{:016x}", std::hash::RandomState::new().build_hasher().finish());
        Intent { target, before, token, paths, loosened: Vec::new() }
    }

    /// How the unfinished files of this restore begin.
    pub(crate) fn mark(&self) -> Vec<u8> {
        format!(".ralph-restore-{}-", self.token).into_bytes()
    }

    /// The snapshots without which it can be neither finished nor undone.
    pub(crate) fn needs(&self) -> [SnapshotId; 2] {
        [self.target, self.before]
    }

    pub(super) fn text(&self) -> String {
        let Intent { target, before, token, paths, loosened } = self;
        let mut text = format!("{FIRST}\ntarget {target}\nbefore {before}\ntoken {token}\n");
        for path in paths {
            text += &format!("path {}\n", escaped(raw(path)));
        }
        for (path, mode) in loosened {
            text += &format!("loosened {mode:04o} {}\n", escaped(path));
        }
        text
    }

    fn parse(text: &str) -> Option<Intent> {
        let mut lines = text.lines();
        if lines.next()? != FIRST {
            return None;
        }
        let mut said = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
        let (target, before) = (said("target")?.parse().ok()?, said("before")?.parse().ok()?);
        let token = said("token")?.to_owned();
        let mut intent = Intent { target, before, token, paths: Vec::new(), loosened: Vec::new() };
        for line in lines {
            if let Some(path) = line.strip_prefix("path ") {
                intent.paths.push(os(&unescaped(path.as_bytes())?).into());
            } else {
                let (mode, path) = line.strip_prefix("loosened ")?.split_once(' ')?;
                intent.loosened.push((unescaped(path.as_bytes())?, u16::from_str_radix(mode, 8).ok()?));
            }
        }
        Some(intent)
    }
}

impl Vault {
    pub(crate) fn intent(&self) -> Result<Option<Intent>, SnapshotError> {
        self.note(NAME)
    }

    /// The last restore that was finished.
    pub(crate) fn finished(&self) -> Result<Option<Intent>, SnapshotError> {
        self.note(DONE)
    }

    fn note(&self, name: &str) -> Result<Option<Intent>, SnapshotError> {
        let path = self.directory.join(name);
        match std::fs::read_to_string(&path) {
            Ok(text) => match Intent::parse(&text) {
                Some(intent) => Ok(Some(intent)),
                None => Err(self.damaged(format!("{} is no note of a restore; remove it", path.display()))),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).attempt("read", &path),
        }
    }

    /// The note of a restore becomes that of the last one.
    pub(super) fn close_intent(&self) -> Result<(), SnapshotError> {
        let path = self.directory.join(NAME);
        match std::fs::rename(&path, self.directory.join(DONE)) {
            Ok(()) => self.sync_directory(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error).attempt("rename", &path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Intent;
    use crate::digest::{Digest, SnapshotId};

    #[test]
    fn an_intent_is_read_back() {
        let id = |text: &[u8]| SnapshotId(Digest::of(text));
        let mut intent = Intent::new(id(b"a"), id(b"b"), vec!["a b\n".into(), "c".into()]);
        intent.loosened = vec![(b"d e".to_vec(), 0o7500)];
        assert_eq!(Intent::parse(&intent.text()), Some(intent));
        assert_eq!(Intent::parse("ralph restore 1\ntarget x\n"), None);
    }
}
