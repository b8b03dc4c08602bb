//! What a run owes its tree: to be put back as it was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::RunId;

/// A tree that is to be put back before the run goes on, or once it is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PutBack {
    pub snapshot: String,
    /// As it was when this iteration began; none: before the run.
    pub iteration: Option<u32>,
    pub why: Why,
    /// What git's HEAD pointed at then.
    #[serde(default)]
    pub head: Option<String>,
}

/// Why a tree was put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// A person asked for it.
    Asked,
    /// A person chose a snapshot.
    Chosen,
    /// A person took the last one back.
    Undone,
    /// An attempt was cut short and is made again.
    Torn,
    /// The run ended unsuccessfully.
    Failed,
    /// A task of a backlog was given up.
    GivenUp,
    /// A run begins from where another one was.
    Forked,
}

/// What was done to put a tree back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The snapshot of the tree as it was before.
    pub undo: String,
    pub changed: u64,
    /// The first of the paths that were changed.
    pub files: Vec<String>,
    /// What git's HEAD points at, which is left alone.
    pub head: Option<String>,
}

/// How much of a tree a person has put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// Some paths.
    Part,
}

impl Extent {
    /// No paths stand for all of them.
    pub fn of<P>(paths: &[P]) -> Extent {
        if paths.is_empty() { Extent::Whole } else { Extent::Part }
    }
}

/// Where a run was begun from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForkedFrom {
    pub run: RunId,
    /// The new run begins with the tree as it was when this iteration began.
    pub iteration: u32,
    pub snapshot: String,
    /// What git's HEAD pointed at then.
    #[serde(default)]
    pub head: Option<String>,
}
