//! What is remembered, kept: the log, the notes made of it, and the words by which they are found.

use std::future::Future;

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Confidence, MemoryEvent, Note, Recorded};

use crate::error::StoreError;
use crate::posting::PostingList;
use crate::sum::IndexSum;
use crate::vectors::Vectors;

type Result<T> = std::result::Result<T, StoreError>;

/// One store's memory.
///
/// To remember is to [append](Notes::append_memory) events, which is all that a hook has time for. Notes are made of
/// them later, in one go with the words that find them ([`Notes::write_notes`]); what those words are, and what it
/// means that a note has one, is decided by whoever ranks.
pub trait Notes: Vectors {
    /// Appends to the log, all or nothing, and tells the numbers of the lines. What a forgotten note said is gone from
    /// the log, from its note and from the words, when this returns.
    fn append_memory(
        &self,
        events: Vec<MemoryEvent>,
        at: Timestamp,
    ) -> impl Future<Output = Result<Vec<u64>>> + Send;

    /// The log from the line after `after` on.
    fn memory_log(&self, after: u64, limit: usize) -> impl Future<Output = Result<Vec<Recorded>>> + Send;

    /// All lines about a note, the oldest first.
    fn memory_history(&self, note: &NoteId) -> impl Future<Output = Result<Vec<Recorded>>> + Send;

    fn memory_state(&self) -> impl Future<Output = Result<MemoryState>> + Send;

    /// Writes notes and their words, all or nothing. Nothing is written, and the answer is no, where others have been
    /// there since `batch.from`.
    fn write_notes(&self, batch: Batch) -> impl Future<Output = Result<bool>> + Send;

    /// Throws away everything that is made of the log.
    fn clear_notes(&self, analysis: u32) -> impl Future<Output = Result<()>> + Send;

    fn note(&self, id: &NoteId) -> impl Future<Output = Result<Option<Note>>> + Send;

    /// With their numbers, the newest first, from the one before `before` on.
    fn newest_notes(
        &self,
        before: Option<u32>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<(u32, Note)>>> + Send;

    /// In the order in which they are asked for; those that are gone are left out.
    fn numbered_notes(&self, numbers: Vec<u32>) -> impl Future<Output = Result<Vec<(u32, Note)>>> + Send;

    /// The numbers of those that are there.
    fn note_numbers(&self, ids: Vec<NoteId>) -> impl Future<Output = Result<Vec<(NoteId, u32)>>> + Send;

    /// Those that are there.
    fn words(&self, texts: Vec<String>) -> impl Future<Output = Result<Vec<Word>>> + Send;

    /// For each text the words that have most trigrams in common with it, and at least a third of its own.
    fn words_like(
        &self,
        texts: Vec<String>,
        most: usize,
    ) -> impl Future<Output = Result<Vec<Vec<Word>>>> + Send;

    /// The notes that have each of these words, in the order in which they are asked for; none for a word that is not
    /// there.
    fn listed(&self, texts: Vec<String>) -> impl Future<Output = Result<Vec<PostingList>>> + Send;

    /// In the order in which they are asked for.
    fn postings(&self, words: Vec<WordNo>) -> impl Future<Output = Result<Vec<PostingList>>> + Send;

    /// These notes, and those that are at most so many places away in the same thread.
    fn around(&self, numbers: Vec<u32>, reach: u32) -> impl Future<Output = Result<Vec<Placed>>> + Send;

    /// The words of each of these notes, and how often each stands in it.
    fn words_of(&self, numbers: Vec<u32>) -> impl Future<Output = Result<Vec<Vec<(Word, u32)>>>> + Send;

    /// Everything by which notes are found; damaged as it may be, it is summed up.
    fn index_sum(&self) -> impl Future<Output = Result<IndexSum>> + Send;
}

/// How far the notes have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryState {
    /// The last line of the log.
    pub last: u64,
    /// The last line that the notes are made of.
    pub through: u64,
    /// By which rules texts were taken apart.
    pub analysis: u32,
    /// How many notes can be found.
    pub notes: u64,
    /// How many words they have together.
    pub length: u64,
}

/// What a stretch of the log came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The line after which it begins.
    pub from: u64,
    /// Its last line.
    pub through: u64,
    pub analysis: u32,
    pub changed: Vec<Indexed>,
    pub gone: Vec<NoteId>,
}

/// A note with what it is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    pub note: Note,
    /// Each once, with how often it stands there. Empty for a note that is kept but no longer found.
    pub words: Vec<(String, u32)>,
    /// Words that only a filter asks for; they do not count as length and are never taken for similar ones.
    pub facets: Vec<String>,
    /// Whatever else ranking wants to know of it; means nothing to the store.
    pub marks: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordNo(pub(crate) u64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub no: WordNo,
    pub text: String,
    /// How many notes have it.
    pub notes: u32,
}

/// What ranking needs of a note apart from what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub no: u32,
    /// Those that were made one after the other are in one thread, each at a place of its own.
    pub thread: Option<u32>,
    pub place: u32,
    pub marks: u32,
    pub valid_from: Timestamp,
    pub evidence_at: Timestamp,
    pub confidence: Confidence,
}
