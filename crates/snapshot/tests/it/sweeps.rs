//! What goes and what stays when there is too much.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use ralph_snapshot::{Keep, Restore, SnapshotError, SnapshotId, Vault};

use crate::place::{Place, Tree, assert_same};

pub(crate) fn generous() -> Keep {
    Keep { max_bytes: u64::MAX, max_age: Duration::MAX, pinned: Vec::new() }
}

fn noise(seed: u32, length: u32) -> Vec<u8> {
    (0..length)
        .flat_map(|at| {
            (at.wrapping_mul(2_654_435_761) ^ seed.wrapping_mul(40_503) ^ at.wrapping_mul(seed)).to_le_bytes()
        })
        .collect()
}

/// Snapshots, one after the other, each with its tree.
fn history(place: &Place, vault: &Vault, count: u32) -> Vec<(SnapshotId, Tree)> {
    let mut history = Vec::new();
    for round in 0..count {
        place.write("always", "the same");
        place.write("changing", noise(round, 20_000));
        place.write(&format!("d{}/new", round % 5), noise(round + 1000, 300));
        history.push((vault.take().unwrap().id, place.tree()));
    }
    history
}

fn check(place: &Place, vault: &Vault, id: SnapshotId, tree: &Tree) {
    assert_eq!(vault.restore(id, &Restore::default()).unwrap().problems, []);
    assert_same(&place.tree(), tree, "after a sweep");
}

#[test]
fn the_oldest_go_when_there_is_too_much_and_the_rest_is_whole() {
    let place = Place::new();
    let vault = place.vault();
    let history = history(&place, &vault, 30);
    let pinned = history[3].0;
    let keep = Keep { max_bytes: 700_000, max_age: Duration::MAX, pinned: vec![pinned] };
    let swept = vault.sweep(&keep, SystemTime::now()).unwrap();
    assert!(swept.bytes_after < 1_000_000 && swept.bytes_before > 2_000_000, "{swept:?}");
    assert!(swept.kept > 3 && swept.kept + swept.dropped.len() == 30, "{swept:?}");
    assert!(!swept.dropped.contains(&pinned) && !swept.dropped.contains(&history[29].0));
    let again = vault.sweep(&keep, SystemTime::now()).unwrap();
    assert_eq!((again.dropped.as_slice(), again.bytes_after), ([].as_slice(), again.bytes_before));
    for (id, tree) in &history {
        if swept.dropped.contains(id) {
            let gone = vault.restore(*id, &Restore::default());
            assert!(matches!(gone, Err(SnapshotError::Unknown { .. })), "{gone:?}");
        } else {
            check(&place, &place.vault(), *id, tree);
        }
    }
}

#[test]
fn the_old_go_and_the_latest_stays() {
    let place = Place::new();
    let vault = place.vault();
    let history = history(&place, &vault, 5);
    let keep = Keep { max_age: Duration::from_secs(60), ..generous() };
    assert_eq!(vault.sweep(&keep, SystemTime::now()).unwrap().kept, 5);
    let later = SystemTime::now() + Duration::from_secs(100);
    let swept = vault.sweep(&keep, later).unwrap();
    assert_eq!((swept.kept, swept.dropped.len()), (1, 4));
    check(&place, &vault, history[4].0, &history[4].1);
    assert_eq!(vault.take().unwrap().tree_hash(), vault.find(history[4].0).unwrap().tree_hash());
}

#[test]
fn many_small_packs_become_one() {
    let place = Place::new();
    let vault = place.vault();
    let history = history(&place, &vault, 20);
    let packs = || {
        let names = fs::read_dir(place.home.path().join("vault")).unwrap();
        names.filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().ends_with(".zst")).count()
    };
    assert_eq!(packs(), 20);
    vault.sweep(&generous(), SystemTime::now()).unwrap();
    assert_eq!(packs(), 1);
    place.write("changing", "after");
    let after = vault.take().unwrap();
    history.iter().for_each(|(id, tree)| check(&place, &vault, *id, tree));
    assert!(vault.find(after.id).is_ok());
}

#[test]
fn a_damaged_pack_costs_only_what_was_in_it() {
    let place = Place::new();
    place.write("a", noise(1, 1000));
    let vault = place.vault();
    vault.take().unwrap();
    place.write("b", noise(2, 1000));
    let both = vault.take().unwrap();
    let first = place.home.path().join("vault/pack-00000001.tar.zst");
    let mut bytes = fs::read(&first).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8].fill(0);
    fs::write(&first, bytes).unwrap();
    fs::remove_file(place.path("a")).unwrap();
    fs::remove_file(place.path("b")).unwrap();
    let report = vault.restore(both.id, &Restore::default()).unwrap();
    let troubled: Vec<_> = report.problems.iter().map(|problem| problem.path.to_str().unwrap()).collect();
    assert_eq!(troubled, ["a"]);
    assert!(!place.path("a").exists() && fs::read(place.path("b")).unwrap() == noise(2, 1000));
    let swept = vault.sweep(&generous(), SystemTime::now()).unwrap();
    assert_eq!(swept.dropped, []);
}

/// A pack that cannot be read for the moment, and can again.
fn while_unreadable<T>(pack: &Path, act: impl FnOnce() -> T) -> T {
    let aside = pack.with_extension("aside");
    fs::rename(pack, &aside).unwrap();
    fs::create_dir(pack).unwrap();
    let done = act();
    fs::remove_dir(pack).unwrap();
    fs::rename(&aside, pack).unwrap();
    done
}

#[test]
fn what_cannot_be_read_for_a_moment_is_not_swept_away() {
    let place = Place::new();
    let vault = place.vault();
    let history = history(&place, &vault, 20);
    let keep = Keep { pinned: vec![history[0].0], ..generous() };
    for number in 1..=20 {
        let pack = place.home.path().join(format!("vault/pack-{number:08}.tar.zst"));
        let swept = while_unreadable(&pack, || vault.sweep(&keep, SystemTime::now()));
        assert!(matches!(swept, Err(SnapshotError::Io { .. })), "{swept:?}");
    }
    assert_eq!(vault.sweep(&keep, SystemTime::now()).unwrap().dropped, []);
    history.iter().for_each(|(id, tree)| check(&place, &vault, *id, tree));
}

#[test]
fn what_is_pinned_stays_even_when_it_is_damaged() {
    let place = Place::new();
    let vault = place.vault();
    let history = history(&place, &vault, 3);
    fs::write(place.home.path().join("vault/pack-00000001.tar.zst"), noise(7, 9000)).unwrap();
    let keep = Keep { pinned: vec![history[0].0], ..generous() };
    let swept = place.vault().sweep(&keep, SystemTime::now()).unwrap();
    assert!(!swept.dropped.contains(&history[0].0), "{swept:?}");
}
