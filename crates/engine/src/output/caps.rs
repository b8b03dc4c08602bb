//! How much of an output is kept on disk.

const MIB: u64 = 1024 * 1024;

/// The beginning and the end are kept; what came between goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Bytes kept from the beginning, rounded up to a segment.
    pub head: u64,
    /// Bytes kept from the end, rounded up to a segment.
    pub tail: u64,
    /// A new segment is begun when one has this many bytes.
    pub segment: u64,
}

impl Default for Caps {
    fn default() -> Caps {
        Caps { head: 32 * MIB, tail: 32 * MIB, segment: 4 * MIB }
    }
}
