//! Notes and everything by which they are found.

use std::collections::HashMap;

use ralph_core::id::NoteId;
use ralph_core::note::Note;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::super::draft::json;
use super::super::failure::Failure;
use super::super::seal::{intact, seal};
use super::postings::Changes;
use super::words::{Vocabulary, of_pairs, pairs};
use super::{log, state, vectors};
use crate::notes::{Batch, Indexed};
use crate::posting::Posting;
use crate::sum::{length, numbers_of};

/// The version of a note's format; a newer one is refused.
const FORMAT: i64 = 1;

pub(super) fn write(conn: &Connection, batch: &Batch) -> Result<bool, Failure> {
    let state = state::read(conn)?;
    if state.through != batch.from || (state.analysis != batch.analysis && state.through != 0) {
        return Ok(false);
    }
    let mut writer = Writer::default();
    // What a note said before it was changed must not outlive it.
    log::overwriting(conn, || {
        batch.gone.iter().try_for_each(|id| remove(conn, id))?;
        batch.changed.iter().try_for_each(|indexed| writer.put(conn, indexed))
    })?;
    writer.finish(conn)?;
    state::reached(conn, batch.through, batch.analysis)?;
    Ok(true)
}

/// As if it had never been there.
pub(super) fn remove(conn: &Connection, id: &NoteId) -> Result<(), Failure> {
    // Notes that are to be made again have theirs all the same.
    vectors::remove(conn, id)?;
    let Some(no) = number(conn, id)? else { return Ok(()) };
    let mut writer = Writer::default();
    writer.unlist(conn, no)?;
    writer.finish(conn)?;
    conn.prepare_cached("DELETE FROM note_places WHERE no = ?1")?.execute([no])?;
    conn.prepare_cached("DELETE FROM notes WHERE no = ?1")?.execute([no])?;
    Ok(())
}

pub(super) fn one(conn: &Connection, id: &NoteId) -> Result<Option<Note>, Failure> {
    let sql = "SELECT no, id, format, note, seal FROM notes WHERE id = ?1";
    let found = conn.prepare_cached(sql)?.query_row([id.as_str()], |row| Ok(stored(row))).optional()?;
    Ok(found.transpose()?.map(|(_, note)| note))
}

pub(super) fn newest(
    conn: &Connection,
    before: Option<u32>,
    limit: usize,
) -> Result<Vec<(u32, Note)>, Failure> {
    let sql = "SELECT no, id, format, note, seal FROM notes WHERE no < ?1 ORDER BY no DESC LIMIT ?2";
    let mut query = conn.prepare_cached(sql)?;
    let mut rows = query.query(params![before.unwrap_or(u32::MAX), limit as i64])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(stored(row)?);
    }
    Ok(found)
}

pub(super) fn numbered(conn: &Connection, numbers: &[u32]) -> Result<Vec<(u32, Note)>, Failure> {
    let mut query = conn.prepare_cached("SELECT no, id, format, note, seal FROM notes WHERE no = ?1")?;
    let mut found = Vec::with_capacity(numbers.len());
    for no in numbers {
        let row = query.query_row([no], |row| Ok(stored(row))).optional()?;
        found.extend(row.transpose()?);
    }
    Ok(found)
}

pub(super) fn numbers(conn: &Connection, ids: Vec<NoteId>) -> Result<Vec<(NoteId, u32)>, Failure> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(number(conn, &id)?.map(|no| (id, no)));
    }
    Ok(found)
}

fn number(conn: &Connection, id: &NoteId) -> Result<Option<u32>, Failure> {
    let mut query = conn.prepare_cached("SELECT no FROM notes WHERE id = ?1")?;
    Ok(query.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

fn stored(row: &Row<'_>) -> Result<(u32, Note), Failure> {
    let (no, id, format, text): (u32, String, i64, String) =
        (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
    if format > FORMAT {
        return Err(Failure::Newer { found: format, known: FORMAT });
    }
    let what = || format!("note {id}");
    intact(&[&id, &text], row.get(4)?, what)?;
    let note =
        serde_json::from_str(&text).map_err(|error| Failure::Damaged(format!("{}: {error}", what())))?;
    Ok((no, note))
}

/// What a batch does to the words, gathered, so that every list is read and written once.
#[derive(Debug, Default)]
struct Writer {
    vocabulary: Vocabulary,
    changes: Changes,
    threads: HashMap<String, (u32, u32)>,
    notes: i64,
    length: i64,
}

impl Writer {
    fn put(&mut self, conn: &Connection, indexed: &Indexed) -> Result<(), Failure> {
        let (id, text) = (indexed.note.id.as_str(), json(&indexed.note));
        let sealed = seal(&[id, &text]);
        if indexed.words.is_empty() {
            vectors::remove(conn, &indexed.note.id)?;
        }
        match number(conn, &indexed.note.id)? {
            Some(no) => {
                let sql = "UPDATE notes SET format = ?2, note = ?3, seal = ?4 WHERE no = ?1";
                conn.prepare_cached(sql)?.execute(params![no, FORMAT, text, sealed])?;
                self.unlist(conn, no)?;
                let words = self.list(conn, no, indexed)?;
                self.replace(conn, no, indexed, &words)
            }
            None => {
                let sql = "INSERT INTO notes VALUES (NULL, ?1, ?2, ?3, ?4)";
                conn.prepare_cached(sql)?.execute(params![id, FORMAT, text, sealed])?;
                let no = u32::try_from(conn.last_insert_rowid())
                    .map_err(|_| Failure::Damaged("a note's number is out of range".to_owned()))?;
                let words = self.list(conn, no, indexed)?;
                self.place(conn, no, indexed, &words)
            }
        }
    }

    /// Enters a note under its words, and gives them back as they are kept with it.
    fn list(&mut self, conn: &Connection, no: u32, indexed: &Indexed) -> Result<Vec<u8>, Failure> {
        let length = length(indexed);
        let mut listed = Vec::with_capacity(indexed.words.len() + indexed.facets.len());
        let facets = indexed.facets.iter().map(|facet| (facet, 0, true));
        for (text, count, is_facet) in indexed.words.iter().map(|(text, n)| (text, *n, false)).chain(facets) {
            let word = self.vocabulary.number(conn, text, is_facet)?;
            self.vocabulary.count(word, 1);
            self.changes.set(word, Posting { no, count, length });
            listed.push((word, count));
        }
        if length > 0 {
            self.notes += 1;
            self.length += i64::from(length);
        }
        Ok(of_pairs(&listed))
    }

    /// Takes a note out from under the words that it has.
    fn unlist(&mut self, conn: &Connection, no: u32) -> Result<(), Failure> {
        let mut query = conn.prepare_cached("SELECT length, words FROM note_places WHERE no = ?1")?;
        let (length, words): (i64, Vec<u8>) = query.query_row([no], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (word, _) in pairs(&words) {
            self.vocabulary.count(word, -1);
            self.changes.remove(word, no);
        }
        if length > 0 {
            self.notes -= 1;
            self.length -= length;
        }
        Ok(())
    }

    fn place(&mut self, conn: &Connection, no: u32, indexed: &Indexed, words: &[u8]) -> Result<(), Failure> {
        let (thread, place) = match indexed.note.said.source.thread() {
            Some(thread) => self.next_in(conn, thread)?,
            None => (0, 0),
        };
        let sql = "INSERT INTO note_places VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let (valid_from, evidence_at, confidence) = numbers_of(&indexed.note);
        conn.prepare_cached(sql)?.execute(params![
            no,
            thread,
            place,
            indexed.marks,
            length(indexed),
            valid_from,
            evidence_at,
            confidence,
            words
        ])?;
        Ok(())
    }

    fn replace(&self, conn: &Connection, no: u32, indexed: &Indexed, words: &[u8]) -> Result<(), Failure> {
        let sql = "UPDATE note_places SET marks = ?2, length = ?3, valid_from = ?4, evidence_at = ?5,
                   confidence = ?6, words = ?7 WHERE no = ?1";
        let (valid_from, evidence_at, confidence) = numbers_of(&indexed.note);
        let length = length(indexed);
        let row = params![no, indexed.marks, length, valid_from, evidence_at, confidence, words];
        conn.prepare_cached(sql)?.execute(row)?;
        Ok(())
    }

    /// The next place of a thread, and its number.
    fn next_in(&mut self, conn: &Connection, name: String) -> Result<(u32, u32), Failure> {
        let (thread, places) = match self.threads.get(&name) {
            Some(known) => *known,
            None => {
                conn.prepare_cached("INSERT OR IGNORE INTO note_threads VALUES (NULL, ?1, 0)")?
                    .execute([&name])?;
                conn.prepare_cached("SELECT no, places FROM note_threads WHERE name = ?1")?
                    .query_row([&name], |row| Ok((row.get(0)?, row.get(1)?)))?
            }
        };
        self.threads.insert(name, (thread, places + 1));
        Ok((thread, places + 1))
    }

    fn finish(self, conn: &Connection) -> Result<(), Failure> {
        self.vocabulary.write(conn)?;
        self.changes.write(conn)?;
        let mut update = conn.prepare_cached("UPDATE note_threads SET places = ?2 WHERE no = ?1")?;
        for (thread, places) in self.threads.into_values() {
            update.execute([thread, places])?;
        }
        state::count(conn, self.notes, self.length)
    }
}
