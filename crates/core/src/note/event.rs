//! The events that notes are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::confidence::Evidence;
use super::draft::{Anchor, Draft};
use super::scope::Scope;
use crate::Timestamp;
use crate::id::{NoteId, RunId, TaskId};

/// One line of the memory's log. The log is only ever appended to, with one exception: what a forgotten note said is
/// blanked in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MemoryEvent {
    /// Somebody put a note down.
    Observed { note: NoteId, draft: Box<Draft> },
    /// Something speaks for it.
    Confirmed { note: NoteId, evidence: Evidence },
    /// Something speaks against it.
    Doubted { note: NoteId, evidence: Evidence },
    /// It was in a brief, and this became of the work.
    Used { note: NoteId, used: Use },
    /// It would have been in a brief and was left out on purpose, to see how the work goes without it.
    Withheld { note: NoteId, used: Use },
    /// It was seen to be so of these symbols as they are now.
    Anchored { note: NoteId, anchors: Vec<Anchor> },
    /// Another says the same, or better, or what is true now. It is kept, and no longer found.
    Superseded {
        note: NoteId,
        by: NoteId,
        why: String,
        /// Until when it was so; until then, if nothing is said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        valid_to: Option<Timestamp>,
    },
    /// More can see it from now on.
    Promoted { note: NoteId, to: Scope },
    /// A tombstone: the note is gone, and so is all that was ever said in it.
    Forgotten { note: NoteId },
}

/// A brief that a note was in or was left out of, and what became of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Use {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// Nothing where the work only went on: neither better nor worse than before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub succeeded: Option<bool>,
}

/// A line of the log as it is read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recorded {
    /// Counted from 1.
    pub seq: u64,
    pub at: Timestamp,
    pub note: NoteId,
    /// OBSERVED, CONFIRMED, …
    pub name: String,
    /// Nothing, if the note was forgotten later.
    pub event: Option<MemoryEvent>,
}

impl MemoryEvent {
    /// The note that it is about.
    pub fn note(&self) -> &NoteId {
        match self {
            MemoryEvent::Observed { note, .. }
            | MemoryEvent::Confirmed { note, .. }
            | MemoryEvent::Doubted { note, .. }
            | MemoryEvent::Used { note, .. }
            | MemoryEvent::Withheld { note, .. }
            | MemoryEvent::Anchored { note, .. }
            | MemoryEvent::Superseded { note, .. }
            | MemoryEvent::Promoted { note, .. }
            | MemoryEvent::Forgotten { note } => note,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            MemoryEvent::Observed { .. } => "OBSERVED",
            MemoryEvent::Confirmed { .. } => "CONFIRMED",
            MemoryEvent::Doubted { .. } => "DOUBTED",
            MemoryEvent::Used { .. } => "USED",
            MemoryEvent::Withheld { .. } => "WITHHELD",
            MemoryEvent::Anchored { .. } => "ANCHORED",
            MemoryEvent::Superseded { .. } => "SUPERSEDED",
            MemoryEvent::Promoted { .. } => "PROMOTED",
            MemoryEvent::Forgotten { .. } => "FORGOTTEN",
        }
    }
}
