//! Where an attempt's output goes: redacted, bounded in memory and on disk, readable while it is being written.
//!
//! The output of one attempt is a directory of segments, `00000000.seg`, `00000001.seg`, …. A segment begins with the
//! four bytes `RLO1` and, as eight bytes little-endian, how many bytes of output were stored before it. Then come
//! records: one byte for the stream (`o` or `e`), four bytes little-endian for the length, and that many bytes. A record
//! `.` of length zero says that the recording was finished. A record `@` has no bytes: its length is how many milliseconds after
//! the recording began the next ones came. Both streams share the sequence, in the order they came.
//!
//! Segments between the kept head and the kept tail are deleted as new ones come; the counts at the beginning of each
//! segment tell a reader how much is missing. A finished recording has its larger segments as LZ4 frames of the same
//! bytes, `00000000.seg.lz4`. A process that dies leaves at most a torn last record.

mod caps;
mod error;
mod lines;
mod printable;
mod reader;
mod record;
mod recorder;
mod segment;
mod source;
mod tail;

pub use ralph_core::event::Stream;

pub use caps::Caps;
pub use error::OutputError;
pub use lines::{Line, Lines};
pub use printable::{printable, printable_bytes};
pub use reader::{Ending, Piece, Reader};
pub use recorder::{Recorded, Recorder};
pub use tail::{TAIL_CHARACTERS, Tail};
