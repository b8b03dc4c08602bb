//! The names of two trees together.

use std::collections::HashMap;

use crate::digest::{Digest, TreeHash};
use crate::error::SnapshotError;
use crate::manifest::{Entry, Kind, push_line};
use crate::pack::Reader;
use crate::vault::Vault;

/// A tree with every name that one of two has, and the manifests of it that are new.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) tree: TreeHash,
    pub(crate) fresh: HashMap<Digest, Vec<u8>>,
}

impl Union {
    pub(crate) fn of(
        vault: &Vault,
        (one, other): (TreeHash, Option<TreeHash>),
        reader: &mut Reader<'_>,
    ) -> Result<Union, SnapshotError> {
        let mut union = Union { tree: one, fresh: HashMap::new() };
        if let Some(other) = other {
            union.tree = TreeHash(union.both(vault, one.0, other.0, reader)?);
        }
        Ok(union)
    }

    /// Only what differs is looked at.
    fn both(
        &mut self,
        vault: &Vault,
        one: Digest,
        other: Digest,
        reader: &mut Reader<'_>,
    ) -> Result<Digest, SnapshotError> {
        if one == other {
            return Ok(one);
        }
        let mut entries = vault.manifest(Some(one), reader)?;
        for theirs in vault.manifest(Some(other), reader)? {
            match entries.binary_search_by(|entry| entry.name.cmp(&theirs.name)) {
                Err(at) => entries.insert(at, theirs),
                Ok(at) => self.merge(vault, &mut entries[at], theirs, reader)?,
            }
        }
        let mut text = Vec::new();
        entries.iter().for_each(|entry| push_line(entry, &mut text));
        let digest = Digest::of(&text);
        if !reader.has(digest) {
            self.fresh.insert(digest, text);
        }
        Ok(digest)
    }

    /// What one of them has as a directory has more names than what the other has as a file.
    fn merge(
        &mut self,
        vault: &Vault,
        ours: &mut Entry,
        theirs: Entry,
        reader: &mut Reader<'_>,
    ) -> Result<(), SnapshotError> {
        match (ours.kind, theirs.kind) {
            (Kind::Directory, Kind::Directory) => {
                ours.digest = self.both(vault, ours.digest, theirs.digest, reader)?;
            }
            (_, Kind::Directory) => *ours = theirs,
            (_, Kind::File | Kind::Link | Kind::Pipe) => {}
        }
        Ok(())
    }
}
