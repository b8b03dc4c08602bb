//! A store is made, found, and refused if it is not ours to open.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Barrier;

use ralph_core::in_session::InSession;
use ralph_store::conformance::{sample, wait};
use ralph_store::{SqliteStore, Store, StoreError};
use rusqlite::Connection;

use super::{contents, created};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn refusal(dir: &Path) -> StoreError {
    let (open, look) = (SqliteStore::open(dir), SqliteStore::open_existing(dir));
    let open = open.expect_err("it is refused");
    assert_eq!(look.expect_err("it is refused"), open);
    open
}

#[test]
fn nobody_else_can_read_it() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("state/projects/key");
    let store = SqliteStore::open(&dir).unwrap();
    created(&store);
    assert_eq!((mode(&dir), mode(&home.path().join("state"))), (0o700, 0o700));
    for file in ["ralph.db", "ralph.db-wal", "ralph.db-shm"] {
        assert_eq!(mode(&dir.join(file)), 0o600, "{file}");
    }
}

#[test]
fn looking_makes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("projects/key");
    let missing = SqliteStore::open_existing(&dir).err();
    assert_eq!(missing, Some(StoreError::NoDatabase { path: dir.join("ralph.db") }));
    assert!(contents(home.path()).is_empty());
}

#[test]
fn closing_leaves_one_file() {
    let dir = tempfile::tempdir().unwrap();
    created(&SqliteStore::open(dir.path()).unwrap());
    assert_eq!(contents(dir.path()).into_keys().collect::<Vec<_>>(), ["ralph.db"]);
}

#[test]
fn the_settings_are_the_durable_ones() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    wait(store.runs(1)).unwrap();
    let names: Vec<_> = std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .collect();
    assert!(names.contains(&"ralph-store\n".to_owned()), "{names:?}");
    let path = store.path().to_owned();
    drop(store);
    let header = std::fs::read(path).unwrap();
    // Read and write version 2 mean a write-ahead log.
    assert_eq!((&header[18..20], &header[68..72]), ([2, 2].as_slice(), b"ralf".as_slice()));
}

#[test]
fn many_may_make_it_at_the_same_instant() {
    for _ in 0..10 {
        let dir = tempfile::tempdir().unwrap();
        let (dir, start) = (dir.path().join("new"), Barrier::new(20));
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    start.wait();
                    let store = SqliteStore::open(&dir).unwrap();
                    assert_eq!(wait(store.runs(1)).unwrap(), []);
                });
            }
        });
    }
}

#[test]
fn a_newer_database_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    drop(SqliteStore::open(dir.path()).unwrap());
    let path = dir.path().join("ralph.db");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = contents(dir.path());
    assert_eq!(before.len(), 1);
    assert_eq!(refusal(dir.path()), StoreError::TooNew { path, found: 99, known: 7 });
    assert_eq!(contents(dir.path()), before);
}

/// A newer ralph that crashed leaves its version in the log only.
#[test]
fn a_newer_database_with_a_log_is_not_touched() {
    let (live, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(SqliteStore::open(live.path()).unwrap());
    let newer = Connection::open(live.path().join("ralph.db")).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    newer.execute_batch("CREATE TABLE later (x)").unwrap();
    for file in ["ralph.db", "ralph.db-wal"] {
        std::fs::copy(live.path().join(file), dir.path().join(file)).unwrap();
    }
    let before = contents(dir.path());
    let path = dir.path().join("ralph.db");
    assert_eq!(refusal(dir.path()), StoreError::TooNew { path, found: 99, known: 7 });
    assert_eq!(contents(dir.path()), before);
}

#[test]
fn somebody_elses_database_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ralph.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = contents(dir.path());
    assert_eq!(refusal(dir.path()), StoreError::NotRalph { path });
    assert_eq!(contents(dir.path()), before);
}

#[test]
fn what_is_no_database_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("ralph.db"), "dear diary ".repeat(500)).unwrap();
    let before = contents(dir.path());
    let refused = refusal(dir.path());
    assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("ralph doctor"));
    assert_eq!(contents(dir.path()), before);
}

#[test]
fn a_changed_migration_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    drop(SqliteStore::open(dir.path()).unwrap());
    let path = dir.path().join("ralph.db");
    Connection::open(&path).unwrap().execute_batch("UPDATE migrations SET hash = 'other'").unwrap();
    assert_eq!(refusal(dir.path()), StoreError::MigrationChanged { path, version: 1 });
}

#[test]
fn loops_of_the_version_before_are_known_for_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    let outside = created(&store);
    let seat = sample::seat("claude", "s1");
    for _ in 0..2 {
        let mut inside = sample::run();
        inside.in_session = Some(InSession::new(seat.host.clone(), seat.session.clone()));
        wait(store.create_loop(&inside, sample::at(0), &seat.clone().into(), &[])).unwrap();
        inside.fresh.clear();
        sample::finish(&mut inside);
        wait(store.commit(&inside, sample::at(1), &[])).unwrap();
    }
    drop(store);
    let older = "ALTER TABLE runs DROP COLUMN in_session; DELETE FROM migrations WHERE version > 6;
                 PRAGMA user_version = 6;";
    Connection::open(dir.path().join("ralph.db")).unwrap().execute_batch(older).unwrap();
    let store = SqliteStore::open_existing(dir.path()).unwrap();
    assert_eq!(wait(store.latest_run()).unwrap().map(|latest| latest.id), Some(outside.id));
    assert_eq!(wait(store.runs(10)).unwrap().len(), 3);
}

#[test]
fn an_empty_file_is_a_beginning() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("ralph.db"), "").unwrap();
    created(&SqliteStore::open(dir.path()).unwrap());
}

#[test]
fn a_deleted_file_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("in")).unwrap();
    assert!(store.still_there());
    std::fs::remove_dir_all(dir.path().join("in")).unwrap();
    assert!(!store.still_there());
    let another = SqliteStore::open(&dir.path().join("in")).unwrap();
    assert!(another.still_there());
    assert!(!store.still_there());
    assert!(SqliteStore::in_memory().unwrap().still_there());
}

/// The journal is only appended to, whoever writes the SQL.
#[test]
fn the_database_itself_keeps_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let run = created(&SqliteStore::open(dir.path()).unwrap());
    let conn = Connection::open(dir.path().join("ralph.db")).unwrap();
    let id = run.id.as_str();
    for sql in [
        "UPDATE journal SET payload = '{}'".to_owned(),
        "DELETE FROM journal".to_owned(),
        format!("INSERT INTO journal VALUES ('{id}', 3, '', '', 1, '', 0)"),
        format!("INSERT INTO journal VALUES ('{id}', 1, '', '', 1, '', 0)"),
    ] {
        assert!(conn.execute_batch(&sql).is_err(), "{sql}");
    }
}
