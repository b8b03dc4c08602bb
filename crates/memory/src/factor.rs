//! What a score is made of.

use schemars::JsonSchema;
use serde::Serialize;

/// A reason for which a note stands where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    /// It has words of the question.
    Words,
    /// It has words that are spelt almost like those of the question.
    Spelling,
    /// It has words that stand in the notes that fit best.
    Related,
    /// What was put down just before or after it fits.
    Neighbours,
    /// What was put down just before it asks what the question asks.
    Answer,
    /// It asks something itself, and so is no answer.
    Asks,
    /// The question is when or how many, and it says so.
    Measure,
    /// The other notes of its thread have what it lacks of the question's words.
    Thread,
    /// It is about a file at hand.
    Files,
    /// It is about a symbol at hand.
    Symbols,
    /// It is about code that is near what is at hand.
    Graph,
    /// Its vector is near the question's.
    Vectors,
    Recency,
    Confidence,
}

impl Factor {
    pub fn name(self) -> &'static str {
        match self {
            Factor::Words => "words",
            Factor::Spelling => "spelling",
            Factor::Related => "related",
            Factor::Neighbours => "neighbours",
            Factor::Answer => "answer",
            Factor::Asks => "asks",
            Factor::Measure => "measure",
            Factor::Thread => "thread",
            Factor::Files => "files",
            Factor::Symbols => "symbols",
            Factor::Graph => "graph",
            Factor::Vectors => "vectors",
            Factor::Recency => "recency",
            Factor::Confidence => "confidence",
        }
    }
}

/// How much of a score a factor makes up. The contributions of a result add up to its score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Contribution {
    pub factor: Factor,
    pub value: f64,
}
