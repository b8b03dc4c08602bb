//! Tables of which no index can be made. What is wrong with one is kept beside the indexes, so that it is read once.

use std::fs;
use std::path::Path;

use ralph_memory::MeasureError;
use serde::{Deserialize, Serialize};

use super::index::Stamp;

/// Why an index was not made.
#[derive(Debug)]
pub(super) enum Unmade {
    /// It is the same for as long as the table is.
    Malformed(MeasureError),
    /// Another time, it may be possible.
    Unread(MeasureError),
}

/// Changes with what is taken for a table.
const VERSION: u64 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    version: u64,
    size: u64,
    modified: i64,
    what: String,
    next: String,
}

/// What was wrong with the table when it was read, if it is still the one.
pub(super) fn kept(path: &Path, stamp: Stamp) -> Option<MeasureError> {
    let kept: Kept = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let is_it = (kept.version, kept.size, kept.modified) == (VERSION, stamp.size, stamp.modified);
    is_it.then(|| MeasureError::new(kept.what, kept.next))
}

/// Where it cannot be kept, the table is read again.
pub(super) fn keep(path: &Path, stamp: Stamp, unmade: Unmade) -> MeasureError {
    let (Unmade::Malformed(error) | Unmade::Unread(error)) = &unmade;
    if let Unmade::Malformed(error) = &unmade {
        let (what, next) = (error.what.clone(), error.next.clone());
        let kept = Kept { version: VERSION, size: stamp.size, modified: stamp.modified, what, next };
        let text = serde_json::to_vec(&kept).expect("texts and numbers are JSON");
        let _read_again_then = fs::write(path, text);
    }
    error.clone()
}
