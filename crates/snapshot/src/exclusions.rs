//! Paths that belong to the caller and not to the tree: neither kept nor restored nor deleted.

use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Files and whole directories, named from the root of the tree.
#[derive(Debug, Clone, Default)]
pub struct Exclusions {
    /// The names excluded in a directory, by that directory's path.
    by_parent: HashMap<Vec<u8>, HashSet<Vec<u8>>>,
    /// What names begin with that are left out of every directory.
    prefix: Option<Vec<u8>>,
}

#[derive(Debug, thiserror::Error)]
#[error("{path:?} is no path below the root of the tree; name it from there, without `..`", path = .0.display())]
pub struct NotBeneath(PathBuf);

impl Exclusions {
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Exclusions, NotBeneath> {
        let mut by_parent: HashMap<Vec<u8>, HashSet<Vec<u8>>> = HashMap::new();
        for path in paths {
            let parts = plain_parts(path.as_ref())?;
            let (name, parent) = parts.split_last().ok_or_else(|| NotBeneath(path.as_ref().to_owned()))?;
            by_parent.entry(parent.join(&b'/')).or_default().insert(name.to_vec());
        }
        Ok(Exclusions { by_parent, prefix: None })
    }

    /// Leaves out what has such a name as well, wherever it is.
    #[must_use]
    pub fn and_names_beginning_with(self, prefix: &str) -> Exclusions {
        Exclusions { prefix: Some(prefix.as_bytes().to_vec()), ..self }
    }

    /// Whether a name is left out wherever it is.
    pub(crate) fn has_name(&self, name: &[u8]) -> bool {
        self.prefix.as_ref().is_some_and(|prefix| name.starts_with(prefix))
    }

    /// The names that are left out of this directory.
    pub(crate) fn within(&self, directory: &[u8]) -> Option<&HashSet<Vec<u8>>> {
        self.by_parent.get(directory)
    }

    /// Whether the path or a directory above it is left out.
    pub(crate) fn covers(&self, path: &[u8]) -> bool {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        ends.chain([path.len()]).any(|end| {
            let (parent, name) = split(&path[..end]);
            self.has_name(name) || self.within(parent).is_some_and(|names| names.contains(name))
        })
    }
}

/// A path below the root as its parts, without `.`.
pub(crate) fn plain_parts(path: &Path) -> Result<Vec<&[u8]>, NotBeneath> {
    let parts = path.components().filter(|part| !matches!(part, Component::CurDir));
    let plain = |part| match part {
        Component::Normal(name) => Some(name.as_bytes()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    };
    parts.map(plain).collect::<Option<_>>().ok_or_else(|| NotBeneath(path.to_owned()))
}

/// The directory and the name of a path.
pub(crate) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

#[cfg(test)]
mod tests {
    use super::Exclusions;

    #[test]
    fn an_exclusion_covers_what_is_below_it_and_no_neighbour() {
        let exclusions = Exclusions::new(["./.ralph/logs/", "prd.json"]).unwrap();
        for (path, covered) in [
            (".ralph/logs", true),
            (".ralph/logs/1/a", true),
            (".ralph", false),
            (".ralph/logs2", false),
            ("prd.json", true),
            ("a/prd.json", false),
        ] {
            assert_eq!(exclusions.covers(path.as_bytes()), covered, "{path}");
        }
        let by_name = exclusions.and_names_beginning_with(".tmp.");
        for (path, covered) in [("a/.tmp.1", true), (".tmp.2", true), ("a.tmp.1", false), ("prd.json", true)]
        {
            assert_eq!(by_name.covers(path.as_bytes()), covered, "{path}");
        }
        assert!(Exclusions::new(["../a"]).is_err());
        assert!(Exclusions::new(["/a"]).is_err());
        assert!(Exclusions::new(["."]).is_err());
    }
}
