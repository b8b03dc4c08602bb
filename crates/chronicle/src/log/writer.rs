//! A log while it is written: under another name until it is whole, and never in memory as a whole.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::{Room, head, name, sweep};
use crate::LOGS;
use crate::beneath::{Directory, Missing};
use crate::error::ChronicleError;
use crate::iteration::Iteration;
use crate::replace::Fresh;

/// What is read at a time.
const PIECE: usize = 64 << 10;
/// How far a cut is moved so that it falls between two lines.
const LINE: usize = 4 << 10;

/// What an agent printed in one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Output { attempt: u32 },
    Stderr { attempt: u32 },
}

/// A log that is begun. Dropped before [`IterationLog::finish`], it was never there.
#[derive(Debug)]
#[must_use = "a log that is not finished is not kept"]
pub struct IterationLog {
    directory: Directory,
    fresh: Fresh,
    path: PathBuf,
    room: Room,
}

impl IterationLog {
    pub(crate) fn begin(
        root: &Path,
        iteration: &Iteration,
        room: Room,
    ) -> Result<IterationLog, ChronicleError> {
        let Some(directory) = Directory::find(root, Path::new(LOGS), Missing::Make)? else {
            return Err(ChronicleError::LeadsOut { path: root.join(LOGS) });
        };
        let name = name::of(&iteration.run, iteration.number, &iteration.task);
        let path = directory.path.join(&name);
        let fresh = Fresh::begin(&directory.fd, OsStr::new(&name), &path)?;
        let written = (&fresh.file).write_all(head::text(iteration).as_bytes());
        written.map_err(ChronicleError::io("write", &path))?;
        Ok(IterationLog { directory, fresh, path, room })
    }

    /// Adds what was printed. Of what is too long, the beginning and the end are kept. An error in reading it is
    /// noted in the log.
    pub fn section(&mut self, section: Section, printed: impl Read) -> Result<(), ChronicleError> {
        let mut out = BufWriter::new(&self.fresh.file);
        let (title, attempt) = match section {
            Section::Output { attempt } => ("RAW OUTPUT", attempt),
            Section::Stderr { attempt } => ("STDERR", attempt),
        };
        let of = if attempt > 1 { format!(" OF ATTEMPT {attempt}") } else { String::new() };
        let written = writeln!(out, "\n--- {title}{of} ---")
            .and_then(|()| copy(printed, &mut out, self.room))
            .and_then(|()| out.flush());
        written.map_err(ChronicleError::io("write", &self.path))
    }

    /// Gives it its name, and makes room for it. What stood under that name before a crash is replaced.
    pub fn finish(self) -> Result<PathBuf, ChronicleError> {
        let IterationLog { directory, fresh, path, room } = self;
        fresh.replace()?;
        sweep::make_room(&directory, room)?;
        Ok(path)
    }
}

/// The beginning as it comes, then all that may still turn out to be the end.
fn copy(mut from: impl Read, out: &mut impl Write, room: Room) -> io::Result<()> {
    let mut beginning = Vec::new();
    let mut trouble = from.by_ref().take(room.head as u64).read_to_end(&mut beginning).err();
    let is_cut = beginning.len() == room.head && trouble.is_none();
    let kept = if is_cut { last_line_end(&beginning) } else { beginning.len() };
    out.write_all(&beginning[..kept])?;
    let mut end: VecDeque<u8> = beginning[kept..].iter().copied().collect();
    let mut left_out = 0;
    let mut piece = vec![0; PIECE];
    while is_cut && trouble.is_none() {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => {
                end.extend(&piece[..read]);
                let excess = end.len().saturating_sub(room.tail);
                left_out += excess as u64;
                end.drain(..excess);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => trouble = Some(error),
        }
    }
    let end = end.make_contiguous();
    let begin = if left_out > 0 { first_line_begin(end) } else { 0 };
    if left_out > 0 {
        let gap = if beginning[..kept].ends_with(b"\n") { "" } else { "\n" };
        writeln!(out, "{gap}[{} bytes are left out here]", left_out + begin as u64)?;
    }
    out.write_all(&end[begin..])?;
    trouble.map_or(Ok(()), |error| writeln!(out, "\n[the rest could not be read: {error}]"))
}

/// Near the end of the bytes: behind a line, or at least not within a character.
fn last_line_end(bytes: &[u8]) -> usize {
    let near = bytes.len().saturating_sub(LINE);
    if let Some(at) = bytes[near..].iter().rposition(|byte| *byte == b'\n') {
        return near + at + 1;
    }
    let first = (bytes.len().saturating_sub(4)..bytes.len()).rev().find(|at| !is_continuation(bytes[*at]));
    let is_torn = |at: &usize| at + width(bytes[*at]) > bytes.len();
    first.filter(is_torn).unwrap_or(bytes.len())
}

/// Near the beginning of the bytes: where a line begins, or at least a character.
fn first_line_begin(bytes: &[u8]) -> usize {
    let near = bytes.len().min(LINE);
    if let Some(at) = bytes[..near].iter().position(|byte| *byte == b'\n') {
        return at + 1;
    }
    bytes.iter().take(4).position(|byte| !is_continuation(*byte)).unwrap_or(0)
}

/// Of the character that begins with this byte.
fn width(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::copy;
    use crate::log::Room;

    fn copied(printed: &str, head: usize, tail: usize) -> String {
        let mut out = Vec::new();
        copy(printed.as_bytes(), &mut out, Room { head, tail, ..Room::default() }).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_fits_is_kept_as_it_is() {
        for printed in ["", "a", "a\nb\n", "abcdefgh", "äöüß"] {
            assert_eq!(copied(printed, 4, 4), printed);
            assert_eq!(copied(printed, 99, 4), printed);
        }
    }

    #[test]
    fn of_what_is_too_long_beginning_and_end_are_kept_between_lines() {
        let printed = "one\ntwo\nthree\nfour\nfive\nsix\n";
        assert_eq!(copied(printed, 6, 11), "one\n[15 bytes are left out here]\nfive\nsix\n");
        assert_eq!(copied(&"ü".repeat(20), 5, 5), "üü\n[32 bytes are left out here]\nüü");
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        struct Torn(u32);
        impl std::io::Read for Torn {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.0 += 1;
                if self.0 > 1 {
                    return Err(std::io::Error::other("torn"));
                }
                buffer[..2].copy_from_slice(b"ab");
                Ok(2)
            }
        }
        let mut out = Vec::new();
        copy(Torn(0), &mut out, Room::default()).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "ab\n[the rest could not be read: torn]\n");
    }
}
