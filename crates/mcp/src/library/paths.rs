//! Paths as agents name them, from the root or in full, and as notes and the graph name them.

use std::path::{Component, Path, PathBuf};

use super::Library;

impl Library {
    /// From the root of the project. A link is meant as itself, so nothing of it is followed.
    pub(super) fn below(&self, given: &str) -> Result<String, String> {
        let plain = plain(&self.root.join(given.trim()));
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let below = plain.strip_prefix(&self.root).or_else(|_| plain.strip_prefix(&root));
        below.map(|path| path.to_string_lossy().into_owned()).map_err(|_| {
            format!("there is no file {given} in the project; name files of it by their paths from its root")
        })
    }

    pub(super) fn all_below(&self, given: &[String]) -> Result<Vec<String>, String> {
        given.iter().map(|path| self.below(path)).collect()
    }

    /// What may be the name of a symbol as well: only what begins as a path from the root of the system is one for sure.
    pub(super) fn name_or_below(&self, given: &str) -> Result<String, String> {
        if Path::new(given.trim()).is_absolute() { self.below(given) } else { Ok(given.to_owned()) }
    }
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}
