//! Which of the differences between the tree and a snapshot a restore is to undo.

use std::path::{Path, PathBuf};

use super::raw;
use super::target::TargetRules;
use crate::beneath::os;
use crate::diff::{Change, ChangeKind};
use crate::error::SnapshotError;
use crate::exclusions::{NotBeneath, plain_parts};
use crate::manifest::Kind;
use crate::pack::Reader;
use crate::record::Record;
use crate::vault::Vault;

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    /// Not in the snapshot, but not to be deleted either.
    pub(super) kept: Vec<PathBuf>,
}

impl Plan {
    pub(super) fn make<'v>(
        vault: &'v Vault,
        record: &Record,
        changes: Vec<Change>,
        paths: &[PathBuf],
        reader: &mut Reader<'v>,
    ) -> Result<Plan, SnapshotError> {
        let mut rules = TargetRules::new(vault, record, reader)?;
        let mut plan = Plan { changes: Vec::new(), kept: Vec::new() };
        for change in selected(changes, &spelt_plainly(paths)?) {
            let path = raw(&change.path);
            let is_ours = vault.options.exclusions.covers(path);
            let is_git = change.path.starts_with(".git");
            if is_ours || is_git {
                continue;
            }
            let was_directory = change.before.is_some_and(|before| before.kind == Kind::Directory);
            let is_surplus = change.kind == ChangeKind::Removed;
            if is_surplus && rules.ignore(path, was_directory)? && !rules.covers(path)? {
                plan.kept.push(change.path);
            } else {
                plan.changes.push(change);
            }
        }
        Ok(plan)
    }
}

/// Without `.`; a path that leads out of the tree is an error.
fn spelt_plainly(paths: &[PathBuf]) -> Result<Vec<PathBuf>, NotBeneath> {
    let plain = |path: &PathBuf| Ok(plain_parts(path)?.into_iter().map(os).collect());
    paths.iter().map(plain).collect()
}

/// What lies at or below one of the paths, and the directories without which it could not be put there.
fn selected(changes: Vec<Change>, paths: &[PathBuf]) -> Vec<Change> {
    if paths.is_empty() {
        return changes;
    }
    let is_wanted = |path: &Path| paths.iter().any(|wanted| path.starts_with(wanted));
    let is_above = |path: &Path| paths.iter().any(|wanted| wanted.starts_with(path));
    let becomes_directory = |change: &Change| {
        change.after.is_some_and(|after| after.kind == Kind::Directory)
            && matches!(change.kind, ChangeKind::Added | ChangeKind::Type)
    };
    let something_below = |path: &Path, all: &[Change]| {
        all.iter()
            .any(|other| is_wanted(&other.path) && other.after.is_some() && other.path.starts_with(path))
    };
    let picked: Vec<bool> = changes
        .iter()
        .map(|change| {
            let is_needed = becomes_directory(change)
                && is_above(&change.path)
                && something_below(&change.path, &changes);
            is_wanted(&change.path) || is_needed
        })
        .collect();
    changes.into_iter().zip(picked).filter(|(_, picked)| *picked).map(|(change, _)| change).collect()
}
