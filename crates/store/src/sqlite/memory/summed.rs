//! Everything by which notes are found, summed up as it is kept, be it whole or not.

use std::collections::HashMap;

use rusqlite::Connection;

use super::super::failure::Failure;
use super::state;
use super::words::{numbers, pairs};
use crate::posting::{block_of, read, word_of};
use crate::sum::IndexSum;

/// In the place of a word or a note that is not there.
const MISSING: &str = "?";

pub(super) fn sum(conn: &Connection) -> Result<IndexSum, Failure> {
    let mut sum = IndexSum::default();
    let state = state::read(conn)?;
    sum.found(state.notes, state.length);
    let ids: HashMap<u32, String> = rows(conn, "SELECT no, id FROM notes")?;
    let words = words(conn, &mut sum)?;
    let id = |no: u32| ids.get(&no).map_or(MISSING, String::as_str);
    let word = |no: u64| words.get(&no).map_or(MISSING, String::as_str);
    let sql = "SELECT no, marks, length, valid_from, evidence_at, confidence, words FROM note_places";
    let mut query = conn.prepare(sql)?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let id = id(row.get(0)?);
        sum.place(id, row.get(1)?, row.get(2)?, (row.get(3)?, row.get(4)?, row.get(5)?));
        for (no, count) in pairs(&row.get::<_, Vec<u8>>(6)?) {
            sum.has(id, word(no), count);
        }
    }
    let mut query = conn.prepare("SELECT key, list FROM note_postings")?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let (key, list): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        for posting in read(block_of(key), &list) {
            sum.finds(word(word_of(key)), id(posting.no), posting.count, posting.length);
        }
    }
    Ok(sum)
}

/// Adds what is kept of the words themselves, and gives them by number.
fn words(conn: &Connection, sum: &mut IndexSum) -> Result<HashMap<u64, String>, Failure> {
    let mut grams: HashMap<u64, usize> = HashMap::new();
    let mut query = conn.prepare("SELECT words FROM note_trigrams")?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let list: Vec<u8> = row.get(0)?;
        numbers(&list).for_each(|no| *grams.entry(no).or_default() += 1);
    }
    let mut words = HashMap::new();
    let mut query = conn.prepare("SELECT no, word, notes FROM note_words")?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let (no, word, notes): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (no, notes) = (no.unsigned_abs(), notes.unsigned_abs());
        sum.word(&word, notes);
        sum.alike(&word, grams.get(&no).copied().unwrap_or_default(), notes);
        words.insert(no, word);
    }
    Ok(words)
}

fn rows(conn: &Connection, sql: &str) -> Result<HashMap<u32, String>, Failure> {
    let mut query = conn.prepare(sql)?;
    let rows = query.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
