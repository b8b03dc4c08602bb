//! Takes an attempt's output as it comes: redacts it, stores it, keeps its tail.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ralph_core::redact::{RedactStream, Redactor};

use super::record::{Header, LONGEST_RECORD};
use super::segment::{self, Segment};
use super::{Caps, OutputError, Stream, Tail};

/// Times are kept to a quarter of a second.
const BETWEEN_MARKS: Duration = Duration::from_millis(250);

/// The output of one attempt while it comes. Memory follows the largest chunk pushed, not the output.
///
/// There is no file, and no directory, before the first byte.
#[derive(Debug)]
pub struct Recorder {
    directory: PathBuf,
    caps: Caps,
    out: RedactStream,
    err: RedactStream,
    tail: Tail,
    released: Vec<u8>,
    begun: Instant,
    /// The last mark of the time in this segment.
    marked: Option<Duration>,
    segment: Option<Segment>,
    /// Whole segments that are still there, oldest first.
    closed: VecDeque<Closed>,
    next: u64,
    raw: u64,
    stored: u64,
    dropped: u64,
}

/// A segment that is no longer written to.
#[derive(Debug, Clone, Copy)]
struct Closed {
    number: u64,
    /// Bytes of output stored before it.
    start: u64,
    /// Bytes of output in it.
    bytes: u64,
    length: u64,
}

/// What became of an attempt's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The last [`TAIL_CHARACTERS`](super::TAIL_CHARACTERS) characters of both streams as they came, redacted.
    pub tail: String,
    /// Bytes that came in.
    pub bytes: u64,
    /// Redacted bytes that can be read back.
    pub kept: u64,
    /// Redacted bytes from the middle that were given up for the cap.
    pub dropped: u64,
    /// Bytes on disk.
    pub on_disk: u64,
}

impl Recorder {
    /// Records into `directory`, which must not hold a recording yet.
    pub fn create(directory: &Path, redactor: &Redactor, caps: Caps) -> Result<Recorder, OutputError> {
        if !segment::numbers(directory)?.is_empty() {
            return Err(OutputError::Taken { path: directory.to_owned() });
        }
        Ok(Recorder {
            directory: directory.to_owned(),
            caps,
            out: redactor.stream(),
            err: redactor.stream(),
            tail: Tail::default(),
            released: Vec::new(),
            begun: Instant::now(),
            marked: None,
            segment: None,
            closed: VecDeque::new(),
            next: 0,
            raw: 0,
            stored: 0,
            dropped: 0,
        })
    }

    /// Takes `bytes` of `stream` and returns what is now stored: whole lines, redacted.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) -> Result<&[u8], OutputError> {
        self.raw += bytes.len() as u64;
        self.released.clear();
        match stream {
            Stream::Out => self.out.push(bytes, &mut self.released),
            Stream::Err => self.err.push(bytes, &mut self.released),
        }
        self.store_released(stream)?;
        Ok(&self.released)
    }

    /// The last characters so far.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// Says that `stream` has ended, and returns the last of it, which no line break had released.
    pub fn flush(&mut self, stream: Stream) -> Result<&[u8], OutputError> {
        self.released.clear();
        match stream {
            Stream::Out => self.out.finish(&mut self.released),
            Stream::Err => self.err.finish(&mut self.released),
        }
        self.store_released(stream)?;
        Ok(&self.released)
    }

    /// Stores what was held back, compresses what is large and closes the recording.
    pub fn finish(mut self) -> Result<Recorded, OutputError> {
        for stream in [Stream::Out, Stream::Err] {
            self.flush(stream)?;
        }
        if let Some(segment) = &mut self.segment {
            segment.append(None, Header::Finished, &[])?;
        }
        self.close_segment();
        let mut on_disk = 0;
        for closed in &self.closed {
            on_disk += segment::compress(&self.directory, closed.number, closed.length)?;
        }
        Ok(Recorded {
            tail: self.tail.text(),
            bytes: self.raw,
            kept: self.stored - self.dropped,
            dropped: self.dropped,
            on_disk,
        })
    }

    fn store_released(&mut self, stream: Stream) -> Result<(), OutputError> {
        let released = std::mem::take(&mut self.released);
        let stored = released.chunks(LONGEST_RECORD).try_for_each(|record| self.store(stream, record));
        self.released = released;
        stored
    }

    fn store(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), OutputError> {
        self.tail.push(bytes);
        let full = |segment: &Segment| segment.length() >= self.caps.segment;
        if self.segment.as_ref().is_some_and(full) {
            self.close_segment();
            self.drop_middle()?;
        }
        let since = self.begun.elapsed();
        let segment = match &mut self.segment {
            Some(segment) => segment,
            none => none.insert(Segment::create(&self.directory, self.next, self.stored)?),
        };
        let due = self.marked.is_none_or(|marked| since - marked >= BETWEEN_MARKS);
        let mark = Header::Since { ms: u32::try_from(since.as_millis()).unwrap_or(u32::MAX) };
        let length = u32::try_from(bytes.len()).expect("a record is at most LONGEST_RECORD long");
        segment.append(due.then_some(mark), Header::Bytes { stream, length }, bytes)?;
        if due {
            self.marked = Some(since);
        }
        self.stored += u64::from(length);
        Ok(())
    }

    fn close_segment(&mut self) {
        let Some(segment) = self.segment.take() else {
            return;
        };
        self.closed.push_back(Closed {
            number: self.next,
            start: segment.start(),
            bytes: self.stored - segment.start(),
            length: segment.length(),
        });
        // A reader may begin with any segment.
        self.marked = None;
        self.next += 1;
    }

    /// Deletes the oldest segments after the head for as long as the newer ones make up the tail.
    fn drop_middle(&mut self) -> Result<(), OutputError> {
        let first = self.closed.partition_point(|closed| closed.start < self.caps.head);
        while let Some(oldest) = self.closed.get(first).copied() {
            let newer = self.stored - (oldest.start + oldest.bytes);
            if newer < self.caps.tail {
                break;
            }
            segment::delete(&self.directory, oldest.number)?;
            self.closed.remove(first);
            self.dropped += oldest.bytes;
        }
        Ok(())
    }
}
