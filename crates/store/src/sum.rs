//! What all notes are found by, as one number: the same whatever numbers notes and words have, and in whatever order they
//! came.

use ralph_core::note::Note;

use crate::notes::Indexed;
use crate::posting::trigrams;

/// A sum of hashes, so that the order does not matter and nothing is held but it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexSum(u128);

impl IndexSum {
    /// What a note adds to it.
    pub fn add(&mut self, indexed: &Indexed) {
        let id = indexed.note.id.as_str();
        let length = length(indexed);
        self.place(id, indexed.marks, length, numbers_of(&indexed.note));
        self.found(u64::from(length > 0), u64::from(length));
        for (word, count) in &indexed.words {
            self.listed(id, word, *count, length);
            self.alike(word, trigrams(word).len(), 1);
        }
        for facet in &indexed.facets {
            self.listed(id, facet, 0, length);
        }
    }

    fn listed(&mut self, id: &str, word: &str, count: u32, length: u32) {
        self.has(id, word, count);
        self.finds(word, id, count, length);
        self.word(word, 1);
    }

    pub(crate) fn place(&mut self, id: &str, marks: u32, length: u32, numbers: (i64, i64, i64)) {
        self.line(1, &format!("place {id} {marks} {length} {numbers:?}"));
    }

    /// How many notes can be found, and how many words they have.
    pub(crate) fn found(&mut self, notes: u64, length: u64) {
        self.line(notes, "notes");
        self.line(length, "length");
    }

    /// A word of a note.
    pub(crate) fn has(&mut self, id: &str, word: &str, count: u32) {
        self.line(1, &format!("has {id} {count} {word}"));
    }

    /// A note of a word.
    pub(crate) fn finds(&mut self, word: &str, id: &str, count: u32, length: u32) {
        self.line(1, &format!("finds {id} {count} {length} {word}"));
    }

    pub(crate) fn word(&mut self, word: &str, notes: u64) {
        self.line(notes, &format!("word {word}"));
    }

    /// Under how many trigrams a word stands that so many notes have.
    pub(crate) fn alike(&mut self, word: &str, grams: usize, notes: u64) {
        if grams > 0 {
            self.line(notes, &format!("alike {grams} {word}"));
        }
    }

    fn line(&mut self, times: u64, text: &str) {
        let mut half = [0; 16];
        half.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        self.0 = self.0.wrapping_add(u128::from_le_bytes(half).wrapping_mul(u128::from(times)));
    }

    pub fn bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

pub(crate) fn length(indexed: &Indexed) -> u32 {
    indexed.words.iter().map(|(_, count)| count).sum()
}

/// Since when it is so and when it was last seen to be, in seconds, and its confidence in thousandths.
pub(crate) fn numbers_of(note: &Note) -> (i64, i64, i64) {
    let confidence = (note.said.confidence.share() * 1000.0).round() as i64;
    (note.valid_from().as_second(), note.evidence_at.as_second(), confidence)
}
