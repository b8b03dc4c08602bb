//! The log of what was remembered.

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{MemoryEvent, Recorded};
use rusqlite::{Connection, Row, params};

use super::super::draft::json;
use super::super::failure::Failure;
use super::super::runs::stored_time;
use super::super::seal::{intact, seal};
use super::notes;

/// The version of an event's format; a newer one is refused.
const FORMAT: i64 = 1;
const COLUMNS: &str = "seq, note, at, event, format, payload, seal";

pub(in crate::sqlite) fn append(
    conn: &Connection,
    events: &[MemoryEvent],
    at: Timestamp,
) -> Result<Vec<u64>, Failure> {
    let last: i64 = last(conn)?;
    let mut insert = conn.prepare_cached("INSERT INTO memory_log VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let at = at.to_string();
    let mut lines = Vec::with_capacity(events.len());
    for (event, seq) in events.iter().zip(last + 1..) {
        let (note, name, payload) = (event.note().as_str(), event.name(), json(event));
        let sealed = seal(&[&seq.to_string(), note, &at, name, &payload]);
        if let MemoryEvent::Forgotten { note } = event {
            blank(conn, note)?;
        }
        insert.execute(params![seq, note, at, name, FORMAT, payload, sealed])?;
        lines.push(seq.unsigned_abs());
    }
    Ok(lines)
}

pub(super) fn last(conn: &Connection) -> Result<i64, Failure> {
    let sql = "SELECT coalesce(max(seq), 0) FROM memory_log";
    Ok(conn.prepare_cached(sql)?.query_row((), |row| row.get(0))?)
}

pub(super) fn read(conn: &Connection, after: u64, limit: usize) -> Result<Vec<Recorded>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM memory_log WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    let mut query = conn.prepare_cached(&sql)?;
    let mut rows = query.query(params![after.cast_signed(), limit as i64])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        lines.push(recorded(row)?);
    }
    let follows = |(line, expected): (&Recorded, u64)| line.seq == expected;
    if !lines.iter().zip(after + 1..).all(follows) {
        return Err(Failure::Damaged("lines of the memory's log are missing".to_owned()));
    }
    Ok(lines)
}

pub(super) fn of(conn: &Connection, note: &NoteId) -> Result<Vec<Recorded>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM memory_log WHERE note = ?1 ORDER BY seq");
    let mut query = conn.prepare_cached(&sql)?;
    let mut rows = query.query([note.as_str()])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        lines.push(recorded(row)?);
    }
    Ok(lines)
}

/// Takes what a note said out of the log and out of everything made of it. Its pages are overwritten, not just freed.
fn blank(conn: &Connection, note: &NoteId) -> Result<(), Failure> {
    overwriting(conn, || {
        let sql = "UPDATE memory_log SET payload = NULL, seal = ?2 WHERE seq = ?1";
        let mut update = conn.prepare_cached(sql)?;
        for line in of(conn, note)? {
            let (seq, at) = (line.seq.cast_signed(), line.at.to_string());
            update.execute(params![seq, seal(&[&seq.to_string(), note.as_str(), &at, &line.name, ""])])?;
        }
        notes::remove(conn, note)
    })
}

/// What a change deletes or replaces is overwritten on pages that become free, too. Each of those is written for it, so
/// that nothing is changed this way that says nothing.
pub(super) fn overwriting<T>(
    conn: &Connection,
    change: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    conn.pragma_update(None, "secure_delete", true)?;
    let changed = change();
    conn.pragma_update(None, "secure_delete", "FAST")?;
    changed
}

fn recorded(row: &Row<'_>) -> Result<Recorded, Failure> {
    let (seq, note, at, name): (i64, String, String, String) =
        (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
    let (format, payload): (i64, Option<String>) = (row.get(4)?, row.get(5)?);
    if format > FORMAT {
        return Err(Failure::Newer { found: format, known: FORMAT });
    }
    let what = || format!("line {seq} of the memory's log");
    let said = payload.as_deref().unwrap_or_default();
    intact(&[&seq.to_string(), &note, &at, &name, said], row.get(6)?, what)?;
    let damaged = |error: String| Failure::Damaged(format!("{}: {error}", what()));
    Ok(Recorded {
        seq: seq.unsigned_abs(),
        at: stored_time(&at)?,
        note: NoteId::parse(&note).map_err(|error| damaged(error.to_string()))?,
        name,
        event: payload
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| damaged(error.to_string()))?,
    })
}
