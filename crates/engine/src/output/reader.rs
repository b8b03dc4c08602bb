//! Reads a recording back, from any process, finished or still being written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::record::{Header, RECORD_HEADER, SEGMENT_HEADER, parse_segment_header};
use super::source::Source;
use super::{OutputError, Stream, segment};

/// Yields a recording piece by piece. After the last piece it may be asked again: there may be more by then.
#[derive(Debug)]
pub struct Reader {
    directory: PathBuf,
    /// Output before this was not asked for.
    from: u64,
    /// How many bytes of stored output lie behind.
    position: u64,
    last: Option<u64>,
    open: Option<Source>,
    record: Option<Record>,
    since: Duration,
    finished: bool,
}

/// A part of the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Bytes {
        stream: Stream,
        /// How long after the recording began it came, to a quarter of a second.
        since: Duration,
        bytes: &'a [u8],
    },
    /// So much was given up for the cap.
    Gap { bytes: u64 },
    /// A record ends here that announced so much more; its writer died or its disk was full.
    Torn { missing: u64 },
}

/// How the recording ends where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Its writer said so.
    Finished,
    /// Between two records: the writer is still at it, or died there.
    Open,
    /// Inside a record: the writer is in the middle of a write, or died there.
    Torn { missing: u64 },
}

/// The rest of the record that is being read.
#[derive(Debug, Clone, Copy)]
struct Record {
    stream: Stream,
    remaining: usize,
}

enum Step {
    Again,
    Wait,
    Bytes { stream: Stream, length: usize },
    Gap(u64),
    Torn(u64),
}

impl Reader {
    /// Reads the recording in `directory` from an earlier reader's [`position`](Reader::position), or from 0.
    pub fn open(directory: &Path, from: u64) -> Reader {
        Reader {
            directory: directory.to_owned(),
            from,
            position: 0,
            last: None,
            open: None,
            record: None,
            since: Duration::ZERO,
            finished: false,
        }
    }

    /// The next piece, or none when there is no more for now.
    pub fn read(&mut self) -> Result<Option<Piece<'_>>, OutputError> {
        loop {
            let step = match (&self.record, &self.open) {
                _ if self.finished => Step::Wait,
                (_, None) => self.open_next()?,
                (Some(record), Some(_)) => self.read_bytes(*record)?,
                (None, Some(_)) => self.read_header()?,
            };
            match step {
                Step::Again => {}
                Step::Wait => return Ok(None),
                Step::Gap(bytes) => return Ok(Some(Piece::Gap { bytes })),
                Step::Torn(missing) => return Ok(Some(Piece::Torn { missing })),
                Step::Bytes { stream, length } => {
                    let bytes = self.open.as_ref().map_or(&[][..], |open| open.last(length));
                    return Ok(Some(Piece::Bytes { stream, since: self.since, bytes }));
                }
            }
        }
    }

    /// How many bytes of stored output lie behind; a reader opened there goes on from here.
    pub fn position(&self) -> u64 {
        self.position.max(self.from)
    }

    /// How the recording ends as far as it was read.
    pub fn ending(&self) -> Ending {
        let in_header = self.open.as_ref().is_some_and(|open| !open.available().is_empty());
        match self.record {
            _ if self.finished => Ending::Finished,
            Some(record) => Ending::Torn { missing: record.remaining as u64 },
            None if in_header => Ending::Torn { missing: 0 },
            None => Ending::Open,
        }
    }

    fn open_next(&mut self) -> Result<Step, OutputError> {
        let Some(number) = self.next_number()? else {
            return Ok(Step::Wait);
        };
        // Deleted since it was listed: the next listing shows what there is now.
        let Some(mut source) = Source::open(&self.directory, number)? else {
            return Ok(Step::Again);
        };
        let Some(start) = source.start()? else {
            return self.skip_headless(number);
        };
        self.last = Some(number);
        self.open = Some(source);
        let behind = self.position();
        self.position = start;
        Ok(if start > behind { Step::Gap(start - behind) } else { Step::Again })
    }

    /// A segment without its first bytes is one just begun, or one whose writer got no further.
    fn skip_headless(&mut self, number: u64) -> Result<Step, OutputError> {
        let newest = segment::numbers(&self.directory)?.last().copied();
        if newest.is_none_or(|newest| newest <= number) {
            return Ok(Step::Wait);
        }
        self.last = Some(number);
        Ok(Step::Again)
    }

    fn next_number(&self) -> Result<Option<u64>, OutputError> {
        let numbers = segment::numbers(&self.directory)?;
        if let Some(last) = self.last {
            return Ok(numbers.into_iter().find(|number| *number > last));
        }
        let mut first = numbers.first().copied();
        if self.from > 0 {
            for number in numbers {
                let source = Source::open(&self.directory, number)?;
                match source.map(|mut source| source.start()).transpose()?.flatten() {
                    Some(start) if start <= self.from => first = Some(number),
                    Some(_) => break,
                    None => {}
                }
            }
        }
        Ok(first)
    }

    fn read_header(&mut self) -> Result<Step, OutputError> {
        let Some(open) = &mut self.open else {
            return Ok(Step::Again);
        };
        let Some(header) = open.take::<RECORD_HEADER>() else {
            return self.read_more();
        };
        match Header::parse(header) {
            Some(Header::Bytes { stream, length }) => {
                let remaining = length as usize;
                self.record = (remaining > 0).then_some(Record { stream, remaining });
            }
            Some(Header::Since { ms }) => self.since = Duration::from_millis(ms.into()),
            Some(Header::Finished) => self.finished = true,
            None => return Err(open.broken("no record begins where one should")),
        }
        Ok(Step::Again)
    }

    fn read_bytes(&mut self, record: Record) -> Result<Step, OutputError> {
        let Some(open) = &mut self.open else {
            return Ok(Step::Again);
        };
        let length = open.available().len().min(record.remaining);
        if length == 0 {
            return self.read_more();
        }
        open.consume(length);
        let remaining = record.remaining - length;
        self.record = (remaining > 0).then_some(Record { remaining, ..record });
        self.position += length as u64;
        let wanted = self.position.saturating_sub(self.from).min(length as u64);
        Ok(match usize::try_from(wanted) {
            Ok(0) | Err(_) => Step::Again,
            Ok(length) => Step::Bytes { stream: record.stream, length },
        })
    }

    /// Reads on in this segment, or leaves it when a later one shows that nothing more will come.
    fn read_more(&mut self) -> Result<Step, OutputError> {
        let Some(open) = &mut self.open else {
            return Ok(Step::Again);
        };
        if open.fill()? {
            return Ok(Step::Again);
        }
        let later = segment::numbers(&self.directory)?.last().copied() > self.last;
        // What was written before the later segment was begun is visible now, though it may not have been above.
        if !later {
            return Ok(Step::Wait);
        }
        if open.fill()? {
            return Ok(Step::Again);
        }
        let ending = self.ending();
        self.open = None;
        self.record = None;
        Ok(match ending {
            Ending::Torn { missing } => {
                // Told once: the next segment counts these bytes as stored if they were.
                self.position += missing;
                Step::Torn(missing)
            }
            Ending::Open | Ending::Finished => Step::Again,
        })
    }
}

impl Source {
    /// How many bytes of output were stored before this segment; none when it has not its first bytes yet.
    fn start(&mut self) -> Result<Option<u64>, OutputError> {
        let header = loop {
            if let Some(header) = self.take::<SEGMENT_HEADER>() {
                break header;
            }
            if !self.fill()? {
                return Ok(None);
            }
        };
        let start = parse_segment_header(header);
        start.map(Some).ok_or_else(|| self.broken("it begins with other bytes"))
    }
}
