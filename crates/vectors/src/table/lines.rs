//! A table of words, read once from its first line to its last.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use ralph_memory::MeasureError;

use super::index::wrong;
use super::line::{entry, header};
use super::refused::Unmade;

const MOST_DIMENSIONS: usize = 4_096;
/// No line of a table is longer.
const LONGEST_LINE: u64 = 1 << 20;

/// A table, line by line.
pub(super) struct Lines<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    hasher: blake3::Hasher,
    number: u64,
    line: Vec<u8>,
    pub(super) numbers: Vec<f32>,
    pub(super) dimensions: Option<usize>,
    /// What the header says, where there is one.
    promised: Option<u64>,
    seen: u64,
}

impl Lines<'_> {
    pub(super) fn open(path: &Path) -> Result<Lines<'_>, Unmade> {
        let file = File::open(path).map_err(|error| unread(path, &error))?;
        Ok(Lines {
            path,
            reader: BufReader::with_capacity(1 << 20, file),
            hasher: blake3::Hasher::new(),
            number: 0,
            line: Vec::new(),
            numbers: Vec::new(),
            dimensions: None,
            promised: None,
            seen: 0,
        })
    }

    /// The word of the next line, if it is one that is looked up; its numbers are in `numbers`.
    pub(super) fn next(&mut self) -> Result<Option<Option<String>>, Unmade> {
        self.line.clear();
        let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| unread(self.path, &error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.hasher.update(&self.line);
        if read as u64 == LONGEST_LINE {
            return Err(self.malformed("it is longer than 1 MiB"));
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        if self.number == 1
            && let Some((words, dimensions)) = header(line)
        {
            (self.promised, self.dimensions) = (Some(words), Some(dimensions));
            return self.checked().map(|()| Some(None));
        }
        let word = match entry(line, self.dimensions, &mut self.numbers) {
            Ok(word) => word.map(str::to_owned),
            Err(why) => return Err(self.malformed(&why)),
        };
        self.dimensions = Some(self.numbers.len());
        self.seen += 1;
        self.checked().map(|()| Some(word))
    }

    fn checked(&self) -> Result<(), Unmade> {
        match self.dimensions {
            Some(count) if count == 0 || count > MOST_DIMENSIONS => {
                Err(self.malformed(&format!("{count} dimensions are not from 1 to {MOST_DIMENSIONS}")))
            }
            _ => Ok(()),
        }
    }

    fn malformed(&self, why: &str) -> Unmade {
        let what = format!("{}:{}: {why}", self.path.display(), self.number);
        Unmade::Malformed(MeasureError::new(
            what,
            "a line is a word and its numbers, with spaces between, as fastText and GloVe have it",
        ))
    }

    pub(super) fn finish(self) -> Result<[u8; 32], Unmade> {
        match self.promised {
            Some(promised) if promised != self.seen => {
                let what = format!("says that it has {promised} words, and has {}", self.seen);
                Err(Unmade::Malformed(wrong(self.path, &what)))
            }
            _ => Ok(*self.hasher.finalize().as_bytes()),
        }
    }
}

fn unread(table: &Path, error: &io::Error) -> Unmade {
    Unmade::Unread(wrong(table, &format!("cannot be read: {error}")))
}
