//! The journal: appended to, never changed.

use ralph_core::event::{Entry, FORMAT};
use ralph_core::id::RunId;
use ralph_core::run::Fresh;
use rusqlite::{Connection, Row, params};

use super::failure::Failure;
use super::runs::{self, stored_time};
use super::seal::{intact, seal};

pub(super) fn append(
    conn: &Connection,
    run: &RunId,
    last_seq: u64,
    events: &[(Fresh, String)],
) -> Result<Vec<Entry>, Failure> {
    let mut insert = conn.prepare_cached("INSERT INTO journal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut entries = Vec::with_capacity(events.len());
    for ((Fresh { at, event }, text), seq) in events.iter().zip(last_seq + 1..) {
        let when = at.to_string();
        let sealed = seal(&[run.as_str(), &seq.to_string(), &when, text]);
        insert.execute(params![run.as_str(), seq as i64, when, event.name(), FORMAT, text, sealed])?;
        entries.push(Entry { seq, at: *at, event: event.clone() });
    }
    Ok(entries)
}

pub(super) fn read(conn: &Connection, run: &RunId, after: u64, limit: usize) -> Result<Vec<Entry>, Failure> {
    let Some(standing) = runs::standing(conn, run)? else { return Ok(Vec::new()) };
    let entries = lines(conn, run, after, limit)?;
    let expected = standing.last_seq.saturating_sub(after).min(limit as u64);
    if entries.len() as u64 != expected {
        return Err(Failure::Damaged(format!("run {run} has lost lines of its journal")));
    }
    Ok(entries)
}

fn lines(conn: &Connection, run: &RunId, after: u64, limit: usize) -> Result<Vec<Entry>, Failure> {
    let sql = "SELECT seq, at, format, payload, seal FROM journal WHERE run = ?1 AND seq > ?2
               ORDER BY seq LIMIT ?3";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let mut query = conn.prepare_cached(sql)?;
    let mut rows = query.query(params![run.as_str(), after, limit])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let entry = entry(row, run)?;
        let expected = after.unsigned_abs() + 1 + entries.len() as u64;
        if entry.seq != expected {
            return Err(Failure::Damaged(format!("line {expected} of run {run} is missing")));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// From a row that begins with seq, at, format, payload, seal.
pub(super) fn entry(row: &Row<'_>, run: &RunId) -> Result<Entry, Failure> {
    let seq = row.get::<_, i64>(0)?.unsigned_abs();
    let (at, format, text): (String, i64, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
    if format > i64::from(FORMAT) {
        return Err(Failure::Newer { found: format, known: FORMAT.into() });
    }
    let what = || format!("line {seq} of run {run}");
    intact(&[run.as_str(), &seq.to_string(), &at, &text], row.get(4)?, what)?;
    let event =
        serde_json::from_str(&text).map_err(|error| Failure::Damaged(format!("{}: {error}", what())))?;
    Ok(Entry { seq, at: stored_time(&at)?, event })
}
