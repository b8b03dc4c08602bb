//! What is remembered, as one brief tells it, and which notes that were.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::NoteId;
use crate::note::Draft;

/// Parts of a brief, each worded and fenced already, and empty where there is nothing to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recollection {
    /// What holds for all work in the project.
    pub constitution: String,
    /// Skills, patterns, approaches that failed, what was seen lately.
    pub memory: String,
    pub gotchas: String,
    /// The code that is concerned, with its relations.
    pub symbols: String,
    /// What the task names and nobody knows.
    pub unknown: String,
    /// How the agent puts down what it learns.
    pub writing: String,
    /// For the fences of whatever else a brief quotes. No other fence has it, and nothing that was written before can name it.
    pub nonce: String,
}

impl Recollection {
    /// In the order in which a brief without a template tells them; the constitution comes before all else.
    pub fn body(&self) -> String {
        let parts = [
            ("What is remembered", &self.memory),
            ("What went wrong here before", &self.gotchas),
            ("Code that is concerned", &self.symbols),
            ("What is not known", &self.unknown),
        ];
        let said = parts.into_iter().filter(|(_, part)| !part.trim().is_empty());
        let worded = said.map(|(heading, part)| format!("# {heading}\n\n{}", part.trim_end()));
        worded.collect::<Vec<_>>().join("\n\n")
    }
}

/// Which notes a brief had.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recalled {
    pub notes: Vec<NoteId>,
    /// One that would have been in it and was left out, to see how the work goes without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<NoteId>,
    /// How many would have fitted and had no place.
    pub left_out: u32,
    /// What they take up in the brief.
    pub tokens: u32,
}

/// What an agent that was asked has to say of a completed task. It is part of the run until it was taken over, so nobody
/// is asked twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    pub iteration: u32,
    pub drafts: Vec<Draft>,
}

impl Recalled {
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.withheld.is_none()
    }
}
