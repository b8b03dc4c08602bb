//! A store whose process is killed, before or after what it appends is written.

use std::sync::atomic::{AtomicUsize, Ordering};

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{MemoryEvent, Note, Recorded};
use ralph_store::{
    Batch, IndexSum, Measured, MemoryState, Notes, Placed, PostingList, SqliteStore, StoreError, VectorBatch,
    VectorTable, Vectors, Word, WordNo,
};

type Result<T> = std::result::Result<T, StoreError>;

/// Ends at a moment; what was appended until then is there.
pub(super) struct Fragile<'a> {
    store: &'a SqliteStore,
    /// Every append has two: before it is written, and after.
    moments: AtomicUsize,
}

impl<'a> Fragile<'a> {
    pub(super) fn until(store: &'a SqliteStore, moments: usize) -> Fragile<'a> {
        Fragile { store, moments: AtomicUsize::new(moments) }
    }

    fn moment(&self) -> Result<()> {
        let left = self.moments.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        left.map(|_| ()).map_err(|_| StoreError::Closed { path: "killed".into() })
    }
}

impl Notes for Fragile<'_> {
    async fn append_memory(&self, events: Vec<MemoryEvent>, at: Timestamp) -> Result<Vec<u64>> {
        self.moment()?;
        let lines = self.store.append_memory(events, at).await?;
        self.moment()?;
        Ok(lines)
    }

    async fn memory_log(&self, after: u64, limit: usize) -> Result<Vec<Recorded>> {
        self.store.memory_log(after, limit).await
    }

    async fn memory_history(&self, note: &NoteId) -> Result<Vec<Recorded>> {
        self.store.memory_history(note).await
    }

    async fn memory_state(&self) -> Result<MemoryState> {
        self.store.memory_state().await
    }

    async fn write_notes(&self, batch: Batch) -> Result<bool> {
        self.store.write_notes(batch).await
    }

    async fn clear_notes(&self, analysis: u32) -> Result<()> {
        self.store.clear_notes(analysis).await
    }

    async fn note(&self, id: &NoteId) -> Result<Option<Note>> {
        self.store.note(id).await
    }

    async fn newest_notes(&self, before: Option<u32>, limit: usize) -> Result<Vec<(u32, Note)>> {
        self.store.newest_notes(before, limit).await
    }

    async fn numbered_notes(&self, numbers: Vec<u32>) -> Result<Vec<(u32, Note)>> {
        self.store.numbered_notes(numbers).await
    }

    async fn note_numbers(&self, ids: Vec<NoteId>) -> Result<Vec<(NoteId, u32)>> {
        self.store.note_numbers(ids).await
    }

    async fn words(&self, texts: Vec<String>) -> Result<Vec<Word>> {
        self.store.words(texts).await
    }

    async fn words_like(&self, texts: Vec<String>, most: usize) -> Result<Vec<Vec<Word>>> {
        self.store.words_like(texts, most).await
    }

    async fn listed(&self, texts: Vec<String>) -> Result<Vec<PostingList>> {
        self.store.listed(texts).await
    }

    async fn postings(&self, words: Vec<WordNo>) -> Result<Vec<PostingList>> {
        self.store.postings(words).await
    }

    async fn around(&self, numbers: Vec<u32>, reach: u32) -> Result<Vec<Placed>> {
        self.store.around(numbers, reach).await
    }

    async fn words_of(&self, numbers: Vec<u32>) -> Result<Vec<Vec<(Word, u32)>>> {
        self.store.words_of(numbers).await
    }

    async fn index_sum(&self) -> Result<IndexSum> {
        self.store.index_sum().await
    }
}

impl Vectors for Fragile<'_> {
    async fn measured(&self, identity: &str) -> Result<Option<Measured>> {
        self.store.measured(identity).await
    }

    async fn vector_digests(&self, identity: &str, notes: Vec<NoteId>) -> Result<Vec<(NoteId, u64)>> {
        self.store.vector_digests(identity, notes).await
    }

    async fn write_vectors(&self, batch: VectorBatch) -> Result<bool> {
        self.store.write_vectors(batch).await
    }

    async fn vectors(&self, identity: &str) -> Result<VectorTable> {
        self.store.vectors(identity).await
    }
}
