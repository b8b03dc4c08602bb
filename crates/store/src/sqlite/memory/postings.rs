//! Which notes have a word.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::super::failure::Failure;
use crate::notes::WordNo;
use crate::posting::{BLOCK_BITS, Posting, PostingList, block_of, key, keys, read, write};

pub(super) fn of(conn: &Connection, word: WordNo) -> Result<PostingList, Failure> {
    let mut query =
        conn.prepare_cached("SELECT key, list FROM note_postings WHERE key BETWEEN ?1 AND ?2 ORDER BY key")?;
    let (first, last) = keys(word.0);
    let rows = query.query_map([first, last], |row| Ok((block_of(row.get(0)?), row.get(1)?)))?;
    Ok(PostingList { blocks: rows.collect::<Result<_, _>>()? })
}

pub(super) fn listed(conn: &Connection, texts: &[String]) -> Result<Vec<PostingList>, Failure> {
    let mut query = conn.prepare_cached("SELECT no FROM note_words WHERE word = ?1")?;
    let lists = texts.iter().map(|text| {
        let no: Option<i64> = query.query_row([text], |row| row.get(0)).optional()?;
        no.map_or_else(|| Ok(PostingList::default()), |no| of(conn, WordNo(no.unsigned_abs())))
    });
    lists.collect()
}

/// What becomes of the lists of a batch; each is read and written once.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// By key and note; nothing where the note no longer has the word.
    lists: BTreeMap<i64, BTreeMap<u32, Option<Posting>>>,
}

impl Changes {
    pub(super) fn set(&mut self, word: u64, posting: Posting) {
        let list = self.lists.entry(key(word, posting.no >> BLOCK_BITS)).or_default();
        list.insert(posting.no, Some(posting));
    }

    pub(super) fn remove(&mut self, word: u64, note: u32) {
        self.lists.entry(key(word, note >> BLOCK_BITS)).or_default().insert(note, None);
    }

    pub(super) fn write(self, conn: &Connection) -> Result<(), Failure> {
        let mut query = conn.prepare_cached("SELECT list FROM note_postings WHERE key = ?1")?;
        let mut insert = conn.prepare_cached("INSERT OR REPLACE INTO note_postings VALUES (?1, ?2)")?;
        let mut delete = conn.prepare_cached("DELETE FROM note_postings WHERE key = ?1")?;
        for (key, changes) in self.lists {
            let block = block_of(key);
            let list: Option<Vec<u8>> = query.query_row([key], |row| row.get(0)).optional()?;
            let mut postings = read(block, &list.unwrap_or_default());
            merge(&mut postings, changes);
            if postings.is_empty() {
                delete.execute([key])?;
            } else {
                insert.execute(params![key, write(block, &postings)])?;
            }
        }
        Ok(())
    }
}

fn merge(postings: &mut Vec<Posting>, changes: BTreeMap<u32, Option<Posting>>) {
    let last = postings.last().map(|posting| posting.no);
    if changes.keys().next().copied() > last {
        postings.extend(changes.into_values().flatten());
        return;
    }
    postings.retain(|posting| !changes.contains_key(&posting.no));
    postings.extend(changes.into_values().flatten());
    postings.sort_unstable_by_key(|posting| posting.no);
}
