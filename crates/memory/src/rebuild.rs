//! Whether the notes are what the log comes to, and making them again.

use std::collections::BTreeMap;

use ralph_core::id::NoteId;
use ralph_core::note::{Note, fold};
use ralph_store::{IndexSum, MemoryState, Notes, StoreError};

use crate::analysis::{ANALYSIS, index};
use crate::catch_up::catch_up;

/// What is kept beside what the log comes to: how many notes, and a digest of all of them and of what finds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub kept: (u64, String),
    pub made: (u64, String),
}

impl Comparison {
    pub fn is_same(&self) -> bool {
        self.kept == self.made
    }
}

/// Lines of the log, or notes, at a time.
const PAGE: usize = 4096;
/// How often it is tried to look while nobody writes.
const TRIES: usize = 5;

/// Compares the notes as they are kept with what the log comes to, and changes neither.
pub async fn compare(store: &impl Notes) -> Result<Comparison, StoreError> {
    let mut compared = None;
    for _ in 0..TRIES {
        catch_up(store).await?;
        let before = store.memory_state().await?;
        let comparison = Comparison { kept: kept(store).await?, made: made(store, before.last).await? };
        compared = Some(comparison);
        if !moved(store, &before).await? {
            break;
        }
    }
    let nothing = || digest(&BTreeMap::new(), IndexSum::default());
    Ok(compared.unwrap_or_else(|| Comparison { kept: nothing(), made: nothing() }))
}

/// Throws the notes away and makes them again from the log.
pub async fn rebuild(store: &impl Notes) -> Result<Comparison, StoreError> {
    let before = compare(store).await?;
    store.clear_notes(ANALYSIS).await?;
    catch_up(store).await?;
    Ok(Comparison { made: kept(store).await?, ..before })
}

/// Whether somebody wrote since.
async fn moved(store: &impl Notes, before: &MemoryState) -> Result<bool, StoreError> {
    Ok(store.memory_state().await?.last != before.last)
}

async fn kept(store: &impl Notes) -> Result<(u64, String), StoreError> {
    let mut notes = BTreeMap::new();
    let mut before = None;
    loop {
        let page = store.newest_notes(before, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(digest(&notes, store.index_sum().await?)) };
        before = Some(*last);
        notes.extend(page.into_iter().map(|(_, note)| (note.id.clone(), note)));
    }
}

async fn made(store: &impl Notes, last: u64) -> Result<(u64, String), StoreError> {
    let mut notes: BTreeMap<NoteId, Note> = BTreeMap::new();
    let mut after = 0;
    while after < last {
        let lines = store.memory_log(after, PAGE).await?;
        let Some(end) = lines.last().map(|line| line.seq) else { break };
        for line in lines.iter().filter(|line| line.seq <= last) {
            let folded = fold(notes.remove(&line.note), line);
            notes.extend(folded.map(|note| (line.note.clone(), note)));
        }
        after = end;
    }
    let mut sum = IndexSum::default();
    let indexed = notes.into_iter().map(|(id, note)| {
        let indexed = index(note);
        sum.add(&indexed);
        (id, indexed.note)
    });
    let notes = indexed.collect();
    Ok(digest(&notes, sum))
}

fn digest(notes: &BTreeMap<NoteId, Note>, found_by: IndexSum) -> (u64, String) {
    let mut hasher = blake3::Hasher::new();
    for note in notes.values() {
        hasher.update(serde_json::to_string(note).expect("a note is JSON").as_bytes());
        hasher.update(b"\n");
    }
    hasher.update(&found_by.bytes());
    (notes.len() as u64, hasher.finalize().to_hex()[..16].to_owned())
}
