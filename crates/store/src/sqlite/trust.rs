//! What a person has allowed.

use ralph_core::Timestamp;
use rusqlite::{Connection, params};

use super::failure::Failure;
use super::runs::stored_time;
use crate::trust::Trusted;

pub(super) fn grant(conn: &Connection, what: &str, hash: &str, at: Timestamp) -> Result<(), Failure> {
    let sql = "INSERT OR REPLACE INTO trust VALUES (?1, ?2, ?3)";
    conn.prepare_cached(sql)?.execute(params![what, hash, at.to_string()])?;
    Ok(())
}

pub(super) fn is_trusted(conn: &Connection, what: &str, hash: &str) -> Result<bool, Failure> {
    Ok(conn.prepare_cached("SELECT 1 FROM trust WHERE what = ?1 AND hash = ?2")?.exists([what, hash])?)
}

pub(super) fn revoke(conn: &Connection, what: &str) -> Result<bool, Failure> {
    Ok(conn.prepare_cached("DELETE FROM trust WHERE what = ?1")?.execute([what])? > 0)
}

pub(super) fn all(conn: &Connection) -> Result<Vec<Trusted>, Failure> {
    let mut query = conn.prepare_cached("SELECT what, hash, at FROM trust ORDER BY what")?;
    let mut rows = query.query(())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let at = stored_time(&row.get::<_, String>(2)?)?;
        found.push(Trusted { what: row.get(0)?, hash: row.get(1)?, at });
    }
    Ok(found)
}
