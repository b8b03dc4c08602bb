//! How far the notes have come, and how many there are.

use rusqlite::{Connection, params};

use super::super::failure::Failure;
use super::log;
use crate::notes::MemoryState;

pub(super) fn read(conn: &Connection) -> Result<MemoryState, Failure> {
    let last = log::last(conn)?.unsigned_abs();
    let sql = "SELECT through, analysis, notes, length FROM memory_state";
    let row = conn.prepare_cached(sql)?.query_row((), |row| {
        let number = |at| row.get::<_, i64>(at).map(i64::unsigned_abs);
        Ok(MemoryState {
            last,
            through: number(0)?,
            analysis: number(1)? as u32,
            notes: number(2)?,
            length: number(3)?,
        })
    })?;
    Ok(row)
}

pub(super) fn reached(conn: &Connection, through: u64, analysis: u32) -> Result<(), Failure> {
    let sql = "UPDATE memory_state SET through = ?1, analysis = ?2";
    conn.prepare_cached(sql)?.execute(params![through.cast_signed(), analysis])?;
    Ok(())
}

/// Counts notes that can be found, and their words, in or out.
pub(super) fn count(conn: &Connection, notes: i64, length: i64) -> Result<(), Failure> {
    let sql = "UPDATE memory_state SET notes = notes + ?1, length = length + ?2";
    conn.prepare_cached(sql)?.execute([notes, length])?;
    Ok(())
}

pub(super) fn clear(conn: &Connection, analysis: u32) -> Result<(), Failure> {
    log::overwriting(conn, || {
        let sql =
            "DELETE FROM notes; DELETE FROM note_places; DELETE FROM note_threads; DELETE FROM note_words;
                   DELETE FROM note_trigrams;";
        Ok(conn.execute_batch(sql)?)
    })?;
    conn.execute("DELETE FROM note_postings", ())?;
    let sql = "UPDATE memory_state SET through = 0, analysis = ?1, notes = 0, length = 0";
    conn.execute(sql, [analysis])?;
    Ok(())
}
