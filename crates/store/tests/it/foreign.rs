//! Another program holds the database.

use std::time::{Duration, Instant};

use ralph_core::control::Control;
use ralph_store::conformance::sample::at;
use ralph_store::conformance::wait;
use ralph_store::{SqliteStore, Store, StoreError};
use rusqlite::Connection;

use super::created;

#[test]
fn a_foreign_lock_is_waited_for_and_then_named() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    let run = created(&store);
    let foreign = Connection::open(store.path()).unwrap();
    foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    let busy = wait(store.request(&run.id, &Control::Stop, at(1))).unwrap_err();
    let waited = begun.elapsed();
    assert!(matches!(busy, StoreError::Busy { .. }), "{busy:?}");
    assert!((Duration::from_secs(4)..Duration::from_secs(8)).contains(&waited), "{waited:?}");
    assert!(busy.hint().unwrap().contains("ralph resume"));
    // Looking needs no lock, and neither does opening.
    assert!(wait(store.run(&run.id)).unwrap().is_some());
    assert!(wait(SqliteStore::open(dir.path()).unwrap().run(&run.id)).unwrap().is_some());
    foreign.execute_batch("ROLLBACK").unwrap();
    wait(store.request(&run.id, &Control::Stop, at(1))).unwrap();
}

#[test]
fn a_short_foreign_lock_is_not_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    let run = created(&store);
    let foreign = Connection::open(store.path()).unwrap();
    foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| wait(store.request(&run.id, &Control::Stop, at(1))));
        std::thread::park_timeout(Duration::from_millis(200));
        foreign.execute_batch("COMMIT").unwrap();
        asked.join().unwrap().unwrap();
    });
}
