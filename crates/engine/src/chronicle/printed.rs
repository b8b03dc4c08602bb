//! One stream of a recording, as text that any terminal may show.

use std::io::{self, Read};
use std::path::Path;

use ralph_core::event::Stream;

use crate::output::{Piece, Reader, printable_bytes};

/// A line that is longer is made printable in parts.
const LONGEST: usize = 64 << 10;

pub(super) struct Printed {
    reader: Reader,
    wanted: Stream,
    /// What is there of the present line.
    line: Vec<u8>,
    ready: Vec<u8>,
    /// How much of what is ready was handed out.
    taken: usize,
    is_over: bool,
}

impl Printed {
    pub(super) fn open(output: &Path, wanted: Stream) -> Printed {
        let reader = Reader::open(output, 0);
        Printed { reader, wanted, line: Vec::new(), ready: Vec::new(), taken: 0, is_over: false }
    }

    /// Whether there is anything to read; an error counts, for it is to be told.
    pub(super) fn has_any(&mut self) -> bool {
        self.fill().is_err() || !self.ready.is_empty()
    }

    fn fill(&mut self) -> io::Result<()> {
        while self.taken == self.ready.len() && !self.is_over {
            self.ready.clear();
            self.taken = 0;
            self.read_on()?;
        }
        Ok(())
    }

    fn read_on(&mut self) -> io::Result<()> {
        let Printed { reader, wanted, line, ready, is_over, .. } = self;
        match reader.read().map_err(io::Error::other)? {
            Some(Piece::Bytes { stream, bytes, .. }) if stream == *wanted => {
                for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                    line.extend_from_slice(part);
                    if part.ends_with(b"\n") || line.len() > LONGEST {
                        ready.extend_from_slice(printable_bytes(line).as_bytes());
                        line.clear();
                    }
                }
            }
            // Both streams share what is missing, so it is told in one of them.
            Some(Piece::Gap { bytes } | Piece::Torn { missing: bytes }) if *wanted == Stream::Out => {
                line.extend_from_slice(format!("\n[{bytes} bytes were not kept]\n").as_bytes());
            }
            Some(_) => {}
            None => {
                *is_over = true;
                ready.extend_from_slice(printable_bytes(line).as_bytes());
            }
        }
        Ok(())
    }
}

impl Read for Printed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.fill()?;
        let left = &self.ready[self.taken..];
        let count = left.len().min(into.len());
        into[..count].copy_from_slice(&left[..count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use ralph_core::redact::Redactor;

    use super::{Printed, Stream};
    use crate::output::{Caps, Recorder};

    #[test]
    fn each_stream_is_read_for_itself_and_without_escapes_however_it_was_cut() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("attempt");
        let redactor = Redactor::new(std::iter::empty());
        let mut recorder = Recorder::create(&place, &redactor, Caps::default()).unwrap();
        for (stream, bytes) in [
            (Stream::Out, &b"on\x1b[3"[..]),
            (Stream::Err, b"trouble\n"),
            (Stream::Out, b"1me\ntw\xc3"),
            (Stream::Out, b"\xb6"),
        ] {
            recorder.push(stream, bytes).unwrap();
        }
        for stream in [Stream::Out, Stream::Err] {
            recorder.flush(stream).unwrap();
        }
        recorder.finish().unwrap();
        let read = |stream| {
            let mut text = String::new();
            Printed::open(&place, stream).read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!((read(Stream::Out), read(Stream::Err)), ("one\ntwö".to_owned(), "trouble\n".to_owned()));
        assert!(Printed::open(&place, Stream::Err).has_any());
        assert!(!Printed::open(&dir.path().join("none"), Stream::Err).has_any());
    }
}
