//! What ranking needs of notes and of those beside them.

use std::collections::BTreeMap;

use ralph_core::Timestamp;
use ralph_core::note::Confidence;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::super::failure::Failure;
use crate::notes::Placed;

const COLUMNS: &str = "no, thread, place, marks, valid_from, evidence_at, confidence";

pub(super) fn read(conn: &Connection, numbers: &[u32], reach: u32) -> Result<Vec<Placed>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM note_places WHERE no = ?1");
    let mut one = conn.prepare_cached(&sql)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM note_places WHERE thread = ?1 AND thread <> 0 AND place BETWEEN ?2 AND ?3"
    );
    let mut beside = conn.prepare_cached(&sql)?;
    let mut found: BTreeMap<u32, Placed> = BTreeMap::new();
    for no in numbers {
        let centre = match found.get(no) {
            Some(centre) => centre.clone(),
            None => match one.query_row([no], |row| Ok(placed(row))).optional()? {
                Some(centre) => centre?,
                None => continue,
            },
        };
        if let Some(thread) = centre.thread.filter(|_| reach > 0) {
            let (first, last) = (centre.place.saturating_sub(reach), centre.place + reach);
            let mut rows = beside.query(params![thread, first, last])?;
            while let Some(row) = rows.next()? {
                let beside = placed(row)?;
                found.entry(beside.no).or_insert(beside);
            }
        }
        found.entry(centre.no).or_insert(centre);
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
