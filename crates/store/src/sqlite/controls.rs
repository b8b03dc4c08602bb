//! What people asked of a run, in the order in which they asked.

use ralph_core::Timestamp;
use ralph_core::control::{Control, ControlNo};
use ralph_core::id::RunId;
use rusqlite::{Connection, params};

use super::failure::Failure;
use super::runs::{self, Standing};
use super::seal::{intact, seal};

pub(super) fn request(
    conn: &Connection,
    run: &RunId,
    control: &str,
    at: Timestamp,
) -> Result<ControlNo, Failure> {
    let mut standing = runs::must_be(runs::standing(conn, run)?, run)?;
    standing.refuse_superseded()?;
    if !standing.unfinished {
        return Err(standing.finished()?.into());
    }
    standing.last_control += 1;
    standing.update(conn)?;
    let no = standing.last_control;
    let sealed = seal(&[run.as_str(), &no.to_string(), control]);
    conn.prepare_cached("INSERT INTO controls VALUES (?1, ?2, ?3, ?4, ?5, NULL)")?.execute(params![
        run.as_str(),
        no as i64,
        at.to_string(),
        control,
        sealed
    ])?;
    Ok(ControlNo(no))
}

pub(super) fn after(
    conn: &Connection,
    standing: &Standing,
    seen: ControlNo,
) -> Result<Vec<(ControlNo, Control)>, Failure> {
    let run = &standing.id;
    let sql = "SELECT no, control, seal FROM controls WHERE run = ?1 AND no > ?2 ORDER BY no";
    let seen = i64::try_from(seen.0).unwrap_or(i64::MAX);
    let mut query = conn.prepare_cached(sql)?;
    let mut rows = query.query(params![run.as_str(), seen])?;
    let mut waiting = Vec::new();
    while let Some(row) = rows.next()? {
        let (no, text): (i64, String) = (row.get(0)?, row.get(1)?);
        let what = || format!("control {no} of run {run}");
        intact(&[run.as_str(), &no.to_string(), &text], row.get(2)?, what)?;
        let control =
            serde_json::from_str(&text).map_err(|error| Failure::Damaged(format!("{}: {error}", what())))?;
        waiting.push((ControlNo(no.unsigned_abs()), control));
    }
    if waiting.len() as u64 != standing.last_control.saturating_sub(seen.unsigned_abs()) {
        return Err(Failure::Damaged(format!("a control of run {run} is missing")));
    }
    Ok(waiting)
}

pub(super) fn mark_applied(
    conn: &Connection,
    run: &RunId,
    seen: ControlNo,
    at: Timestamp,
) -> Result<(), Failure> {
    let sql = "UPDATE controls SET applied_at = ?3 WHERE run = ?1 AND no <= ?2 AND applied_at IS NULL";
    let seen = i64::try_from(seen.0).unwrap_or(i64::MAX);
    conn.prepare_cached(sql)?.execute(params![run.as_str(), seen, at.to_string()])?;
    Ok(())
}

/// For those who only look: a run that is not there has no controls.
pub(super) fn waiting(
    conn: &Connection,
    run: &RunId,
    seen: ControlNo,
) -> Result<Vec<(ControlNo, Control)>, Failure> {
    runs::standing(conn, run)?.map_or(Ok(Vec::new()), |standing| after(conn, &standing, seen))
}
