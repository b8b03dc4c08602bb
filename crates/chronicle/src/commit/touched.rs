//! Which paths belong together.

use std::collections::HashSet;

use super::status::Kind;

/// Paths, and every directory above them.
pub(super) struct Touched<'r> {
    pub(super) paths: HashSet<&'r [u8]>,
    pub(super) above: HashSet<&'r [u8]>,
}

impl<'r> Touched<'r> {
    pub(super) fn new(paths: impl Iterator<Item = &'r [u8]> + Clone) -> Touched<'r> {
        Touched { paths: paths.clone().collect(), above: paths.flat_map(above).collect() }
    }

    /// A submodule is one path for git; what changed is in it.
    pub(super) fn has(&self, path: &[u8], kind: Kind) -> bool {
        self.paths.contains(path) || kind == Kind::Submodule && self.above.contains(path)
    }
}

/// The directories that a path is in.
pub(super) fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at])
}
