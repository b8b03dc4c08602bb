//! Vectors of notes, by measure.

use ralph_core::id::NoteId;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::super::failure::Failure;
use crate::vectors::{Measured, NoteVector, VectorBatch, VectorTable};

/// A person who tries another measure may go back, and the notes for all projects have those of several; what was not
/// written to for longest is thrown away.
const MEASURES: i64 = 4;

pub(super) fn measured(conn: &Connection, identity: &str) -> Result<Option<Measured>, Failure> {
    Ok(of(conn, identity)?.map(|(_, measured)| measured))
}

fn of(conn: &Connection, identity: &str) -> Result<Option<(i64, Measured)>, Failure> {
    let sql = "SELECT no, dimensions, through FROM note_measures WHERE identity = ?1";
    let found = conn.prepare_cached(sql)?.query_row([identity], |row| {
        let dimensions = row.get::<_, u32>(1)? as usize;
        Ok((row.get(0)?, Measured { dimensions, through: row.get::<_, i64>(2)?.unsigned_abs() }))
    });
    Ok(found.optional()?)
}

pub(super) fn digests(
    conn: &Connection,
    identity: &str,
    notes: Vec<NoteId>,
) -> Result<Vec<(NoteId, u64)>, Failure> {
    let Some((measure, _)) = of(conn, identity)? else { return Ok(Vec::new()) };
    let mut query =
        conn.prepare_cached("SELECT digest FROM note_vectors WHERE measure = ?1 AND note = ?2")?;
    let mut found = Vec::with_capacity(notes.len());
    for note in notes {
        let digest =
            query.query_row(params![measure, note.as_str()], |row| row.get::<_, i64>(0)).optional()?;
        found.extend(digest.map(|digest| (note, digest.cast_unsigned())));
    }
    Ok(found)
}

pub(super) fn write(conn: &Connection, batch: &VectorBatch) -> Result<bool, Failure> {
    let known = of(conn, &batch.identity)?;
    let (dimensions, through) = known.map_or((batch.dimensions, 0), |(_, at)| (at.dimensions, at.through));
    let is_whole = batch.vectors.iter().all(|one| one.components.len() == dimensions);
    if through != batch.from || batch.dimensions != dimensions || !is_whole {
        return Ok(false);
    }
    let measure = match known {
        Some((measure, _)) => measure,
        None => begin(conn, batch)?,
    };
    let sql = "INSERT OR REPLACE INTO note_vectors SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS
               (SELECT 1 FROM memory_log WHERE note = ?2 AND event = 'FORGOTTEN' AND seq > ?5)";
    let mut insert = conn.prepare_cached(sql)?;
    for NoteVector { note, digest, components } in &batch.vectors {
        let bytes: Vec<u8> = components.iter().map(|component| component.cast_unsigned()).collect();
        let through = batch.through.cast_signed();
        insert.execute(params![measure, note.as_str(), digest.cast_signed(), bytes, through])?;
    }
    let sql = "UPDATE note_measures SET through = ?2, used = (SELECT max(used) + 1 FROM note_measures)
               WHERE no = ?1";
    conn.prepare_cached(sql)?.execute(params![measure, batch.through.cast_signed()])?;
    Ok(true)
}

fn begin(conn: &Connection, batch: &VectorBatch) -> Result<i64, Failure> {
    let sql = "INSERT INTO note_measures
               SELECT NULL, ?1, ?2, 0, ifnull(max(used), 0) + 1 FROM note_measures";
    conn.prepare_cached(sql)?.execute(params![batch.identity, batch.dimensions as i64])?;
    let measure = conn.last_insert_rowid();
    let kept = "SELECT no FROM note_measures ORDER BY used DESC LIMIT ?1";
    conn.execute(&format!("DELETE FROM note_vectors WHERE measure NOT IN ({kept})"), [MEASURES])?;
    conn.execute(&format!("DELETE FROM note_measures WHERE no NOT IN ({kept})"), [MEASURES])?;
    Ok(measure)
}

pub(super) fn read(conn: &Connection, identity: &str) -> Result<VectorTable, Failure> {
    let Some((measure, measured)) = of(conn, identity)? else { return Ok(VectorTable::default()) };
    let dimensions = measured.dimensions;
    let mut table = VectorTable { dimensions, ..VectorTable::default() };
    // Both are in the order of ids, so that neither is looked for.
    let sql = "SELECT n.no, v.vector FROM note_vectors v JOIN notes n ON n.id = v.note WHERE v.measure = ?1";
    let mut query = conn.prepare_cached(sql)?;
    let mut rows = query.query([measure])?;
    while let Some(row) = rows.next()? {
        let vector = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        if vector.len() != dimensions {
            return Err(Failure::Damaged(format!(
                "a vector has {} dimensions of {dimensions}",
                vector.len()
            )));
        }
        table.numbers.push(row.get(0)?);
        table.components.extend(vector.iter().map(|byte| byte.cast_signed()));
    }
    Ok(table)
}

/// By every measure.
pub(super) fn remove(conn: &Connection, note: &NoteId) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM note_vectors WHERE note = ?1")?.execute([note.as_str()])?;
    Ok(())
}
