//! The process dies at every step of taking, restoring, finishing and sweeping.

#![cfg(feature = "failpoints")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use ralph_snapshot::{Keep, Options, Restore, SnapshotId, Vault};

use crate::dice::Dice;
use crate::place::{Place, Tree, assert_same, tree};
use crate::world::{change, fill};

const HOME: &str = "RALPH_SNAPSHOT_TEST_HOME";
const DEED: &str = "RALPH_SNAPSHOT_TEST_DEED";
const TARGET: &str = "RALPH_SNAPSHOT_TEST_TARGET";

fn open(home: &Path) -> Vault {
    Vault::open(&home.join("vault"), &home.join("tree"), Options::default()).unwrap()
}

fn strict(pinned: SnapshotId) -> Keep {
    Keep { max_bytes: 1, max_age: Duration::MAX, pinned: vec![pinned] }
}

/// Does one thing to a tree. Does nothing unless it is the child.
#[test]
fn child_that_may_die() {
    let Some(home) = std::env::var_os(HOME).map(PathBuf::from) else { return };
    let target = || std::env::var(TARGET).unwrap().parse().unwrap();
    let vault = open(&home);
    match std::env::var(DEED).unwrap().as_str() {
        "take" => drop(vault.take().unwrap()),
        "restore" => assert_eq!(vault.restore(target(), &Restore::default()).unwrap().problems, []),
        "finish" => drop(vault.finish_restore().unwrap()),
        "sweep" => drop(vault.sweep(&strict(target()), SystemTime::now()).unwrap()),
        other => panic!("what is {other}?"),
    }
}

fn child(home: &Path, deed: &str, target: SnapshotId) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["crash::child_that_may_die", "--exact", "--test-threads=1"]);
    child.env(HOME, home).env(DEED, deed).env(TARGET, target.to_string());
    child.stdout(Stdio::null()).stderr(Stdio::null());
    child
}

/// A tree with a past: two snapshots, and changes since the second.
struct Scene {
    place: Place,
    vault: Vault,
    first: (SnapshotId, Tree),
    second: (SnapshotId, Tree),
    now: Tree,
}

fn scene(seed: u64) -> Scene {
    let mut dice = Dice::new(seed);
    let place = Place::new();
    fill(&place.root, &mut dice);
    let _ = fs::remove_file(place.path(".gitignore"));
    // More than one frame, so that there is a middle to die in.
    (0..3).for_each(|number| place.write(&format!("big{number}"), vec![number; 300_000]));
    let vault = place.vault();
    let first = (vault.take().unwrap().id, place.tree());
    change(&place.root, &mut dice);
    let second = (vault.take().unwrap().id, place.tree());
    change(&place.root, &mut dice);
    fs::write(place.path("big1"), "small now").unwrap();
    let now = place.tree();
    Scene { place, vault, first, second, now }
}

/// A seed whose trees no rule ignores anything of, so that all of it must come back.
fn plain_seeds() -> impl Iterator<Item = u64> {
    (1..).filter(|seed| {
        let scene = scene(*seed);
        let has_rules = |tree: &Tree| tree.keys().any(|path| path.ends_with(".gitignore"));
        !has_rules(&scene.first.1) && !has_rules(&scene.second.1) && !has_rules(&scene.now)
    })
}

/// Every pass of every point in an undisturbed run.
fn passes(home: &Path, deed: &str, target: SnapshotId) -> Vec<(String, usize)> {
    let log = home.join("passes");
    assert!(child(home, deed, target).env("FAILPOINTS_LOG", &log).status().unwrap().success());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let text = fs::read_to_string(&log).unwrap();
    // How many files are read again depends on how long ago they were written; reading changes nothing.
    let numbered = text.lines().filter(|name| *name != "snapshot.take.read").map(|name| {
        let count = counts.entry(name.to_owned()).or_default();
        *count += 1;
        (name.to_owned(), *count)
    });
    numbered.collect()
}

fn kill(home: &Path, deed: &str, target: SnapshotId, (point, pass): &(String, usize)) {
    let action = format!("{point}={}*off->return", pass - 1).replace("=0*off->", "=");
    let ended = child(home, deed, target).env("FAILPOINTS", action).status().unwrap();
    assert_eq!(ended.signal(), Some(9), "{deed} dies at {point} {pass}");
}

/// Nothing is left over in the vault, and everything that is listed can be had.
fn check_clean(scene: &Scene, when: &str) {
    let vault = open(scene.place.home.path());
    let left = fs::read_dir(scene.place.home.path().join("vault")).unwrap();
    let temporary = |name: &str| name.starts_with("tmp-");
    assert!(
        left.map(|entry| entry.unwrap().file_name()).all(|name| !temporary(name.to_str().unwrap())),
        "{when}"
    );
    for kept in vault.list().unwrap() {
        let made = vault.find(kept.id);
        assert!(made.is_ok(), "{when}: {made:?}");
    }
}

fn restore(scene: &Scene, (id, expected): &(SnapshotId, Tree), when: &str) {
    let report = scene.vault.restore(*id, &Restore::default()).unwrap();
    assert_eq!(report.problems, [], "{when}");
    assert_same(&scene.place.tree(), expected, when);
}

#[test]
fn a_crash_while_a_snapshot_is_taken_loses_nothing() {
    let seed = plain_seeds().next().unwrap();
    let sample = scene(seed);
    let all = passes(sample.place.home.path(), "take", sample.first.0);
    assert!(all.len() >= 9, "{all:?}");
    for pass in &all {
        let scene = scene(seed);
        let when = format!("take {pass:?}");
        kill(scene.place.home.path(), "take", scene.first.0, pass);
        assert_same(&scene.place.tree(), &scene.now, &when);
        check_clean(&scene, &when);
        let now = (scene.vault.take().unwrap().id, scene.now.clone());
        for state in [&scene.first, &scene.second, &now, &scene.first] {
            restore(&scene, state, &when);
        }
    }
    println!("{} points", all.len());
}

#[test]
fn a_crash_during_a_restore_can_be_finished_and_undone() {
    let mut points = 0;
    for seed in plain_seeds().take(3) {
        let sample = scene(seed);
        let all = passes(sample.place.home.path(), "restore", sample.first.0);
        points += all.len();
        for pass in &all {
            let scene = scene(seed);
            let when = format!("restore {pass:?} of seed {seed}");
            kill(scene.place.home.path(), "restore", scene.first.0, pass);
            check_after_restore(&scene, &when);
        }
    }
    println!("{points} points");
    assert!(points > 60, "{points}");
}

/// Either it never began, or it can be finished, or it is done.
fn check_after_restore(scene: &Scene, when: &str) {
    let vault = open(scene.place.home.path());
    match vault.pending_restore().unwrap() {
        None => {
            let now = scene.place.tree();
            assert!(
                now == scene.now || now == scene.first.1,
                "{when}: nothing is pending, but the tree is half done"
            );
            restore(scene, &scene.first, when);
        }
        Some(pending) => {
            assert_eq!(pending.target, scene.first.0, "{when}");
            let report = vault.finish_restore().unwrap().unwrap();
            assert_eq!(
                (report.problems.as_slice(), report.before),
                ([].as_slice(), pending.before),
                "{when}"
            );
            assert_same(&scene.place.tree(), &scene.first.1, when);
            assert_eq!(vault.finish_restore().unwrap(), None);
            restore(scene, &(pending.before, scene.now.clone()), when);
        }
    }
    check_clean(scene, when);
}

#[test]
fn a_crash_while_a_restore_is_finished_can_be_finished_again() {
    let seed = plain_seeds().next().unwrap();
    let halfway = ("snapshot.restore.made".to_owned(), 2);
    let sample = scene(seed);
    kill(sample.place.home.path(), "restore", sample.first.0, &halfway);
    let all = passes(sample.place.home.path(), "finish", sample.first.0);
    assert!(all.iter().any(|(point, _)| point == "snapshot.restore.cleared"), "{all:?}");
    for pass in &all {
        let scene = scene(seed);
        kill(scene.place.home.path(), "restore", scene.first.0, &halfway);
        kill(scene.place.home.path(), "finish", scene.first.0, pass);
        check_after_restore(&scene, &format!("finish {pass:?}"));
    }
    println!("{} points", all.len());
}

#[test]
fn a_crash_during_a_sweep_leaves_every_snapshot_that_stays_whole() {
    let seed = plain_seeds().next().unwrap();
    let prepare = || {
        let scene = scene(seed);
        // The second is only partly of use afterwards, so that its pack is written anew.
        (0..18).for_each(|round| {
            fs::write(scene.place.path("churn"), vec![round; 3000]).unwrap();
            scene.vault.take().unwrap();
        });
        fs::remove_file(scene.place.path("churn")).unwrap();
        scene
    };
    let sample = prepare();
    let all = passes(sample.place.home.path(), "sweep", sample.first.0);
    for needed in [
        "snapshot.sweep.unmarked",
        "snapshot.pack.durable",
        "snapshot.sweep.rewritten",
        "snapshot.sweep.removed",
    ] {
        assert!(all.iter().any(|(point, _)| point == needed), "{needed} is never passed: {all:?}");
    }
    for pass in &all {
        let scene = prepare();
        let when = format!("sweep {pass:?}");
        kill(scene.place.home.path(), "sweep", scene.first.0, pass);
        check_clean(&scene, &when);
        for kept in scene.vault.list().unwrap() {
            assert_eq!(scene.vault.restore(kept.id, &Restore::default()).unwrap().problems, [], "{when}");
        }
        restore(&scene, &scene.first, &when);
        scene.vault.sweep(&strict(scene.first.0), SystemTime::now()).unwrap();
        restore(&scene, &scene.first, &when);
    }
    println!("{} points", all.len());
    assert!(tree(&sample.place.root).contains_key(Path::new("big0")));
}
