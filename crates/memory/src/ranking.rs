//! How much each factor weighs.

/// The weights of [`recall`](crate::recall()). The default is what was measured to find most; `docs/memory.md` says on
/// what, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// How soon the repetition of a word in a note stops counting.
    pub saturation: f64,
    /// How much a note's length is held against it, from 0 to 1. Notes are short: little.
    pub length: f64,
    /// Words written like names count so much more.
    pub names: f64,
    /// A word that is spelt alike counts so much of its likeness.
    pub spelling: f64,
    /// What is less alike than this is another word.
    pub alike: f64,
    /// Words of the best notes that the question does not have.
    pub related: f64,
    /// The share of its score that a note gives to the next one in its thread, to the one after that, to the one
    /// before it, and to the one before that.
    pub to_next: f64,
    pub to_second_next: f64,
    pub to_last: f64,
    pub to_second_last: f64,
    /// The share that a question gives to the note after it, besides.
    pub answer: f64,
    /// What a note loses for being a question.
    pub asks: f64,
    /// What a note gains for saying when, if the question is when.
    pub dated: f64,
    /// The same for how many.
    pub counted: f64,
    /// The share of the question's words that its thread has.
    pub thread: f64,
    /// For a file, a symbol or code near them that is at hand, as a share of the best score.
    pub files: f64,
    pub symbols: f64,
    pub graph: f64,
    /// One standard deviation of nearness by vectors, in standard deviations of the score.
    pub vectors: f64,
    /// What a note of this moment gains; half as much after a month.
    pub recency: f64,
    /// What full confidence gains over an even one, and twice that is lost by none.
    pub confidence: f64,
}

impl Default for Ranking {
    fn default() -> Ranking {
        Ranking {
            saturation: 0.8,
            length: 0.35,
            names: 1.3,
            spelling: 0.6,
            alike: 0.5,
            related: 0.5,
            to_next: 0.2,
            to_second_next: 0.2,
            to_last: 0.3,
            to_second_last: 0.15,
            answer: 0.6,
            asks: 0.2,
            dated: 0.2,
            counted: 0.1,
            thread: 0.4,
            files: 0.3,
            symbols: 0.3,
            graph: 0.2,
            vectors: 0.4,
            recency: 0.05,
            confidence: 0.2,
        }
    }
}
