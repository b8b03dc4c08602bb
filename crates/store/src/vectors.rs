//! What notes mean by a measure, kept beside them.

use std::future::Future;

use ralph_core::id::NoteId;

use crate::error::StoreError;

type Result<T> = std::result::Result<T, StoreError>;

/// The vectors of one store's notes. They are made of notes and can be made again; what is forgotten has none from the
/// same moment on.
pub trait Vectors: Send + Sync {
    /// How far a measure has followed the log; none where it was never used here.
    fn measured(&self, identity: &str) -> impl Future<Output = Result<Option<Measured>>> + Send;

    /// Of which text each of these notes has a vector; those without one are left out.
    fn vector_digests(
        &self,
        identity: &str,
        notes: Vec<NoteId>,
    ) -> impl Future<Output = Result<Vec<(NoteId, u64)>>> + Send;

    /// Writes vectors, all or nothing. Nothing is written, and the answer is no, where others have been there since
    /// `batch.from`, or where the measure has other dimensions here. What was forgotten meanwhile is left out.
    fn write_vectors(&self, batch: VectorBatch) -> impl Future<Output = Result<bool>> + Send;

    /// All notes that are there and have a vector, by number.
    fn vectors(&self, identity: &str) -> impl Future<Output = Result<VectorTable>> + Send;
}

/// How far a measure has come in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    pub dimensions: usize,
    /// The last line of the log whose notes have their vectors.
    pub through: u64,
}

/// What a stretch of the log came to by a measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorBatch {
    pub identity: String,
    pub dimensions: usize,
    /// The line after which it begins.
    pub from: u64,
    /// Its last line.
    pub through: u64,
    pub vectors: Vec<NoteVector>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteVector {
    pub note: NoteId,
    /// Of the text that it was made of.
    pub digest: u64,
    /// As many as the measure has dimensions; only the direction counts.
    pub components: Vec<i8>,
}

/// Vectors of many notes, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VectorTable {
    pub dimensions: usize,
    pub numbers: Vec<u32>,
    /// `dimensions` for each of the numbers.
    pub components: Vec<i8>,
}

impl VectorTable {
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[i8])> {
        self.numbers.iter().copied().zip(self.components.chunks_exact(self.dimensions.max(1)))
    }
}
