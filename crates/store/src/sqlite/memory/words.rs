//! The words that find notes, and which of them look alike.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::super::failure::Failure;
use crate::notes::{Word, WordNo};
use crate::posting::{pop, push, trigrams};

pub(super) fn exact(conn: &Connection, texts: &[String]) -> Result<Vec<Word>, Failure> {
    let mut query = conn.prepare_cached("SELECT no, notes FROM note_words WHERE word = ?1")?;
    let mut found = Vec::new();
    for text in texts {
        let row = query.query_row([text], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        found.extend(row.map(|(no, notes)| word(no, text.clone(), notes)));
    }
    Ok(found)
}

/// For each of the texts; an empty one is like none.
pub(super) fn like(conn: &Connection, texts: &[String], most: usize) -> Result<Vec<Vec<Word>>, Failure> {
    let last: i64 = conn
        .prepare_cached("SELECT coalesce(max(no), 0) FROM note_words")?
        .query_row((), |row| row.get(0))?;
    // By number of the word: there are many, and most have nothing in common with a text.
    let mut shared: Vec<u16> = vec![0; last.unsigned_abs() as usize + 1];
    let alike = |text: &String| {
        shared.fill(0);
        let best = alike(conn, text, most, &mut shared)?;
        numbered(conn, best.into_iter())
    };
    texts.iter().map(alike).collect()
}

/// The numbers of the words that share most trigrams with a text; `shared` is where they are counted.
fn alike(conn: &Connection, text: &str, most: usize, shared: &mut [u16]) -> Result<Vec<u64>, Failure> {
    let grams = trigrams(text);
    let least = grams.len().div_ceil(3);
    let mut query = conn.prepare_cached("SELECT words FROM note_trigrams WHERE gram = ?1")?;
    let mut enough: Vec<u64> = Vec::new();
    for gram in &grams {
        let mut rows = query.query([gram])?;
        let Some(row) = rows.next()? else { continue };
        for no in numbers(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?) {
            let count = shared.get_mut(no as usize).ok_or_else(no_such_word)?;
            *count = count.saturating_add(1);
            if usize::from(*count) == least {
                enough.push(no);
            }
        }
    }
    let order = |no: &u64| (Reverse(shared[*no as usize]), *no);
    if enough.len() > most {
        enough.select_nth_unstable_by_key(most, order);
        enough.truncate(most);
    }
    enough.sort_unstable_by_key(order);
    Ok(enough)
}

fn no_such_word() -> Failure {
    Failure::Damaged("a list of words by trigram has one that is not there".to_owned())
}

/// The words of a note.
pub(super) fn of(conn: &Connection, note: u32) -> Result<Vec<(Word, u32)>, Failure> {
    let sql = "SELECT words FROM note_places WHERE no = ?1";
    let list: Option<Vec<u8>> = conn.prepare_cached(sql)?.query_row([note], |row| row.get(0)).optional()?;
    let (numbers, counts): (Vec<u64>, Vec<u32>) = pairs(&list.unwrap_or_default()).into_iter().unzip();
    Ok(numbered(conn, numbers.into_iter())?.into_iter().zip(counts).collect())
}

fn numbered(conn: &Connection, numbers: impl Iterator<Item = u64>) -> Result<Vec<Word>, Failure> {
    let mut query = conn.prepare_cached("SELECT word, notes FROM note_words WHERE no = ?1")?;
    let words = numbers.map(|no| {
        let (text, notes) = query.query_row([no.cast_signed()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(word(no.cast_signed(), text, notes))
    });
    words.collect()
}

fn word(no: i64, text: String, notes: i64) -> Word {
    Word { no: WordNo(no.unsigned_abs()), text, notes: u32::try_from(notes).unwrap_or_default() }
}

/// The words of a batch, each looked up once; new ones are written at the end with their trigrams.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    known: HashMap<String, u64>,
    grams: BTreeMap<String, Vec<u64>>,
    fresh: HashSet<u64>,
    /// By how many notes a word finds more than before, or less.
    more: BTreeMap<u64, i64>,
}

impl Vocabulary {
    pub(super) fn number(&mut self, conn: &Connection, text: &str, is_facet: bool) -> Result<u64, Failure> {
        if let Some(no) = self.known.get(text) {
            return Ok(*no);
        }
        let mut query = conn.prepare_cached("SELECT no FROM note_words WHERE word = ?1")?;
        let found: Option<i64> = query.query_row([text], |row| row.get(0)).optional()?;
        let no = match found {
            Some(no) => no.unsigned_abs(),
            None => self.insert(conn, text, is_facet)?,
        };
        self.known.insert(text.to_owned(), no);
        Ok(no)
    }

    fn insert(&mut self, conn: &Connection, text: &str, is_facet: bool) -> Result<u64, Failure> {
        conn.prepare_cached("INSERT INTO note_words VALUES (NULL, ?1, 0)")?.execute([text])?;
        let no = conn.last_insert_rowid().unsigned_abs();
        self.fresh.insert(no);
        if !is_facet {
            for gram in trigrams(text) {
                self.grams.entry(gram).or_default().push(no);
            }
        }
        Ok(no)
    }

    pub(super) fn count(&mut self, word: u64, more: i64) {
        *self.more.entry(word).or_default() += more;
    }

    /// A word that no longer finds a note goes with it: it may be what the note was forgotten for.
    pub(super) fn write(mut self, conn: &Connection) -> Result<(), Failure> {
        let gone = self.count_in(conn)?;
        let mut query = conn.prepare_cached("SELECT words FROM note_trigrams WHERE gram = ?1")?;
        let mut insert = conn.prepare_cached("INSERT OR REPLACE INTO note_trigrams VALUES (?1, ?2)")?;
        let mut delete = conn.prepare_cached("DELETE FROM note_trigrams WHERE gram = ?1")?;
        for (gram, more) in self.grams {
            let list: Option<Vec<u8>> = query.query_row([&gram], |row| row.get(0)).optional()?;
            let mut all: Vec<u64> = numbers(&list.unwrap_or_default()).collect();
            all.extend(more);
            all.retain(|no| !gone.contains(no));
            if all.is_empty() {
                delete.execute([gram])?;
            } else {
                insert.execute(params![gram, differences(&all)])?;
            }
        }
        Ok(())
    }

    /// Writes how many notes each word finds, and takes out those that find none, whose numbers are given back. No note
    /// and no list mentions them any more, so that another word may have them later.
    fn count_in(&mut self, conn: &Connection) -> Result<BTreeSet<u64>, Failure> {
        let mut more_often = conn.prepare_cached("UPDATE note_words SET notes = notes + ?2 WHERE no = ?1")?;
        // Asking what is left makes a statement several times as slow, and most words only become more frequent.
        let mut less_often =
            conn.prepare_cached("UPDATE note_words SET notes = notes + ?2 WHERE no = ?1 RETURNING notes")?;
        let mut delete = conn.prepare_cached("DELETE FROM note_words WHERE no = ?1 RETURNING word")?;
        let mut gone = BTreeSet::new();
        for (word, more) in std::mem::take(&mut self.more) {
            let left: Option<i64> = match more {
                0 => self.fresh.contains(&word).then_some(0),
                more @ 1.. => more_often.execute([word.cast_signed(), more]).map(|_| None)?,
                less => less_often.query_row([word.cast_signed(), less], |row| row.get(0)).optional()?,
            };
            if left.is_some_and(|left| left <= 0) {
                let text: String = delete.query_row([word.cast_signed()], |row| row.get(0))?;
                for gram in trigrams(&text) {
                    self.grams.entry(gram).or_default();
                }
                gone.insert(word);
            }
        }
        Ok(gone)
    }
}

/// New words have larger numbers than all before, so that a list only grows at its end.
fn differences(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(numbers.len() * 2);
    let mut last = 0;
    for no in numbers {
        push(&mut bytes, no - last);
        last = *no;
    }
    bytes
}

pub(super) fn numbers(mut bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let mut last = 0_u64;
    std::iter::from_fn(move || {
        last = last.wrapping_add(pop(&mut bytes)?);
        Some(last)
    })
}

/// Pairs of a word's number and how often it stands there.
pub(super) fn pairs(mut bytes: &[u8]) -> Vec<(u64, u32)> {
    std::iter::from_fn(|| Some((pop(&mut bytes)?, pop(&mut bytes)? as u32))).collect()
}

pub(super) fn of_pairs(pairs: &[(u64, u32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(pairs.len() * 3);
    for (word, count) in pairs {
        push(&mut bytes, *word);
        push(&mut bytes, u64::from(*count));
    }
    bytes
}
