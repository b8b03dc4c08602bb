//! A project's directory, looked into with care: its files were written by others.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// No file that says how a project is built is larger.
const LONGEST: u64 = 1 << 20;
/// Entries of a directory that are looked at.
const MOST_ENTRIES: usize = 2_000;

pub(super) struct Dir {
    root: PathBuf,
}

impl Dir {
    pub(super) fn new(root: &Path) -> Dir {
        Dir { root: root.to_owned() }
    }

    /// Only a regular file is one: a pipe would be waited for.
    pub(super) fn has(&self, name: &str) -> bool {
        self.root.join(name).is_file()
    }

    pub(super) fn has_directory(&self, name: &str) -> bool {
        self.root.join(name).is_dir()
    }

    /// The first of these that is there.
    pub(super) fn first(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| self.has(name))
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        let path = self.root.join(name);
        if !path.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(super) fn toml(&self, name: &str) -> Option<toml::Table> {
        let text = self.text(name)?;
        // Nesting is bounded by the parser itself.
        text.parse().ok()
    }

    pub(super) fn json(&self, name: &str) -> Option<serde_json::Value> {
        serde_json::from_str(self.text(name)?.trim_start_matches('\u{feff}')).ok()
    }

    /// Whether a directory has a file whose name fits.
    pub(super) fn any(&self, directory: &str, fits: impl Fn(&str) -> bool) -> bool {
        let Ok(entries) = self.root.join(directory).read_dir() else { return false };
        entries.take(MOST_ENTRIES).flatten().any(|entry| entry.file_name().to_str().is_some_and(&fits))
    }
}
