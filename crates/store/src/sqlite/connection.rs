//! One connection with the settings that durability rests on.

use std::path::Path;
use std::time::Instant;

use rusqlite::{Connection, OpenFlags};

use super::failure::{Failure, PATIENCE};
use super::schema::Schema;
use crate::error::StoreError;

/// Earlier versions have a race in the write-ahead log that corrupts databases.
const OLDEST_SQLITE: i32 = 3_051_003;
/// Statements are few and all ours: every one of them stays prepared.
const STATEMENTS: usize = 64;
/// The log is cut back to this after a checkpoint, should it ever have grown beyond.
const LONGEST_LOG: i64 = 8 << 20;

/// Opens a file that exists, and brings it up to date.
pub(super) fn open(path: &Path, schema: &Schema) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(PATIENCE)?;
    // Looks before it changes anything: even the journal mode is a change to somebody else's file.
    patiently(|| schema.version(&conn, path))?;
    patiently(|| write_ahead(&conn))?;
    prepared(conn, path, schema)
}

pub(super) fn in_memory(path: &Path, schema: &Schema) -> Result<Connection, Failure> {
    prepared(Connection::open_in_memory()?, path, schema)
}

fn prepared(mut conn: Connection, path: &Path, schema: &Schema) -> Result<Connection, Failure> {
    let version = rusqlite::version_number();
    if version < OLDEST_SQLITE {
        return Err(StoreError::OldSqlite { found: rusqlite::version().to_owned() }.into());
    }
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    schema.bring_up(&mut conn, path)?;
    Ok(conn)
}

fn write_ahead(conn: &Connection) -> Result<(), Failure> {
    let mode: String = conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(Failure::Damaged(format!("journal mode is {mode} instead of wal")));
    }
    conn.pragma_update_and_check(None, "journal_size_limit", LONGEST_LOG, |_| Ok(()))?;
    Ok(())
}

/// While another process creates the file, SQLite answers "busy" without waiting.
fn patiently<T>(attempt: impl Fn() -> Result<T, Failure>) -> Result<T, Failure> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(failure) if failure.is_busy() && begun.elapsed() < PATIENCE => {
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            result => return result,
        }
    }
}
