//! Sessions of hosts and what was said in them.

use std::collections::BTreeMap;

use ralph_core::Timestamp;
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::sessions::{Context, Due, LONGEST, Message, Role, Session, What};
use rusqlite::{Connection, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::failure::Failure;
use super::memory::append;
use crate::session::Seat;
use crate::sessions::Observation;

const COLUMNS: &str = "sessions.no, sessions.host, sessions.session, directory, loops.run, state, mode, transcript, checkpoint_at, asked, tool, error, started_at, seen_at";
const FROM: &str =
    "sessions LEFT JOIN loops ON loops.host = sessions.host AND loops.session = sessions.session";

/// The rule is the core's; its comparison is made here, so that nothing has to be read first.
const UPSERT: &str =
    "INSERT INTO sessions (host, session, directory, state, checkpoint_at, asked, tool, error, started_at, seen_at,
                           mode, transcript, used, noting, noted)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?5, ?5,
             coalesce(?10, 'agent'), ?11, iif(?12 IS NULL, '[]', json_array(?12)), ?13, iif(?13 IS NULL, 0, 1))
     ON CONFLICT (host, session) DO UPDATE SET
         directory = excluded.directory,
         state = excluded.state,
         checkpoint_at = iif(excluded.seen_at - checkpoint_at >= ?9 OR ?9 = 0, excluded.seen_at, checkpoint_at),
         asked = coalesce(excluded.asked, asked),
         tool = coalesce(excluded.tool, tool),
         error = coalesce(excluded.error, error),
         seen_at = max(seen_at, excluded.seen_at),
         mode = coalesce(?10, mode),
         transcript = coalesce(?11, transcript),
         used = iif(?12 IS NULL OR json_array_length(used) >= ?14, used, json_insert(used, '$[#]', ?12)),
         noted = iif(?13 IS NULL, noted, iif(noting IS ?13, noted + 1, 1)),
         noting = coalesce(?13, noting)
     RETURNING no, noted";

/// A host that does not say which tools a message took has told of each of them before.
const MESSAGE: &str = "INSERT OR IGNORE INTO session_messages (session, id, role, content, tools, at)
     SELECT no, ?2, ?3, ?4, iif(?3 = 'assistant' AND ?5 = '[]', used, ?5), ?6 FROM sessions WHERE no = ?1";

const END: &str = "UPDATE sessions SET state = ?3, seen_at = max(seen_at, ?4),
         checkpoint_at = iif(?4 - checkpoint_at >= ?5, ?4, checkpoint_at)
     WHERE host = ?1 AND session = ?2";

/// How many tools are remembered to have been used for one message.
const MOST_TOOLS: u32 = 100;

pub(super) fn observe(conn: &Connection, observation: &Observation) -> Result<bool, Failure> {
    let Observation { seat, directory, what, mode, transcript, noted, at } = observation;
    let after = match what.due() {
        Due::Now => 0,
        Due::After(time) => i64::try_from(time.as_nanos()).unwrap_or(i64::MAX),
    };
    if *what == What::Ended {
        // A session that was never seen does not begin with its end.
        conn.prepare_cached(END)?.execute(params![
            seat.host.as_str(),
            seat.session.as_str(),
            word(&what.leaves()),
            nanos(*at),
            after
        ])?;
        return Ok(true);
    }
    let context = learnt(what);
    let used = if let What::Tool { name } = what { Some(short(name)) } else { None };
    let (no, count): (i64, u32) = conn.prepare_cached(UPSERT)?.query_row(
        params![
            seat.host.as_str(),
            seat.session.as_str(),
            directory,
            word(&what.leaves()),
            nanos(*at),
            context.asked,
            context.tool,
            context.error,
            after,
            mode.as_ref().map(word),
            transcript,
            used,
            noted.as_ref().map(|noted| noted.of.as_str()),
            MOST_TOOLS
        ],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let mut is_new = true;
    if let What::Said { id, role, content, tools } = what {
        let tools = serde_json::to_string(tools).expect("names are JSON");
        let row = params![no, id, word(role), short(content), tools, nanos(*at)];
        is_new = conn.prepare_cached(MESSAGE)?.execute(row)? > 0;
    }
    if let Some(noted) = noted.as_ref().filter(|noted| count <= noted.most) {
        append(conn, std::slice::from_ref(&noted.event), *at)?;
    }
    Ok(is_new)
}

/// What something adds to the context.
fn learnt(what: &What) -> Context {
    let nothing = Context::default();
    match what {
        What::Said { role: Role::User, content, .. } => Context { asked: Some(short(content)), ..nothing },
        What::Tool { name } => Context { tool: Some(short(name)), ..nothing },
        What::Said { role: Role::Assistant, tools, .. } => {
            Context { tool: tools.last().map(|name| short(name)), ..nothing }
        }
        What::Error { what } => Context { error: Some(short(what)), ..nothing },
        What::Idle | What::Seen | What::Interrupted | What::Ended => nothing,
    }
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

pub(super) fn all(conn: &Connection) -> Result<Vec<Session>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM {FROM} ORDER BY seen_at DESC, sessions.no DESC");
    let mut query = conn.prepare_cached(&sql)?;
    let mut rows = query.query(())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// Whoever is named exactly is meant alone.
pub(super) fn find(conn: &Connection, named: &str) -> Result<Vec<Session>, Failure> {
    let all = all(conn)?;
    let exact = |session: &&Session| session.session.as_str() == named || session.no.to_string() == named;
    let found: Vec<Session> = all.iter().filter(exact).cloned().collect();
    if !found.is_empty() || named.is_empty() {
        return Ok(found);
    }
    Ok(all.into_iter().filter(|session| session.session.as_str().starts_with(named)).collect())
}

pub(super) fn of(conn: &Connection, seat: &Seat) -> Result<Option<Session>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE sessions.host = ?1 AND sessions.session = ?2");
    let mut query = conn.prepare_cached(&sql)?;
    let mut rows = query.query([seat.host.as_str(), seat.session.as_str()])?;
    rows.next()?.map(read).transpose()
}

pub(super) fn transcripts(
    conn: &Connection,
    host: &AgentName,
) -> Result<BTreeMap<SessionId, String>, Failure> {
    let sql = "SELECT session, transcript FROM sessions WHERE host = ?1 AND transcript IS NOT NULL";
    let mut query = conn.prepare_cached(sql)?;
    let mut rows = query.query([host.as_str()])?;
    let mut found = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let session = SessionId::parse(&row.get::<_, String>(0)?);
        found.insert(session.map_err(|error| Failure::Damaged(error.to_string()))?, row.get(1)?);
    }
    Ok(found)
}

pub(super) fn messages(conn: &Connection, session: u64, limit: usize) -> Result<Vec<Message>, Failure> {
    let sql = "SELECT id, role, content, tools, at FROM session_messages
               WHERE session = ?1 ORDER BY no DESC LIMIT ?2";
    let mut query = conn.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = query.query(params![number(session), limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let tools: String = row.get(3)?;
        found.push(Message {
            id: row.get(0)?,
            role: read_word(row.get(1)?)?,
            content: row.get(2)?,
            tools: serde_json::from_str(&tools).map_err(|error| Failure::Damaged(error.to_string()))?,
            at: time(row.get(4)?)?,
        });
    }
    found.reverse();
    Ok(found)
}

pub(super) fn resume(conn: &Connection, session: u64, at: Timestamp) -> Result<bool, Failure> {
    let sql =
        "UPDATE sessions SET state = 'active', checkpoint_at = ?2, seen_at = max(seen_at, ?2) WHERE no = ?1";
    Ok(conn.prepare_cached(sql)?.execute(params![number(session), nanos(at)])? > 0)
}

fn read(row: &Row<'_>) -> Result<Session, Failure> {
    let named = |error: ralph_core::id::BadId| Failure::Damaged(error.to_string());
    let run: Option<String> = row.get(4)?;
    Ok(Session {
        no: row.get::<_, i64>(0)?.unsigned_abs(),
        host: AgentName::parse(&row.get::<_, String>(1)?).map_err(named)?,
        session: SessionId::parse(&row.get::<_, String>(2)?).map_err(named)?,
        directory: row.get(3)?,
        run: run.map(|run| RunId::parse(&run)).transpose().map_err(named)?,
        state: read_word(row.get(5)?)?,
        mode: read_word(row.get(6)?)?,
        transcript: row.get(7)?,
        checkpoint_at: time(row.get(8)?)?,
        context: Context { asked: row.get(9)?, tool: row.get(10)?, error: row.get(11)? },
        started_at: time(row.get(12)?)?,
        seen_at: time(row.get(13)?)?,
    })
}

/// An enum's variant as it is written.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        other => panic!("a word is written as one, not as {other:?}"),
    }
}

fn read_word<T: DeserializeOwned>(word: String) -> Result<T, Failure> {
    serde_json::from_value(Value::String(word)).map_err(|error| Failure::Damaged(error.to_string()))
}

fn nanos(at: Timestamp) -> i64 {
    i64::try_from(at.as_nanosecond()).unwrap_or(i64::MAX)
}

fn time(nanos: i64) -> Result<Timestamp, Failure> {
    Timestamp::from_nanosecond(nanos.into()).map_err(|error| Failure::Damaged(error.to_string()))
}

fn number(session: u64) -> i64 {
    i64::try_from(session).unwrap_or(i64::MAX)
}
