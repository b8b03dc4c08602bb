//! What goes into a brief, and what does not, and why.

use ralph_core::id::NoteId;
use ralph_core::note::{Confidence, Note};
use schemars::JsonSchema;
use serde::Serialize;

use super::need::Allowance;
use crate::factor::Contribution;

/// What was chosen for a brief. The same notes, need and entropy give the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Hydration {
    /// Section by section, the best first.
    pub taken: Vec<Taken>,
    /// What was found as well.
    pub left_out: Vec<LeftOut>,
    /// What would have been taken, but was left out on purpose.
    pub withheld: Option<NoteId>,
    /// What all of it takes up at most, as it is worded.
    pub tokens: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Taken {
    pub note: Note,
    pub section: Section,
    /// What it takes up at most.
    pub tokens: u32,
    /// It has to be checked before it is relied on.
    pub hypothesis: bool,
    /// How far it is relied on now.
    pub confidence: Confidence,
    /// Only comparable within its section.
    pub score: f64,
    pub factors: Vec<Contribution>,
}

/// The parts of what is recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Skills,
    Patterns,
    Gotchas,
    Failures,
    /// What was found out or decided, and has been shown or said by a person to be so.
    Known,
    /// What was seen lately of the files at hand.
    Observations,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    pub note: NoteId,
    pub headline: String,
    pub section: Section,
    #[serde(flatten)]
    pub why: Omission,
}

/// Why a note that was found is not in a brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Omission {
    /// The budget is used up.
    NoRoom,
    /// There are enough better ones in its section.
    TooMany,
    /// One that was taken says nearly the same.
    LikeAnother {
        #[serde(rename = "like")]
        note: NoteId,
    },
    /// It fits much less than the best of its section, or only by chance, or is little relied on.
    OfLittleUse,
    /// On purpose, to see how the work goes without it.
    Withheld,
}

impl Hydration {
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// The notes that a brief has.
    pub fn notes(&self) -> Vec<NoteId> {
        self.taken.iter().map(|one| one.note.id.clone()).collect()
    }
}

impl Section {
    pub const ALL: [Section; 6] = [
        Section::Skills,
        Section::Patterns,
        Section::Gotchas,
        Section::Failures,
        Section::Known,
        Section::Observations,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Section::Skills => "skills",
            Section::Patterns => "patterns",
            Section::Gotchas => "gotchas",
            Section::Failures => "failures",
            Section::Known => "known",
            Section::Observations => "observations",
        }
    }

    pub(super) fn most(self, allowance: &Allowance) -> usize {
        match self {
            Section::Skills => allowance.skills,
            Section::Patterns => allowance.patterns,
            Section::Gotchas => allowance.gotchas,
            Section::Failures => allowance.failures,
            Section::Known => allowance.known,
            Section::Observations => allowance.observations,
        }
    }
}
