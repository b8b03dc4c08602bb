//! Somebody else works in the tree at the same time. `RALPH_SNAPSHOT_RACES` says how often a directory is swapped.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ralph_snapshot::{Digest, Restore};

use crate::place::{Place, assert_same, tree};

const SWAPS: u64 = 2000;
const DIRECTORIES: [&str; 4] = ["a", "a/b", "c", "c/d"];

fn swaps() -> u64 {
    std::env::var("RALPH_SNAPSHOT_RACES").ok().and_then(|text| text.parse().ok()).unwrap_or(SWAPS)
}

/// Ends the other thread also when an assertion fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Lets a directory be a symlink to the outside for a moment, again and again.
fn swap(root: &Path, outside: &Path, is_over: &AtomicBool, count: &AtomicU64) {
    let aside = root.join("aside");
    for at in 0.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let directory = root.join(DIRECTORIES[at % DIRECTORIES.len()]);
        if fs::rename(&directory, &aside).is_ok() {
            if symlink(outside, &directory).is_ok() {
                count.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
                let _ = fs::remove_file(&directory);
            }
            // A restore may have made it again meanwhile.
            if fs::rename(&aside, &directory).is_err() {
                fs::remove_dir_all(&aside).unwrap();
            }
        }
    }
}

#[test]
fn nothing_outside_is_touched_while_directories_become_symlinks() {
    let place = Place::new();
    let outside = place.home.path().join("outside");
    for directory in ["", "b", "d"] {
        fs::create_dir_all(outside.join(directory)).unwrap();
        // Not the third: whatever is put back through a symlink would come to lie there.
        for name in ["one", "two"] {
            fs::write(outside.join(directory).join(name), "canary").unwrap();
        }
    }
    place.write(".gitignore", "aside\n");
    for directory in DIRECTORIES {
        place.write(&format!("{directory}/one"), format!("{directory} 1"));
        place.write(&format!("{directory}/two"), format!("{directory} 2"));
        place.mode(&format!("{directory}/two"), 0o640);
    }
    let vault = place.vault();
    let first = vault.take().unwrap();
    for directory in DIRECTORIES {
        place.write(&format!("{directory}/one"), "other");
        place.mode(&format!("{directory}/two"), 0o600);
        place.write(&format!("{directory}/three"), "more");
    }
    let second = vault.take().unwrap();
    let before = tree(&outside);
    let (is_over, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut states = vec![first.id, second.id];
    std::thread::scope(|scope| {
        scope.spawn(|| swap(&place.root, &outside, &is_over, &count));
        let over = Over(&is_over);
        let mut troubles = 0;
        while count.load(Ordering::Relaxed) < swaps() {
            for target in [first.id, second.id] {
                let report = vault.restore(target, &Restore::default()).unwrap();
                troubles += report.problems.len();
                states.push(report.before);
            }
            assert_same(&tree(&outside), &before, "outside");
        }
        drop(over);
        println!(
            "{} swaps, {} restores, {troubles} troubles",
            count.load(Ordering::Relaxed),
            states.len() - 2
        );
    });
    assert_same(&tree(&outside), &before, "outside");
    // Nor was anything read there.
    states.dedup();
    for state in states {
        let seen = vault.diff(first.id, state).unwrap();
        let canary = |change: &ralph_snapshot::Change| {
            change.after.is_some_and(|after| after.digest == Digest::of(b"canary"))
        };
        assert!(!seen.iter().any(canary), "{seen:?}");
    }
    vault.restore(first.id, &Restore::default()).unwrap();
    assert_eq!(vault.take().unwrap().tree_hash(), first.tree_hash());
}

#[test]
fn what_somebody_changes_during_a_restore_is_left_to_them() {
    let place = Place::new();
    let names: Vec<String> = (0..40).map(|number| format!("f{number:02}")).collect();
    names.iter().for_each(|name| place.write(name, "kept"));
    let vault = place.vault();
    let taken = vault.take().unwrap();
    let is_over = AtomicBool::new(false);
    for round in 0..20 {
        names.iter().for_each(|name| place.write(name, format!("agent {round}")));
        is_over.store(false, Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut at = 0;
                while !is_over.load(Ordering::Relaxed) {
                    at = (at + 7) % names.len();
                    fs::write(place.path(&names[at]), format!("person {round}")).unwrap();
                }
            });
            let over = Over(&is_over);
            let report = vault.restore(taken.id, &Restore::default()).unwrap();
            drop(over);
            for problem in &report.problems {
                assert!(problem.why.contains("changed while"), "{problem:?}");
            }
        });
        vault.restore(taken.id, &Restore::default()).unwrap();
        assert!(names.iter().all(|name| fs::read(place.path(name)).unwrap() == b"kept"));
    }
}

#[test]
fn several_processes_share_a_vault() {
    let place = Place::new();
    place.write("a", "0");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let place = &place;
            scope.spawn(move || {
                let vault = place.vault();
                for round in 0..10 {
                    place.write(&format!("t{thread}"), format!("{round}"));
                    let taken = vault.take().unwrap();
                    vault.sweep(&crate::sweeps::generous(), std::time::SystemTime::now()).unwrap();
                    assert!(vault.find(taken.id).unwrap().files > 0);
                }
            });
        }
    });
}

#[test]
fn many_make_the_same_vault_at_once() {
    for _ in 0..100 {
        let place = Place::new();
        place.write("a", "0");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| place.vault().take().unwrap());
            }
        });
    }
}
