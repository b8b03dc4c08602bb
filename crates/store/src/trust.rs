//! What a person has allowed to be executed.

use ralph_core::Timestamp;

/// A file or directory, and the hash of what it could execute when it was trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    pub what: String,
    pub hash: String,
    pub at: Timestamp,
}
