//! Where each run stands.

use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::id::RunId;
use ralph_core::run::Run;
use rusqlite::{Connection, Row, params};

use super::draft::Draft;
use super::failure::Failure;
use super::seal::{intact, seal};
use super::{controls, journal, outbox};
use crate::error::{Fence, StoreError};
use crate::outbox::NewDelivery;
use crate::store::{Commit, Unfinished};
use crate::summary::{Headline, RunSummary};
use ralph_core::event::Entry;

/// The version of a checkpoint's format; a newer one is refused.
const CHECKPOINT: i64 = 1;

/// A row of `runs`.
pub(super) struct Standing {
    pub(super) id: RunId,
    pub(super) last_seq: u64,
    pub(super) last_control: u64,
    pub(super) unfinished: bool,
    superseded_by: Option<RunId>,
    holder: i64,
    headline: String,
}

pub(super) const COLUMNS: &str = "runs.id, runs.last_seq, runs.last_control, runs.unfinished, runs.superseded_by, runs.holder, runs.summary, runs.seal";

pub(super) fn create(
    conn: &Connection,
    draft: &Draft,
    over: Unfinished,
    holder: i64,
) -> Result<Vec<Entry>, Failure> {
    let open = "WHERE unfinished = 1 AND superseded_by IS NULL AND in_session = 0 ORDER BY no DESC";
    for mut other in standings(conn, open, [])? {
        match over {
            Unfinished::Refuse => return Err(other.exists()?.into()),
            Unfinished::Supersede => {
                other.superseded_by = Some(draft.id.clone());
                other.update(conn)?;
            }
        }
    }
    insert(conn, draft, Lives::InTheProject, holder)
}

/// Where a run lives from its first day to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lives {
    InTheProject,
    InASession,
}

/// Writes a run that nothing stands in the way of.
pub(super) fn insert(
    conn: &Connection,
    draft: &Draft,
    lives: Lives,
    holder: i64,
) -> Result<Vec<Entry>, Failure> {
    if let Some(same) = standing(conn, &draft.id)? {
        return Err(same.exists()?.into());
    }
    let mut standing = Standing {
        id: draft.id.clone(),
        last_seq: 0,
        last_control: 0,
        unfinished: draft.unfinished,
        superseded_by: None,
        holder,
        headline: String::new(),
    };
    let row = params![draft.id.as_str(), holder, lives == Lives::InASession];
    conn.prepare_cached("INSERT INTO runs VALUES (NULL, ?1, 0, 0, 1, NULL, ?2, '', 0, ?3)")?.execute(row)?;
    hear(conn, &draft.id, Duration::ZERO)?;
    write(conn, &mut standing, draft)
}

pub(super) fn commit(conn: &Connection, draft: &Draft, holder: i64) -> Result<Commit, Failure> {
    let mut standing = held(conn, &draft.id, holder)?;
    let unseen = controls::after(conn, &standing, draft.controls_seen)?;
    if !unseen.is_empty() {
        return Ok(Commit::Controls(unseen));
    }
    controls::mark_applied(conn, &draft.id, draft.controls_seen, draft.at)?;
    Ok(Commit::Written(write(conn, &mut standing, draft)?))
}

fn write(conn: &Connection, standing: &mut Standing, draft: &Draft) -> Result<Vec<Entry>, Failure> {
    let entries = journal::append(conn, &draft.id, standing.last_seq, &draft.events)?;
    for NewDelivery { event, hook } in &draft.deliveries {
        outbox::enqueue(conn, &draft.id, &entries[*event], hook)?;
    }
    standing.last_seq += entries.len() as u64;
    standing.unfinished = draft.unfinished;
    standing.headline.clone_from(&draft.headline);
    standing.update(conn)?;
    let id = draft.id.as_str();
    let sealed = seal(&[id, &draft.checkpoint]);
    conn.prepare_cached("INSERT OR REPLACE INTO checkpoints VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        id,
        CHECKPOINT,
        draft.checkpoint,
        sealed
    ])?;
    Ok(entries)
}

/// The standing of a run that this handle may write.
fn held(conn: &Connection, id: &RunId, holder: i64) -> Result<Standing, Failure> {
    let standing = must_be(standing(conn, id)?, id)?;
    standing.refuse_superseded()?;
    if standing.holder != holder {
        return Err(StoreError::Fenced { run: id.clone(), why: Fence::HeldElsewhere }.into());
    }
    Ok(standing)
}

pub(super) fn heartbeat(
    conn: &Connection,
    id: &RunId,
    running: Duration,
    holder: i64,
) -> Result<(), Failure> {
    held(conn, id, holder)?;
    hear(conn, id, running.max(heard(conn, id)?))
}

fn hear(conn: &Connection, id: &RunId, running: Duration) -> Result<(), Failure> {
    let nanos = i64::try_from(running.as_nanos()).unwrap_or(i64::MAX);
    let sealed = seal(&[id.as_str(), &nanos.to_string()]);
    conn.prepare_cached("INSERT OR REPLACE INTO heartbeats VALUES (?1, ?2, ?3)")?.execute(params![
        id.as_str(),
        nanos,
        sealed
    ])?;
    Ok(())
}

/// The running time of the last heartbeat.
fn heard(conn: &Connection, id: &RunId) -> Result<Duration, Failure> {
    let mut query = conn.prepare_cached("SELECT running_ns, seal FROM heartbeats WHERE run = ?1")?;
    let (nanos, sealed): (i64, i64) = query.query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    intact(&[id.as_str(), &nanos.to_string()], sealed, || format!("the running time of run {id}"))?;
    Ok(Duration::from_nanos(nanos.unsigned_abs()))
}

pub(super) fn load(conn: &Connection, id: &RunId) -> Result<Option<Run>, Failure> {
    if standing(conn, id)?.is_none() {
        return Ok(None);
    }
    let mut query = conn.prepare_cached("SELECT format, checkpoint, seal FROM checkpoints WHERE run = ?1")?;
    let (format, text, sealed): (i64, String, i64) =
        query.query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    if format > CHECKPOINT {
        return Err(Failure::Newer { found: format, known: CHECKPOINT });
    }
    let what = || format!("the checkpoint of run {id}");
    intact(&[id.as_str(), &text], sealed, what)?;
    let mut run: Run =
        serde_json::from_str(&text).map_err(|error| Failure::Damaged(format!("{}: {error}", what())))?;
    run.tally.running = run.tally.running.max(heard(conn, id)?);
    Ok(Some(run))
}

pub(super) fn take(conn: &Connection, id: &RunId, holder: i64) -> Result<Option<Run>, Failure> {
    let Some(mut standing) = standing(conn, id)? else { return Ok(None) };
    standing.refuse_superseded()?;
    if standing.holder != holder {
        standing.holder = holder;
        standing.update(conn)?;
    }
    load(conn, id)
}

pub(super) fn newest(conn: &Connection, limit: usize) -> Result<Vec<RunSummary>, Failure> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = standings(conn, "ORDER BY no DESC LIMIT ?1", [limit])?;
    found.into_iter().map(Standing::summary).collect()
}

/// The newest that does not live in a session: what people mean who name none.
pub(super) fn newest_of_the_project(conn: &Connection) -> Result<Option<RunSummary>, Failure> {
    let found = standings(conn, "WHERE in_session = 0 ORDER BY no DESC LIMIT ?1", [1_i64])?;
    found.into_iter().next().map(Standing::summary).transpose()
}

pub(super) fn find(conn: &Connection, prefix: &str) -> Result<RunId, Failure> {
    let begins = "WHERE substr(id, 1, length(?1)) = ?1 ORDER BY no DESC";
    let mut candidates: Vec<RunId> =
        standings(conn, begins, [prefix])?.into_iter().map(|standing| standing.id).collect();
    match candidates.len() {
        0 => Err(StoreError::NoRun { run: prefix.to_owned() }.into()),
        1 => Ok(candidates.remove(0)),
        _ => Err(StoreError::AmbiguousRun { prefix: prefix.to_owned(), candidates }.into()),
    }
}

pub(super) fn standing(conn: &Connection, id: &RunId) -> Result<Option<Standing>, Failure> {
    if let Some(found) = standings(conn, "WHERE id = ?1", [id.as_str()])?.pop() {
        return Ok(Some(found));
    }
    // An index that is broken finds nothing and says nothing.
    if standings(conn, "NOT INDEXED WHERE id = ?1", [id.as_str()])?.is_empty() {
        return Ok(None);
    }
    Err(Failure::Damaged(format!("the index has lost run {id}")))
}

pub(super) fn must_be(standing: Option<Standing>, id: &RunId) -> Result<Standing, Failure> {
    standing.ok_or_else(|| StoreError::NoRun { run: id.to_string() }.into())
}

fn standings(
    conn: &Connection,
    which: &str,
    params: impl rusqlite::Params,
) -> Result<Vec<Standing>, Failure> {
    let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM runs {which}"))?;
    let mut rows = query.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(Standing::read(row)?);
    }
    Ok(found)
}

impl Standing {
    /// From a row that begins with `COLUMNS`.
    pub(super) fn read(row: &Row<'_>) -> Result<Standing, Failure> {
        let id: String = row.get(0)?;
        let superseded_by: Option<String> = row.get(4)?;
        let standing = Standing {
            id: stored_id(&id)?,
            last_seq: row.get::<_, i64>(1)?.unsigned_abs(),
            last_control: row.get::<_, i64>(2)?.unsigned_abs(),
            unfinished: row.get(3)?,
            superseded_by: superseded_by.as_deref().map(stored_id).transpose()?,
            holder: row.get(5)?,
            headline: row.get(6)?,
        };
        if standing.seal() != row.get::<_, i64>(7)? {
            return Err(Failure::Damaged(format!("the standing of run {id} is not what was written")));
        }
        Ok(standing)
    }

    fn seal(&self) -> i64 {
        seal(&[
            self.id.as_str(),
            &self.last_seq.to_string(),
            &self.last_control.to_string(),
            &self.unfinished.to_string(),
            self.superseded_by.as_ref().map_or("", RunId::as_str),
            &self.holder.to_string(),
            &self.headline,
        ])
    }

    pub(super) fn update(&self, conn: &Connection) -> Result<(), Failure> {
        let row = params![
            self.id.as_str(),
            self.last_seq as i64,
            self.last_control as i64,
            self.unfinished,
            self.superseded_by.as_ref().map(RunId::as_str),
            self.holder,
            self.headline,
            self.seal()
        ];
        let sql = "UPDATE runs SET last_seq = ?2, last_control = ?3, unfinished = ?4, superseded_by = ?5,
                   holder = ?6, summary = ?7, seal = ?8 WHERE id = ?1";
        conn.prepare_cached(sql)?.execute(row)?;
        Ok(())
    }

    pub(super) fn refuse_superseded(&self) -> Result<(), Failure> {
        match &self.superseded_by {
            Some(by) => {
                let why = Fence::Superseded { by: by.clone() };
                Err(StoreError::Fenced { run: self.id.clone(), why }.into())
            }
            None => Ok(()),
        }
    }

    pub(super) fn exists(self) -> Result<StoreError, Failure> {
        let summary = self.summary()?;
        Ok(StoreError::RunExists { run: summary.id, state: summary.state })
    }

    pub(super) fn finished(self) -> Result<StoreError, Failure> {
        let summary = self.summary()?;
        let reason =
            summary.reason.ok_or_else(|| Failure::Damaged(format!("run {} has no end", summary.id)))?;
        Ok(StoreError::RunFinished { run: summary.id, reason })
    }

    pub(super) fn summary(self) -> Result<RunSummary, Failure> {
        let headline: Headline = serde_json::from_str(&self.headline)
            .map_err(|error| Failure::Damaged(format!("the summary of run {}: {error}", self.id)))?;
        let Headline { state, reason, title, agent, iterations, started_at, changed_at } = headline;
        Ok(RunSummary {
            id: self.id,
            state,
            reason,
            title,
            agent,
            iterations,
            started_at,
            changed_at,
            seq: self.last_seq,
            superseded_by: self.superseded_by,
        })
    }
}

pub(super) fn stored_id(text: &str) -> Result<RunId, Failure> {
    RunId::parse(text).map_err(|error| Failure::Damaged(error.to_string()))
}

pub(super) fn stored_time(text: &str) -> Result<Timestamp, Failure> {
    text.parse().map_err(|error: jiff::Error| Failure::Damaged(error.to_string()))
}
