//! Whether two notes cannot both be true, without asking anybody: the same is spoken of, and something else is said.
//!
//! It is meant to be right rather than complete. Two claims are only compared where neither speaks of something that the
//! other does not, and where they hold under the same conditions.

mod claim;
mod clause;
mod compare;
mod number;
mod tables;
mod value;

use ralph_core::note::{Draft, Kind, KindName};
use schemars::JsonSchema;
use serde::Serialize;

use crate::committed::is_of_commit;
use claim::Claim;
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

/// The first contradiction between two notes. What ralph has recorded of failures and commits claims nothing that could be
/// denied.
pub fn contradict(one: &Draft, other: &Draft) -> Option<Conflict> {
    Claims::of(one).conflict(&Claims::of(other))
}

/// What a note claims, taken apart once to be compared with many.
#[derive(Debug)]
pub(crate) struct Claims(Vec<Claim>);

impl Claims {
    pub(crate) fn of(draft: &Draft) -> Claims {
        let is_record = matches!(&draft.kind, Kind::Gotcha { terminal: Some(_), .. }) || is_of_commit(draft);
        if is_record || matches!(draft.kind.name(), KindName::ToolUse | KindName::Failure) {
            return Claims(Vec::new());
        }
        let titled = clauses(&draft.title);
        Claims(titled.iter().chain(&clauses(&draft.content)).filter_map(Claim::of).collect())
    }

    pub(crate) fn conflict(&self, other: &Claims) -> Option<Conflict> {
        self.0.iter().find_map(|our| other.0.iter().find_map(|their| compare::conflict(our, their)))
    }
}
