//! The memory's operations, each brought to the desk.

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{MemoryEvent, Note, Recorded};

use super::super::handle::SqliteStore;
use super::{around, log, notes, postings, state, summed, vectors, words};
use crate::crash;
use crate::error::StoreError;
use crate::notes::{Batch, MemoryState, Notes, Placed, Word, WordNo};
use crate::posting::PostingList;
use crate::sum::IndexSum;
use crate::vectors::{Measured, VectorBatch, VectorTable, Vectors};

type Result<T> = std::result::Result<T, StoreError>;

impl Notes for SqliteStore {
    async fn append_memory(&self, events: Vec<MemoryEvent>, at: Timestamp) -> Result<Vec<u64>> {
        self.desk.write(crash::OTHER, 0, move |conn| log::append(conn, &events, at)).await
    }

    async fn memory_log(&self, after: u64, limit: usize) -> Result<Vec<Recorded>> {
        self.desk.read(move |conn| log::read(conn, after, limit)).await
    }

    async fn memory_history(&self, note: &NoteId) -> Result<Vec<Recorded>> {
        let note = note.clone();
        self.desk.read(move |conn| log::of(conn, &note)).await
    }

    async fn memory_state(&self) -> Result<MemoryState> {
        self.desk.read(state::read).await
    }

    async fn write_notes(&self, batch: Batch) -> Result<bool> {
        self.desk.write(crash::OTHER, 0, move |conn| notes::write(conn, &batch)).await
    }

    async fn clear_notes(&self, analysis: u32) -> Result<()> {
        self.desk.write(crash::OTHER, 0, move |conn| state::clear(conn, analysis)).await
    }

    async fn note(&self, id: &NoteId) -> Result<Option<Note>> {
        let id = id.clone();
        self.desk.read(move |conn| notes::one(conn, &id)).await
    }

    async fn newest_notes(&self, before: Option<u32>, limit: usize) -> Result<Vec<(u32, Note)>> {
        self.desk.read(move |conn| notes::newest(conn, before, limit)).await
    }

    async fn numbered_notes(&self, numbers: Vec<u32>) -> Result<Vec<(u32, Note)>> {
        self.desk.read(move |conn| notes::numbered(conn, &numbers)).await
    }

    async fn note_numbers(&self, ids: Vec<NoteId>) -> Result<Vec<(NoteId, u32)>> {
        self.desk.read(move |conn| notes::numbers(conn, ids)).await
    }

    async fn words(&self, texts: Vec<String>) -> Result<Vec<Word>> {
        self.desk.read(move |conn| words::exact(conn, &texts)).await
    }

    async fn words_like(&self, texts: Vec<String>, most: usize) -> Result<Vec<Vec<Word>>> {
        self.desk.read(move |conn| words::like(conn, &texts, most)).await
    }

    async fn listed(&self, texts: Vec<String>) -> Result<Vec<PostingList>> {
        self.desk.read(move |conn| postings::listed(conn, &texts)).await
    }

    async fn postings(&self, words: Vec<WordNo>) -> Result<Vec<PostingList>> {
        self.desk.read(move |conn| words.iter().map(|word| postings::of(conn, *word)).collect()).await
    }

    async fn around(&self, numbers: Vec<u32>, reach: u32) -> Result<Vec<Placed>> {
        self.desk.read(move |conn| around::read(conn, &numbers, reach)).await
    }

    async fn words_of(&self, numbers: Vec<u32>) -> Result<Vec<Vec<(Word, u32)>>> {
        self.desk.read(move |conn| numbers.iter().map(|no| words::of(conn, *no)).collect()).await
    }

    async fn index_sum(&self) -> Result<IndexSum> {
        self.desk.read(summed::sum).await
    }
}

impl Vectors for SqliteStore {
    async fn measured(&self, identity: &str) -> Result<Option<Measured>> {
        let identity = identity.to_owned();
        self.desk.read(move |conn| vectors::measured(conn, &identity)).await
    }

    async fn vector_digests(&self, identity: &str, notes: Vec<NoteId>) -> Result<Vec<(NoteId, u64)>> {
        let identity = identity.to_owned();
        self.desk.read(move |conn| vectors::digests(conn, &identity, notes)).await
    }

    async fn write_vectors(&self, batch: VectorBatch) -> Result<bool> {
        self.desk.write(crash::OTHER, 0, move |conn| vectors::write(conn, &batch)).await
    }

    async fn vectors(&self, identity: &str) -> Result<VectorTable> {
        let identity = identity.to_owned();
        self.desk.read(move |conn| vectors::read(conn, &identity)).await
    }
}
