//! One connection with the settings that durability rests on.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::failure::{Failure, PATIENCE};
use super::peek::log_of;
use super::schema::Schema;
use crate::error::StoreError;

/// Earlier versions have a race in the write-ahead log that corrupts databases.
const OLDEST_SQLITE: i32 = 3_051_003;
/// Statements are few and all ours: every one of them stays prepared.
const STATEMENTS: usize = 64;
/// As many pages as one choice of notes among a hundred thousand reads; whoever reads few keeps few.
const PAGES_KEPT_KIB: i64 = 16 << 10;
/// The log is cut back to this after a checkpoint, should it ever have grown beyond.
const LONGEST_LOG: i64 = 8 << 20;
/// Longer than anybody of ours looks at one moment's state.
const A_MOMENT: Duration = Duration::from_secs(1);
/// How many bytes of it those may leave behind who write in passing: a hundred pages.
const PASSING_LOG: u64 = 100 * 4120;

/// Opens a file that exists, and brings it up to date.
pub(super) fn open(path: &Path, schema: &Schema) -> Result<Connection, Failure> {
    open_within(path, schema, PATIENCE)
}

/// The same for whoever waits longer for somebody else's lock, or less long.
pub(super) fn open_within(path: &Path, schema: &Schema, patience: Duration) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    // Whoever waits inside SQLite for the change to a write-ahead log keeps a lock that others wait for.
    conn.busy_timeout(Duration::ZERO)?;
    // Looks before it changes anything: even the journal mode is a change to somebody else's file.
    let looked = patiently(patience, || schema.version(&conn, path))
        .and_then(|version| patiently(patience, || write_ahead(&conn)).map(|()| version));
    match looked {
        Ok(version) => {
            conn.busy_timeout(patience)?;
            prepared(conn, path, schema, version)
        }
        // SQLite needs to write beside the file even to read it.
        Err(failure) if failure.is(ErrorCode::CannotOpen) && conn.is_readonly("main")? => {
            Err(StoreError::ReadOnly { path: path.to_owned() }.into())
        }
        Err(failure) => Err(failure),
    }
}

pub(super) fn in_memory(path: &Path, schema: &Schema) -> Result<Connection, Failure> {
    prepared(Connection::open_in_memory()?, path, schema, 0)
}

/// `version` is what the database was found to have.
fn prepared(mut conn: Connection, path: &Path, schema: &Schema, version: i64) -> Result<Connection, Failure> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(StoreError::OldSqlite { found: rusqlite::version().to_owned() }.into());
    }
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "cache_size", -PAGES_KEPT_KIB)?;
    // What is deleted from a page that is written anyway does not stay on it.
    conn.pragma_update(None, "secure_delete", "FAST")?;
    if version != schema.known() {
        schema.bring_up(&mut conn, path)?;
    }
    Ok(conn)
}

/// What is written from now on is not waited for until it is on the disk, and the log is left to others to empty. A
/// crash of the machine may take the last of it and damages nothing.
///
/// Everybody who opens the store alone reads its whole log and knows nothing of what was taken out of it before, so a log
/// that is only copied never begins anew: whoever finds it long cuts it off.
pub(super) fn in_passing(conn: &Connection, path: &Path) -> Result<(), Failure> {
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    if logged(path) > PASSING_LOG { cut_off(conn) } else { Ok(()) }
}

/// How long the log is, in bytes.
fn logged(path: &Path) -> u64 {
    std::fs::metadata(log_of(path)).map_or(0, |log| log.len())
}

/// Takes the log into the file and leaves nothing in it. Waits for whoever looks at something, and says whether it
/// could.
pub(super) fn emptied(conn: &Connection) -> Result<bool, Failure> {
    conn.busy_timeout(A_MOMENT)?;
    let asked = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    conn.busy_timeout(PATIENCE)?;
    match asked.map_err(Failure::from) {
        Ok(is_busy) => Ok(!is_busy),
        Err(failure) if failure.is(ErrorCode::DatabaseBusy) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// Takes the log into the file. Where somebody else is at the store it stays, and the next one tries.
fn cut_off(conn: &Connection) -> Result<(), Failure> {
    conn.busy_timeout(Duration::ZERO)?;
    let cut = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    conn.busy_timeout(PATIENCE)?;
    match cut.map_err(Failure::from) {
        Err(failure) if failure.is(ErrorCode::DatabaseBusy) => Ok(()),
        cut => cut,
    }
}

fn write_ahead(conn: &Connection) -> Result<(), Failure> {
    let mode: String = conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(Failure::Damaged(format!("journal mode is {mode} instead of wal")));
    }
    conn.pragma_update_and_check(None, "journal_size_limit", LONGEST_LOG, |_| Ok(()))?;
    Ok(())
}

/// Waits outside SQLite, with no lock in hand.
fn patiently<T>(patience: Duration, attempt: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(failure) if failure.is(ErrorCode::DatabaseBusy) && begun.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(2));
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PASSING_LOG, in_passing, logged, open};
    use crate::sqlite::schema::{Migration, Schema};

    const TABLE: Migration = Migration { name: "first", sql: "CREATE TABLE t (x)" };

    /// No kill of a process shows whether the disk was flushed, so the settings themselves are looked at.
    #[test]
    fn every_commit_is_flushed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.db");
        std::fs::write(&path, "").unwrap();
        let conn = open(&path, &Schema { application_id: 7, migrations: &[] }).unwrap();
        let number = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        let mode: String = conn.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        assert_eq!((number("synchronous"), number("foreign_keys"), mode.as_str()), (2, 1, "wal"));
        assert_eq!((number("busy_timeout"), number("wal_autocheckpoint")), (5000, 1000));
    }

    #[test]
    fn what_is_written_in_passing_is_not_waited_for_and_its_log_stays_short() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.db");
        std::fs::write(&path, "").unwrap();
        let schema = Schema { application_id: 7, migrations: &[TABLE] };
        let mut longest = 0;
        // Each of them is alone, as the processes of a host's events are.
        for _ in 0..400 {
            let conn = open(&path, &schema).unwrap();
            in_passing(&conn, &path).unwrap();
            let number = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
            assert_eq!(number("synchronous"), 1);
            conn.execute_batch("INSERT INTO t VALUES (randomblob(2000))").unwrap();
            conn.close().unwrap();
            let left = logged(&path);
            assert!(left > 0, "others empty it");
            longest = longest.max(left);
        }
        assert!(longest <= PASSING_LOG + 10 * 4120, "{longest} bytes of log");
        let conn = open(&path, &schema).unwrap();
        let kept: i64 = conn.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 400);
    }

    #[test]
    fn a_long_log_that_somebody_reads_is_left_to_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.db");
        std::fs::write(&path, "").unwrap();
        let schema = Schema { application_id: 7, migrations: &[TABLE] };
        let other = open(&path, &schema).unwrap();
        other.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        other.execute_batch("INSERT INTO t VALUES (zeroblob(900000)); BEGIN").unwrap();
        let _seen: i64 = other.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        let conn = open(&path, &schema).unwrap();
        in_passing(&conn, &path).unwrap();
        assert!(logged(&path) > PASSING_LOG);
        conn.execute_batch("INSERT INTO t VALUES (1)").unwrap();
    }
}
