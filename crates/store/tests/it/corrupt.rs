//! A byte is wrong somewhere in the file: an error that says so, or what was written; never a panic, never
//! something else.

use std::path::Path;

use ralph_core::control::{Control, ControlNo};
use ralph_core::event::{Entry, Event};
use ralph_core::id::RunId;
use ralph_core::run::Run;
use ralph_store::conformance::sample::{at, finish, run};
use ralph_store::conformance::wait;
use ralph_store::{NewDelivery, RunSummary, SqliteStore, Store, StoreError, Unfinished};

/// Everything that can be read.
type Reading = (Vec<RunSummary>, Option<Run>, Vec<Entry>, Vec<(ControlNo, Control)>);

fn read(store: &SqliteStore, id: &RunId) -> Result<Reading, StoreError> {
    Ok((
        wait(store.runs(100))?,
        wait(store.run(id))?,
        wait(store.entries(id, 0, 1000))?,
        wait(store.waiting_controls(id, ControlNo(0)))?,
    ))
}

/// A small store with a bit of everything, of which there is one file when it is closed.
fn filled(dir: &Path) -> (RunId, Reading) {
    let store = SqliteStore::open(dir).unwrap();
    let mut last = run();
    for _ in 0..4 {
        last = run();
        let deliveries = [NewDelivery { event: 0, hook: "chime".to_owned() }];
        wait(store.create_run(&last, at(0), Unfinished::Supersede, &deliveries)).unwrap();
        last.fresh.clear();
        (0..30).for_each(|n| last.note(at(1), Event::Notice { text: format!("{n} {}", "word ".repeat(20)) }));
        wait(store.commit(&last, at(1), &[])).unwrap();
        wait(store.request(&last.id, &Control::Pause, at(1))).unwrap();
    }
    last.fresh.clear();
    last.controls_seen = ControlNo(1);
    finish(&mut last);
    wait(store.commit(&last, at(2), &[])).unwrap();
    wait(store.heartbeat(&last.id, std::time::Duration::from_secs(7))).unwrap();
    let reading = read(&store, &last.id).unwrap();
    (last.id, reading)
}

fn check(dir: &Path, bytes: &[u8], id: &RunId, expected: &Reading, what: &str) -> bool {
    let path = dir.join("ralph.db");
    for beside in ["ralph.db-wal", "ralph.db-shm"] {
        let _ = std::fs::remove_file(dir.join(beside));
    }
    std::fs::write(&path, bytes).unwrap();
    let found = SqliteStore::open_existing(dir).and_then(|store| read(&store, id));
    match found {
        Ok(reading) => {
            assert_eq!(&reading, expected, "{what}");
            false
        }
        Err(error) => {
            let named = matches!(
                error,
                StoreError::Corrupt { .. }
                    | StoreError::NotRalph { .. }
                    | StoreError::TooNew { .. }
                    | StoreError::MigrationChanged { .. }
            );
            assert!(named, "{what}: {error:?}");
            assert!(std::fs::read(&path).unwrap() == bytes, "{what}: the file was changed");
            true
        }
    }
}

#[test]
fn a_flipped_byte_is_found_or_does_not_matter() {
    let (made, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (id, expected) = filled(made.path());
    let intact = std::fs::read(made.path().join("ralph.db")).unwrap();
    // Most of the file is room that nothing has taken yet, in which no byte can matter.
    let (mut tried, mut taken, mut noticed) = (0, 0, 0);
    let header = 0..120;
    for offset in header.chain((120..intact.len()).step_by(53)) {
        let mut bytes = intact.clone();
        bytes[offset] ^= 0xff;
        tried += 1;
        taken += usize::from(intact[offset] != 0);
        noticed += usize::from(check(broken.path(), &bytes, &id, &expected, &format!("offset {offset}")));
    }
    println!("{tried} bytes flipped, {taken} of them in use, {noticed} noticed");
    assert!(noticed > taken / 10);
}

#[test]
fn a_file_cut_short_is_found() {
    let (made, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (id, expected) = filled(made.path());
    let intact = std::fs::read(made.path().join("ralph.db")).unwrap();
    for length in (4096..intact.len()).step_by(4096).flat_map(|page| [page, page - 1, page + 100]) {
        check(broken.path(), &intact[..length], &id, &expected, &format!("cut to {length}"));
    }
    for page in 0..intact.len() / 4096 {
        let mut bytes = intact.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0);
        check(broken.path(), &bytes, &id, &expected, &format!("page {page} zeroed"));
    }
}

#[test]
fn a_damaged_store_can_be_written_without_a_panic() {
    let (made, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(made.path());
    let intact = std::fs::read(made.path().join("ralph.db")).unwrap();
    for offset in (100..intact.len()).step_by(1021) {
        let mut bytes = intact.clone();
        bytes[offset] ^= 0xff;
        std::fs::write(broken.path().join("ralph.db"), &bytes).unwrap();
        let Ok(store) = SqliteStore::open(broken.path()) else { continue };
        let mut run = run();
        let written = wait(store.create_run(&run, at(3), Unfinished::Supersede, &[]));
        run.fresh.clear();
        let committed = wait(store.commit(&run, at(3), &[]));
        for error in [written.err(), committed.err()].into_iter().flatten() {
            assert!(!matches!(error, StoreError::Closed { .. }), "offset {offset}");
        }
    }
}
