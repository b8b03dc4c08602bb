//! What would come of taking a project over.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::fault::{Fault, Spot};
use crate::found_loop::FoundLoop;
use crate::found_note::FoundNote;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub files: Vec<NewFile>,
    /// Loops in sessions of hosts.
    pub loops: Vec<FoundLoop>,
    /// What it has written down.
    pub notes: Vec<FoundNote>,
    pub fates: Vec<Fate>,
    /// What could not be taken over and keeps nothing else from being so.
    pub faults: Vec<Fault>,
    /// What a run has to be told that no file of ralph's says: `--prd FILE`, `--epic ID`.
    pub flags: Vec<String>,
    /// What a person should know besides.
    pub notices: Vec<String>,
}

/// A file that there would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    pub path: PathBuf,
    /// What it is made of.
    pub from: Option<PathBuf>,
    pub text: String,
    /// Which of its lines come from where in `from`.
    pub origins: BTreeMap<usize, Spot>,
}

/// What became of a key, or of a file, of the predecessor's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fate {
    /// The file that it is in.
    pub file: String,
    /// Where in the file, counted from 1.
    pub line: Option<usize>,
    /// As the predecessor calls it: `errorHandling.maxRetries`; empty for the file itself.
    pub key: String,
    /// The setting, flag or file that says it now; null where nothing does.
    pub became: Option<String>,
    /// Why it became something else, or nothing.
    pub why: String,
}
