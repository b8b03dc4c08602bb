//! What the rules of a snapshot ignore, read from the snapshot itself.

use std::collections::HashMap;
use std::sync::Arc;

use crate::digest::Digest;
use crate::error::SnapshotError;
use crate::exclusions::split;
use crate::manifest::Kind;
use crate::outer::Outer;
use crate::pack::Reader;
use crate::record::Record;
use crate::rules::{self, Rules};
use crate::vault::Vault;

/// The rules in force in one directory.
#[derive(Debug, Clone)]
enum Scope {
    /// A directory above, or this one, is ignored.
    Ignored,
    /// Inside the `.git` of a nested repository.
    Free,
    Ruled {
        rules: Option<Arc<Rules>>,
        manifest: Option<Digest>,
    },
}

pub(super) struct TargetRules<'v, 'r> {
    vault: &'v Vault,
    reader: &'r mut Reader<'v>,
    scopes: HashMap<Vec<u8>, Scope>,
    /// The names in the directories of the tree that the snapshot covers besides.
    covered: HashMap<Vec<u8>, Names>,
}

/// With the manifests of those that are directories.
type Names = HashMap<Box<[u8]>, Option<Digest>>;

impl<'v, 'r> TargetRules<'v, 'r> {
    pub(super) fn new(
        vault: &'v Vault,
        record: &Record,
        reader: &'r mut Reader<'v>,
    ) -> Result<TargetRules<'v, 'r>, SnapshotError> {
        let outer = match record.exclude {
            Some(digest) => Outer::parse(reader.read(digest)?).rules(&vault.compiled),
            None => None,
        };
        let mut target = TargetRules { vault, reader, scopes: HashMap::new(), covered: HashMap::new() };
        if let Some(tree) = record.covers {
            target.learn(b"", Some(tree.0))?;
        }
        let top = target.ruled(outer, b"", Some(record.tree.0))?;
        target.scopes.insert(Vec::new(), top);
        Ok(target)
    }

    pub(super) fn ignore(&mut self, path: &[u8], is_directory: bool) -> Result<bool, SnapshotError> {
        let (parent, name) = split(path);
        Ok(match self.scope(parent)? {
            Scope::Ignored => true,
            Scope::Free => false,
            Scope::Ruled { rules, .. } => {
                name != b".git" && Rules::ignore(rules.as_ref(), path, is_directory)
            }
        })
    }

    /// Whether the snapshot was taken with an eye on this path, so that it was not there if the snapshot lacks it.
    pub(super) fn covers(&mut self, path: &[u8]) -> Result<bool, SnapshotError> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in ends {
            if !self.covered.contains_key(&path[..end]) {
                let (parent, name) = split(&path[..end]);
                let manifest = self.covered.get(parent).and_then(|names| *names.get(name)?);
                self.learn(&path[..end], manifest)?;
            }
        }
        let (parent, name) = split(path);
        Ok(self.covered.get(parent).is_some_and(|names| names.contains_key(name)))
    }

    fn learn(&mut self, directory: &[u8], manifest: Option<Digest>) -> Result<(), SnapshotError> {
        let entries = self.vault.manifest(manifest, self.reader)?;
        let names = entries.into_iter().map(|entry| {
            let below = (entry.kind == Kind::Directory).then_some(entry.digest);
            (entry.name, below)
        });
        self.covered.insert(directory.to_vec(), names.collect());
        Ok(())
    }

    fn scope(&mut self, directory: &[u8]) -> Result<Scope, SnapshotError> {
        if let Some(scope) = self.scopes.get(directory) {
            return Ok(scope.clone());
        }
        // From the top down, for a path may be deeper than a stack.
        let ends = directory.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let mut above = self.scopes[&Vec::new()].clone();
        for end in ends.chain([directory.len()]) {
            let here = &directory[..end];
            above = match self.scopes.get(here) {
                Some(scope) => scope.clone(),
                None => self.below(&above, here)?,
            };
            self.scopes.insert(here.to_vec(), above.clone());
        }
        Ok(above)
    }

    fn below(&mut self, above: &Scope, directory: &[u8]) -> Result<Scope, SnapshotError> {
        let (_, name) = split(directory);
        match above {
            Scope::Ruled { .. } if name == b".git" => Ok(Scope::Free),
            Scope::Ruled { rules, .. } if Rules::ignore(rules.as_ref(), directory, true) => {
                Ok(Scope::Ignored)
            }
            Scope::Ruled { rules, manifest } => {
                let entries = self.vault.manifest(*manifest, self.reader)?;
                let found =
                    entries.iter().find(|entry| *entry.name == *name && entry.kind == Kind::Directory);
                let manifest = found.map(|entry| entry.digest);
                self.ruled(rules.clone(), directory, manifest)
            }
            Scope::Ignored | Scope::Free => Ok(above.clone()),
        }
    }

    fn ruled(
        &mut self,
        above: Option<Arc<Rules>>,
        directory: &[u8],
        manifest: Option<Digest>,
    ) -> Result<Scope, SnapshotError> {
        let entries = self.vault.manifest(manifest, self.reader)?;
        let file = entries.iter().find(|entry| *entry.name == *rules::FILE && entry.kind == Kind::File);
        let rules = match file.filter(|file| file.size <= rules::LARGEST) {
            Some(file) => {
                let patterns = self.vault.compiled.patterns(&self.reader.read(file.digest)?);
                Rules::within(above, directory, patterns)
            }
            None => above,
        };
        Ok(Scope::Ruled { rules, manifest })
    }
}
