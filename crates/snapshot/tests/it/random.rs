//! Thousands of random trees: kept, changed at random, put back, and the change put back in turn.
//! `RALPH_SNAPSHOT_TREES` says how many; `RALPH_SNAPSHOT_SEED` which comes first.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ralph_snapshot::{ChangeKind, Options, Problem, Restore, Snapshot, SnapshotId, Vault};

use crate::dice::Dice;
use crate::place::{Place, Thing, Tree, assert_same, tree};
use crate::world::{change, fill};

const TREES: u64 = 2000;
/// Git is asked about one tree in so many: its processes take longer than all the rest.
const ASK_GIT: u64 = 40;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn every_tree_comes_back_exactly_and_so_does_what_was_there_before() {
    let first = number("RALPH_SNAPSHOT_SEED", 1);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in first..first + number("RALPH_SNAPSHOT_TREES", TREES) {
        let outcome = std::panic::catch_unwind(|| play(seed));
        let counts =
            outcome.unwrap_or_else(|_| panic!("RALPH_SNAPSHOT_SEED={seed} RALPH_SNAPSHOT_TREES=1 fails"));
        counts.into_iter().for_each(|(what, count)| *seen.entry(what).or_default() += count);
    }
    println!("{seen:?}");
    assert!(seen.values().all(|count| *count > 0), "something was never met: {seen:?}");
}

fn play(seed: u64) -> BTreeMap<&'static str, usize> {
    let mut dice = Dice::new(seed);
    let place = Place::new();
    let outside = place.home.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("canary"), "alive").unwrap();
    let beyond = tree(&outside);
    fill(&place.root, &mut dice);
    let git = seed.is_multiple_of(ASK_GIT).then(|| Git::init(&place.root));
    let vault = place.vault();
    let nothing = nothing(&place);
    let kept = vault.take().unwrap();
    assert!(kept.uncovered.is_empty() && kept.unsettled.is_empty(), "{kept:?}");
    let before = place.tree();
    let held = held(&vault, nothing, &kept);
    held.iter().for_each(|path| assert!(before.contains_key(path), "{}", path.display()));
    let status = git.as_ref().map(|git| git.check_held(&held, &before));

    change(&place.root, &mut dice);
    let changed = place.tree();
    let untouched = git.as_ref().map(|git| tree(&git.0.join(".git")));
    let report = vault.restore(kept.id, &Restore::default()).unwrap();
    let blocked = blocked(&report.problems, &place.tree(), &changed);
    let expected: BTreeSet<PathBuf> = held.difference(&blocked).cloned().collect();
    check_restored(&place.tree(), &before, &changed, &expected, &report.kept);
    // What later rules ignored, nobody held, so nobody deleted it; now it is seen again.
    let seen = vault.diff(kept.id, vault.take().unwrap().id).unwrap();
    let seen: Vec<_> = seen.into_iter().filter(|change| !blocked.contains(&change.path)).collect();
    assert!(
        seen.iter().all(|change| change.kind == ChangeKind::Added && changed.contains_key(&change.path)),
        "{seen:?}"
    );
    if let Some(git) = &git {
        assert_eq!(Some(tree(&git.0.join(".git"))), untouched, "the repository is left alone");
        let is_same = place.tree() == before;
        assert!(!is_same || Some(git.status()) == status, "git sees the same tree");
    }

    let undone = vault.restore(report.before, &Restore::default()).unwrap();
    assert_eq!(undone.problems, [], "no problems");
    assert_same(&place.tree(), &changed, "undone");
    assert_eq!(tree(&outside), beyond, "nothing outside is touched");
    assert_eq!(vault.pending_restore().unwrap(), None);
    let mut counts = counts(&before, &held, &report.kept, seen.is_empty());
    counts.insert("blocked by ignored files", blocked.len());
    counts
}

/// The one thing that may go wrong: a directory that must make way has ignored files in it, which nobody holds.
fn blocked(problems: &[Problem], now: &Tree, changed: &Tree) -> BTreeSet<PathBuf> {
    for Problem { path, why } in problems {
        assert!(matches!(changed[path], Thing::Directory { .. }), "{}: {why}", path.display());
        assert!(
            now.keys().any(|other| other != path && other.starts_with(path)),
            "{}: {why}",
            path.display()
        );
    }
    problems.iter().map(|problem| problem.path.clone()).collect()
}

/// What a snapshot has is there as it was; what is there besides, no snapshot held or its rules ignore.
fn check_restored(now: &Tree, before: &Tree, changed: &Tree, held: &BTreeSet<PathBuf>, kept: &[PathBuf]) {
    for path in held {
        assert_eq!(now.get(path), before.get(path), "{}", path.display());
    }
    for (path, thing) in now.iter().filter(|(path, _)| !held.contains(*path)) {
        assert_eq!(changed.get(path), Some(thing), "untouched: {}", path.display());
    }
    for (path, thing) in changed.iter().filter(|(path, _)| !now.contains_key(*path)) {
        assert!(!kept.contains(path) && !held.contains(path), "{} {thing:?} is gone", path.display());
    }
}

/// The snapshot of an empty tree in the same vault.
fn nothing(place: &Place) -> SnapshotId {
    let empty = place.home.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let vault = Vault::open(&place.home.path().join("vault"), &empty, Options::default()).unwrap();
    vault.take().unwrap().id
}

fn held(vault: &Vault, nothing: SnapshotId, snapshot: &Snapshot) -> BTreeSet<PathBuf> {
    vault.diff(nothing, snapshot.id).unwrap().into_iter().map(|change| change.path).collect()
}

fn counts(
    before: &Tree,
    held: &BTreeSet<PathBuf>,
    kept: &[PathBuf],
    is_same: bool,
) -> BTreeMap<&'static str, usize> {
    let count =
        |is: &dyn Fn(&Path, &Thing) -> bool| before.iter().filter(|(path, thing)| is(path, thing)).count();
    let of = |path: &Path, part: &[u8]| {
        path.as_os_str().as_bytes().windows(part.len()).any(|window| window == part)
    };
    BTreeMap::from([
        ("files", count(&|_, thing| matches!(thing, Thing::File { .. }))),
        ("links", count(&|_, thing| matches!(thing, Thing::Link { .. }))),
        ("pipes", count(&|_, thing| matches!(thing, Thing::Pipe { .. }))),
        ("ignored", count(&|path, _| !held.contains(path))),
        ("nested repositories", count(&|path, _| path.ends_with(".git"))),
        ("newlines", count(&|path, _| of(path, b"\n"))),
        ("invalid UTF-8", count(&|path, _| path.to_str().is_none())),
        ("special modes", count(&|_, thing| matches!(thing, Thing::File { mode, .. } if mode & 0o7000 != 0))),
        ("large", count(&|_, thing| matches!(thing, Thing::File { content, .. } if content.len() > 1 << 20))),
        ("kept by the target's rules", kept.len()),
        ("exactly the same tree", usize::from(is_same)),
    ])
}

/// The real git, for what it knows about the tree.
struct Git(PathBuf);

impl Git {
    fn init(root: &Path) -> Git {
        let git = Git(root.to_owned());
        git.run(&["init", "--quiet"]);
        git
    }

    fn run(&self, arguments: &[&str]) -> Vec<u8> {
        let mut git = Command::new("git");
        git.args(arguments)
            .current_dir(&self.0)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let out = git.env("GIT_OPTIONAL_LOCKS", "0").output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        out.stdout
    }

    fn status(&self) -> Vec<u8> {
        self.run(&["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored"])
    }

    /// What git would add is what is held, apart from what git does not keep.
    fn check_held(&self, held: &BTreeSet<PathBuf>, before: &Tree) -> Vec<u8> {
        let out = self.run(&["ls-files", "-z", "--others", "--exclude-standard"]);
        let names = out.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let git: BTreeSet<PathBuf> = names.map(|name| PathBuf::from(crate::place::bytes(name))).collect();
        // Git names a nested repository, but does not look into it.
        let nested: Vec<&Path> =
            before.keys().filter(|path| path.ends_with(".git")).filter_map(|path| path.parent()).collect();
        let is_nested = |path: &Path| nested.iter().any(|above| path.starts_with(above));
        let kept_by_git = |path: &&PathBuf| matches!(before[*path], Thing::File { .. } | Thing::Link { .. });
        let ours: BTreeSet<&PathBuf> =
            held.iter().filter(kept_by_git).filter(|path| !is_nested(path)).collect();
        let theirs: BTreeSet<&PathBuf> = git.iter().filter(|path| !is_nested(path)).collect();
        assert_eq!(ours, theirs, "what git would add");
        self.status()
    }
}
