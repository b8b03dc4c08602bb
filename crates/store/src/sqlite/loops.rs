//! Which loop lives in which session.

use ralph_core::event::Entry;
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::run::Run;
use rusqlite::{Connection, OptionalExtension, params};

use super::draft::Draft;
use super::failure::Failure;
use super::runs::{self, COLUMNS, Lives, Standing, stored_id};
use crate::session::{Berth, Seat};
use crate::store::Commit;
use crate::summary::RunSummary;

/// What stands where a host's name would, for a loop that no host has presented yet.
const NOBODY: &str = "";

pub(super) fn create(
    conn: &Connection,
    draft: &Draft,
    berth: &Berth,
    holder: i64,
) -> Result<Vec<Entry>, Failure> {
    refuse_taken(conn, berth, &draft.id)?;
    let entries = runs::insert(conn, draft, Lives::InASession, holder)?;
    sit(conn, &draft.id, berth)?;
    Ok(entries)
}

pub(super) fn bind(conn: &Connection, run: &RunId, seat: &Seat) -> Result<(), Failure> {
    let berth = Berth::from(seat.clone());
    runs::must_be(runs::standing(conn, run)?, run)?.refuse_superseded()?;
    refuse_taken(conn, &berth, run)?;
    conn.prepare_cached("DELETE FROM loops WHERE run = ?1")?.execute([run.as_str()])?;
    sit(conn, run, &berth)
}

/// None once a host has presented it: whoever did may be at work on it, and is not disturbed.
pub(super) fn take_unpresented(conn: &Connection, run: &RunId, holder: i64) -> Result<Option<Run>, Failure> {
    let mut query = conn.prepare_cached("SELECT 1 FROM loops WHERE run = ?1 AND host = ?2")?;
    if query.exists([run.as_str(), NOBODY])? { runs::take(conn, run, holder) } else { Ok(None) }
}

/// Whoever has presented it since has taken it, so the commit is refused.
pub(super) fn present(conn: &Connection, draft: &Draft, seat: &Seat, holder: i64) -> Result<Commit, Failure> {
    let commit = runs::commit(conn, draft, holder)?;
    if matches!(commit, Commit::Written(_)) {
        bind(conn, &draft.id, seat)?;
    }
    Ok(commit)
}

/// Whatever was there before is over, and only the run itself still says that it was a loop.
fn sit(conn: &Connection, run: &RunId, berth: &Berth) -> Result<(), Failure> {
    let row = [stored(berth.host.as_ref()), berth.session.as_str(), run.as_str()];
    conn.prepare_cached("INSERT OR REPLACE INTO loops VALUES (?1, ?2, ?3)")?.execute(row)?;
    Ok(())
}

fn stored(host: Option<&AgentName>) -> &str {
    host.map_or(NOBODY, AgentName::as_str)
}

/// A session whose host is not known may turn out to be any of that name.
fn refuse_taken(conn: &Connection, berth: &Berth, by: &RunId) -> Result<(), Failure> {
    let sql = "SELECT run FROM loops JOIN runs ON runs.id = loops.run
               WHERE session = ?1 AND (?2 = ?3 OR host IN (?2, ?3)) AND unfinished = 1 AND superseded_by IS NULL
               AND run <> ?4 ORDER BY runs.no DESC LIMIT 1";
    let asked = [berth.session.as_str(), stored(berth.host.as_ref()), NOBODY, by.as_str()];
    let found: Option<String> = conn.prepare_cached(sql)?.query_row(asked, |row| row.get(0)).optional()?;
    let Some(other) = found.as_deref().map(stored_id).transpose()? else { return Ok(()) };
    match runs::standing(conn, &other)? {
        Some(standing) => Err(standing.exists()?.into()),
        None => Ok(()),
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

pub(super) fn unfinished(conn: &Connection) -> Result<Vec<(Berth, RunSummary)>, Failure> {
    let sql = format!(
        "SELECT {COLUMNS}, host, session FROM runs JOIN loops ON loops.run = runs.id
         WHERE unfinished = 1 AND superseded_by IS NULL ORDER BY runs.no DESC"
    );
    let mut query = conn.prepare_cached(&sql)?;
    let mut rows = query.query(())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let named = |error: ralph_core::id::BadId| Failure::Damaged(error.to_string());
        let host = Some(row.get::<_, String>(8)?).filter(|host| host != NOBODY);
        let berth = Berth {
            host: host.as_deref().map(AgentName::parse).transpose().map_err(named)?,
            session: SessionId::parse(&row.get::<_, String>(9)?).map_err(named)?,
        };
        found.push((berth, Standing::read(row)?.summary()?));
    }
    Ok(found)
}
