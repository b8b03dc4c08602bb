//! What ranking needs of notes and of those beside them.

use std::collections::BTreeMap;

use ralph_core::Timestamp;
use ralph_core::note::Confidence;
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::super::failure::Failure;
use crate::notes::Placed;

/// A note and those beside it in its thread, if it has one, in one look.
const AROUND: &str = "
    SELECT beside.no, beside.thread, beside.place, beside.marks, beside.valid_from, beside.evidence_at,
           beside.confidence
    FROM note_places AS centre JOIN note_places AS beside
      ON beside.thread = centre.thread AND beside.place BETWEEN centre.place - ?2 AND centre.place + ?2
    WHERE centre.no = ?1 AND centre.thread <> 0 AND beside.thread <> 0";
const ALONE: &str = "
    SELECT no, thread, place, marks, valid_from, evidence_at, confidence FROM note_places WHERE no = ?1";

pub(super) fn read(conn: &Connection, numbers: &[u32], reach: u32) -> Result<Vec<Placed>, Failure> {
    let mut around = conn.prepare_cached(AROUND)?;
    let mut alone = conn.prepare_cached(ALONE)?;
    let mut found: BTreeMap<u32, Placed> = BTreeMap::new();
    for no in numbers {
        if reach > 0 {
            let mut rows = around.query([*no, reach])?;
            while let Some(row) = rows.next()? {
                let beside = placed(row)?;
                found.entry(beside.no).or_insert(beside);
            }
        }
        // It has no thread, or nobody asked for it.
        if !found.contains_key(no)
            && let Some(one) = alone.query_row([no], |row| Ok(placed(row))).optional()?
        {
            found.insert(*no, one?);
        }
    }
    Ok(found.into_values().collect())
}

fn placed(row: &Row<'_>) -> Result<Placed, Failure> {
    let thread: u32 = row.get(1)?;
    let confidence: f64 = row.get::<_, u16>(6)?.into();
    Ok(Placed {
        no: row.get(0)?,
        thread: (thread != 0).then_some(thread),
        place: row.get(2)?,
        marks: row.get(3)?,
        valid_from: time(row.get(4)?)?,
        evidence_at: time(row.get(5)?)?,
        confidence: Confidence::nearest(confidence / 1000.0),
    })
}

fn time(seconds: i64) -> Result<Timestamp, Failure> {
    Timestamp::from_second(seconds).map_err(|error| Failure::Damaged(format!("the time of a note: {error}")))
}
