//! What another tool has written down, as a note of ralph's own.

use jiff::Timestamp;
use ralph_core::note::Draft;

/// A note that there would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNote {
    /// The same for the same note, whenever and from wherever it is taken over.
    pub key: String,
    /// When it was written down.
    pub at: Timestamp,
    pub draft: Draft,
}
