//! The bytes of one segment, compressed or not, through one small buffer.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use lz4_flex::frame::FrameDecoder;

use super::{OutputError, segment};

const BUFFER: usize = 64 * 1024;

pub(super) struct Source {
    path: PathBuf,
    input: Input,
    buffer: Vec<u8>,
    /// `buffer[..taken]` is read, `buffer[taken..]` is available.
    taken: usize,
}

enum Input {
    Raw(File),
    Compressed(Box<FrameDecoder<File>>),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Source").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Source {
    /// Segment `number`, or none when it is gone.
    pub(super) fn open(directory: &Path, number: u64) -> Result<Option<Source>, OutputError> {
        // Compressing deletes the raw file last, so one of the two is there unless both are gone.
        let raw = segment::raw_path(directory, number);
        if let Some(file) = open_if_there(&raw)? {
            return Ok(Some(Source::new(raw, Input::Raw(file))));
        }
        let compressed = segment::compressed_path(directory, number);
        Ok(open_if_there(&compressed)?.map(|file| {
            let decoder = Box::new(FrameDecoder::new(file));
            Source::new(compressed, Input::Compressed(decoder))
        }))
    }

    fn new(path: PathBuf, input: Input) -> Source {
        Source { path, input, buffer: Vec::new(), taken: 0 }
    }

    pub(super) fn available(&self) -> &[u8] {
        &self.buffer[self.taken..]
    }

    pub(super) fn consume(&mut self, length: usize) {
        self.taken += length;
    }

    /// The last `length` bytes consumed.
    pub(super) fn last(&self, length: usize) -> &[u8] {
        &self.buffer[self.taken - length..self.taken]
    }

    /// Consumes `N` bytes if there are that many.
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = self.available().first_chunk::<N>().copied()?;
        self.taken += N;
        Some(bytes)
    }

    /// Makes more bytes available; false when there are none for now.
    pub(super) fn fill(&mut self) -> Result<bool, OutputError> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let held = self.buffer.len();
        self.buffer.resize(held + BUFFER, 0);
        let read = loop {
            match self.input.read(&mut self.buffer[held..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
        let read = read.map_err(OutputError::io("read", &self.path))?;
        Ok(read > 0)
    }

    pub(super) fn broken(&self, what: &'static str) -> OutputError {
        OutputError::NotASegment { path: self.path.clone(), what }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Raw(file) => file.read(buffer),
            Input::Compressed(decoder) => decoder.read(buffer),
        }
    }
}

fn open_if_there(path: &Path) -> Result<Option<File>, OutputError> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some).map_err(OutputError::io("read", path)),
    }
}
