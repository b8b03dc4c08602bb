//! Which loop lives in which session.

use ralph_core::event::Entry;
use ralph_core::id::{AgentName, RunId, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

use super::draft::Draft;
use super::failure::Failure;
use super::runs::{self, COLUMNS, Standing, stored_id};
use crate::session::Seat;
use crate::summary::RunSummary;

pub(super) fn create(
    conn: &Connection,
    draft: &Draft,
    seat: &Seat,
    holder: i64,
) -> Result<Vec<Entry>, Failure> {
    refuse_taken(conn, seat, &draft.id)?;
    let entries = runs::insert(conn, draft, holder)?;
    sit(conn, &draft.id, seat)?;
    Ok(entries)
}

pub(super) fn bind(conn: &Connection, run: &RunId, seat: &Seat) -> Result<(), Failure> {
    runs::must_be(runs::standing(conn, run)?, run)?.refuse_superseded()?;
    refuse_taken(conn, seat, run)?;
    conn.prepare_cached("DELETE FROM loops WHERE run = ?1")?.execute([run.as_str()])?;
    sit(conn, run, seat)
}

fn sit(conn: &Connection, run: &RunId, seat: &Seat) -> Result<(), Failure> {
    let row = [seat.host.as_str(), seat.session.as_str(), run.as_str()];
    conn.prepare_cached("INSERT OR REPLACE INTO loops VALUES (?1, ?2, ?3)")?.execute(row)?;
    Ok(())
}

fn refuse_taken(conn: &Connection, seat: &Seat, by: &RunId) -> Result<(), Failure> {
    let Some(other) = of(conn, Some(&seat.host), &seat.session)? else { return Ok(()) };
    match runs::standing(conn, &other)? {
        Some(standing) if standing.unfinished && standing.id != *by => Err(standing.exists()?.into()),
        _ => Ok(()),
    }
}

/// If hosts share a session's name, the newest loop.
pub(super) fn of(
    conn: &Connection,
    host: Option<&AgentName>,
    session: &SessionId,
) -> Result<Option<RunId>, Failure> {
    let sql = "SELECT run FROM loops JOIN runs ON runs.id = loops.run
               WHERE session = ?1 AND (?2 IS NULL OR host = ?2) ORDER BY runs.no DESC LIMIT 1";
    let mut query = conn.prepare_cached(sql)?;
    let wanted = params![session.as_str(), host.map(AgentName::as_str)];
    let found: Option<String> = query.query_row(wanted, |row| row.get(0)).optional()?;
    found.as_deref().map(stored_id).transpose()
}

pub(super) fn unfinished(conn: &Connection) -> Result<Vec<(Seat, RunSummary)>, Failure> {
    let sql = format!(
        "SELECT {COLUMNS}, host, session FROM runs JOIN loops ON loops.run = runs.id
         WHERE unfinished = 1 AND superseded_by IS NULL ORDER BY runs.no DESC"
    );
    let mut query = conn.prepare_cached(&sql)?;
    let mut rows = query.query(())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let named = |error: ralph_core::id::BadId| Failure::Damaged(error.to_string());
        let seat = Seat {
            host: AgentName::parse(&row.get::<_, String>(8)?).map_err(named)?,
            session: SessionId::parse(&row.get::<_, String>(9)?).map_err(named)?,
        };
        found.push((seat, Standing::read(row)?.summary()?));
    }
    Ok(found)
}

pub(super) fn unbind(conn: &Connection, seat: &Seat) -> Result<bool, Failure> {
    let sql = "DELETE FROM loops WHERE host = ?1 AND session = ?2";
    Ok(conn.prepare_cached(sql)?.execute([seat.host.as_str(), seat.session.as_str()])? > 0)
}
