//! The bytes around the output's bytes: the header of a segment and the header of a record.

use ralph_core::event::Stream;

const MAGIC: [u8; 4] = *b"RLO1";

pub(super) const SEGMENT_HEADER: usize = 12;
pub(super) const RECORD_HEADER: usize = 5;

/// Longer releases are split, so that a record never makes a segment much larger than its cap.
pub(super) const LONGEST_RECORD: usize = 256 * 1024;

/// What a record's header announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    Bytes {
        stream: Stream,
        length: u32,
    },
    /// What follows came so many milliseconds after the recording began.
    Since {
        ms: u32,
    },
    Finished,
}

/// The first bytes of a segment that has `stored` bytes of output before it.
pub(super) fn segment_header(stored: u64) -> [u8; SEGMENT_HEADER] {
    let mut header = [0; SEGMENT_HEADER];
    header[..4].copy_from_slice(&MAGIC);
    header[4..].copy_from_slice(&stored.to_le_bytes());
    header
}

pub(super) fn parse_segment_header(header: [u8; SEGMENT_HEADER]) -> Option<u64> {
    let (magic, stored) = header.split_at(4);
    let stored = stored.try_into().map(u64::from_le_bytes).ok()?;
    (magic == MAGIC).then_some(stored)
}

impl Header {
    pub(super) fn encode(self) -> [u8; RECORD_HEADER] {
        let (mark, length) = match self {
            Header::Bytes { stream: Stream::Out, length } => (b'o', length),
            Header::Bytes { stream: Stream::Err, length } => (b'e', length),
            Header::Since { ms } => (b'@', ms),
            Header::Finished => (b'.', 0),
        };
        let [a, b, c, d] = length.to_le_bytes();
        [mark, a, b, c, d]
    }

    pub(super) fn parse([mark, a, b, c, d]: [u8; RECORD_HEADER]) -> Option<Header> {
        let length = u32::from_le_bytes([a, b, c, d]);
        match mark {
            b'o' => Some(Header::Bytes { stream: Stream::Out, length }),
            b'e' => Some(Header::Bytes { stream: Stream::Err, length }),
            b'@' => Some(Header::Since { ms: length }),
            b'.' if length == 0 => Some(Header::Finished),
            _ => None,
        }
    }
}
