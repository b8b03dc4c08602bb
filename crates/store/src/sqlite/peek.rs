//! Reads the version of a database without SQLite, because SQLite leaves its traces beside every file that it
//! opens and a newer ralph's database must not be touched at all.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) application_id: i32,
    pub(super) user_version: i32,
}

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER: usize = 100;
const FRAME_HEADER: u64 = 24;
const WAL_HEADER: usize = 32;

/// The newest stamp that was ever committed: in the log if its first page is there, else in the file itself.
pub(super) fn stamp(path: &Path) -> std::io::Result<Option<Stamp>> {
    let mut header = [0; HEADER];
    if !filled(File::open(path)?.read_exact(&mut header))? {
        return Ok(None);
    }
    let logged = match File::open(log_of(path)) {
        Ok(log) => newest_first_page(log)?,
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    Ok(stamp_in(&logged.unwrap_or(header)))
}

pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

fn stamp_in(header: &[u8; HEADER]) -> Option<Stamp> {
    let number = |at: usize| i32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    header.starts_with(MAGIC).then(|| Stamp { application_id: number(68), user_version: number(60) })
}

/// The last first page in the log that a commit follows. Frames of an earlier round carry another salt.
fn newest_first_page(log: File) -> std::io::Result<Option<[u8; HEADER]>> {
    let mut head = [0; WAL_HEADER];
    if !filled(log.read_exact_at(&mut head, 0))? {
        return Ok(None);
    }
    let page = u64::from(u32::from_be_bytes([head[8], head[9], head[10], head[11]]));
    let (mut seen, mut committed) = (None, None);
    let mut frame = [0; FRAME_HEADER as usize + HEADER];
    for at in (WAL_HEADER as u64..).step_by((FRAME_HEADER + page) as usize) {
        if !filled(log.read_exact_at(&mut frame, at))? || frame[8..16] != head[16..24] {
            break;
        }
        if frame[..4] == [0, 0, 0, 1] {
            seen = frame[FRAME_HEADER as usize..].try_into().ok();
        }
        if frame[4..8] != [0; 4] {
            committed = seen.or(committed);
        }
    }
    Ok(committed)
}

/// Whether there was as much as was asked for.
fn filled(read: std::io::Result<()>) -> std::io::Result<bool> {
    match read {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
