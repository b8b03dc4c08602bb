//! Hook calls that wait to be made.

use ralph_core::Timestamp;
use ralph_core::event::Entry;
use ralph_core::id::RunId;
use rusqlite::{Connection, params};

use super::failure::Failure;
use super::journal;
use super::runs::stored_id;
use crate::outbox::{Delivery, DeliveryId};

pub(super) fn enqueue(conn: &Connection, run: &RunId, entry: &Entry, hook: &str) -> Result<(), Failure> {
    // Naming a hook twice for one event is one call.
    let sql = "INSERT OR IGNORE INTO outbox VALUES (NULL, ?1, ?2, ?3, 'waiting', ?4, 0, NULL)";
    let due = entry.at.as_microsecond();
    conn.prepare_cached(sql)?.execute(params![run.as_str(), entry.seq as i64, hook, due])?;
    Ok(())
}

pub(super) fn due(conn: &Connection, now: Timestamp, limit: usize) -> Result<Vec<Delivery>, Failure> {
    let sql = "SELECT journal.seq, at, format, payload, seal, outbox.id, outbox.run, hook, attempts
               FROM outbox JOIN journal ON journal.run = outbox.run AND journal.seq = outbox.seq
               WHERE state = 'waiting' AND due_at <= ?1 ORDER BY outbox.id LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut query = conn.prepare_cached(sql)?;
    let mut rows = query.query(params![now.as_microsecond(), limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let run = stored_id(&row.get::<_, String>(6)?)?;
        found.push(Delivery {
            id: DeliveryId(row.get(5)?),
            entry: journal::entry(row, &run)?,
            run,
            hook: row.get(7)?,
            attempts: row.get(8)?,
        });
    }
    Ok(found)
}

pub(super) fn delivered(conn: &Connection, id: DeliveryId) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE outbox SET state = 'delivered' WHERE id = ?1")?.execute([id.0])?;
    Ok(())
}

pub(super) fn failed(
    conn: &Connection,
    id: DeliveryId,
    why: &str,
    try_again: Option<Timestamp>,
) -> Result<(), Failure> {
    let state = if try_again.is_some() { "waiting" } else { "given_up" };
    let due = try_again.map(Timestamp::as_microsecond);
    let sql = "UPDATE outbox SET state = ?2, due_at = coalesce(?3, due_at), last_error = ?4,
               attempts = attempts + 1 WHERE id = ?1 AND state = 'waiting'";
    conn.prepare_cached(sql)?.execute(params![id.0, state, due, why])?;
    Ok(())
}
