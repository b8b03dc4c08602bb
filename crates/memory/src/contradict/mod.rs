//! Whether two notes cannot both be true, without asking anybody: the same is said of, and something else is said.

mod clause;
mod tables;

use ralph_core::note::Draft;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use clause::{Clause, clauses};

/// Why two notes cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conflict {
    pub ground: Ground,
    /// What the first says, as far as it matters.
    pub this: String,
    pub that: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// One says that it is so, the other that it is not.
    Denial,
    /// Words that exclude each other, such as enabled and disabled.
    Opposite,
    /// Other numbers, versions or ports.
    Number,
    /// Things of which one has one, such as databases.
    Choice,
    /// Other commands for one purpose.
    Command,
    /// Other names or places for one thing.
    Name,
}

/// Meant to be right rather than complete: what it finds are contradictions, and many it does not find.
pub fn contradict(one: &Draft, other: &Draft) -> Option<Conflict> {
    let (ours, theirs) = (clauses(&one.content), clauses(&other.content));
    ours.iter().find_map(|our| theirs.iter().find_map(|their| conflict(our, their)))
}

fn conflict(_our: &Clause, _their: &Clause) -> Option<Conflict> {
    None
}
