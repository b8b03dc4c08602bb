//! The content of one file, read while somebody may be writing it. What is kept is always something that was really
//! read in one go; when the file did not hold still for that, the snapshot says so.

use std::fs::File;
use std::io::{self, Read as _, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::cache::{Stamp, now};
use crate::crash::point;
use crate::digest::Digest;
use crate::error::SnapshotError;
use crate::pack::{Batch, SMALL};

/// How often a file that changes is read again.
const TRIES: usize = 3;

#[derive(Debug)]
pub(super) enum Content {
    Kept {
        digest: Digest,
        size: u64,
        stat: Box<Stat>,
        held_still: bool,
    },
    /// It went away, or something else now has its name.
    Gone,
    Unreadable(io::Error),
}

pub(super) fn keep(
    directory: BorrowedFd<'_>,
    name: &[u8],
    batch: &mut Batch<'_, '_>,
    buffer: &mut Vec<u8>,
) -> Result<Content, SnapshotError> {
    let mut tries = 0;
    loop {
        tries += 1;
        let is_last = tries == TRIES;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(directory, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            // A symlink or a socket has taken its place.
            Err(Errno::NOENT | Errno::LOOP | Errno::NXIO) => return Ok(Content::Gone),
            Err(error) => return Ok(Content::Unreadable(error.into())),
        };
        let before = match rustix::fs::fstat(&file) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_file() => stat,
            Ok(_) => return Ok(Content::Gone),
            Err(error) => return Ok(Content::Unreadable(error.into())),
        };
        let read = if Stamp::of(&before).size <= SMALL {
            small(&file, &Stamp::of(&before), batch, buffer, is_last)?
        } else {
            large(&file, Stamp::of(&before).size, batch, is_last)?
        };
        let Read { digest, size, held_still } = match read {
            Ok(Some(read)) => read,
            Ok(None) => continue,
            Err(error) => return Ok(Content::Unreadable(error)),
        };
        let held_still =
            held_still && size == Stamp::of(&before).size && is_still(&file, &Stamp::of(&before));
        if held_still || is_last {
            return Ok(Content::Kept { digest, size, stat: Box::new(before), held_still });
        }
    }
}

/// What was read and is kept, and whether it read the same all the time.
struct Read {
    digest: Digest,
    size: u64,
    held_still: bool,
}

/// The outer failure is the vault's, the inner one the file's.
type Attempted = Result<io::Result<Option<Read>>, SnapshotError>;

fn is_still(file: &File, before: &Stamp) -> bool {
    rustix::fs::fstat(file.as_fd()).is_ok_and(|stat| Stamp::of(&stat) == *before)
}

/// Reads it whole; none if it changed meanwhile and can be read again.
fn small(
    file: &File,
    before: &Stamp,
    batch: &mut Batch<'_, '_>,
    buffer: &mut Vec<u8>,
    is_last: bool,
) -> Attempted {
    buffer.clear();
    if let Err(error) = file.take(SMALL + 1).read_to_end(buffer) {
        return Ok(Err(error));
    }
    point("snapshot.take.read");
    let is_whole = match is_same_again(file, before, buffer) {
        Ok(is_same) => is_same && buffer.len() as u64 == before.size && is_still(file, before),
        Err(error) => return Ok(Err(error)),
    };
    if !is_whole && !is_last {
        return Ok(Ok(None));
    }
    buffer.truncate(SMALL as usize);
    let digest = Digest::of(buffer);
    batch.put(digest, buffer)?;
    Ok(Ok(Some(Read { digest, size: buffer.len() as u64, held_still: is_whole })))
}

/// A file that was written just now may be written again without its times showing it: it must read the same twice.
fn is_same_again(mut file: &File, before: &Stamp, content: &[u8]) -> io::Result<bool> {
    if before.is_settled(now()) {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(0))?;
    let mut again = Vec::with_capacity(content.len());
    file.take(content.len() as u64 + 1).read_to_end(&mut again)?;
    Ok(again == content)
}

/// Reads it twice, first for its digest; none if it was not the same both times.
fn large(file: &File, size: u64, batch: &mut Batch<'_, '_>, is_last: bool) -> Attempted {
    let (digest, size) = match hash(file, size) {
        Ok(read) => read,
        Err(error) => return Ok(Err(error)),
    };
    let packs = batch.writer();
    point("snapshot.take.read");
    let read = Read { digest, size, held_still: true };
    if !packs.claim(digest, size)? {
        return Ok(Ok(Some(read)));
    }
    let mut again = file;
    if let Err(error) = again.seek(SeekFrom::Start(0)) {
        return Ok(Err(error));
    }
    if packs.put_stream(digest, size, &mut again)? {
        return Ok(Ok(Some(read)));
    }
    packs.unclaim(digest, size);
    if is_last { aside(file, size, batch) } else { Ok(Ok(None)) }
}

/// A file that never holds still is copied first: the copy does.
fn aside(mut file: &File, size: u64, batch: &mut Batch<'_, '_>) -> Attempted {
    let packs = batch.writer();
    let spool = packs.spool()?;
    let copied = file.seek(SeekFrom::Start(0)).and_then(|_| io::copy(&mut file.take(size), &mut &spool));
    let hashed = copied.and_then(|size| (&spool).seek(SeekFrom::Start(0)).and_then(|_| hash(&spool, size)));
    let (digest, size) = match hashed {
        Ok(read) => read,
        Err(error) => return Ok(Err(error)),
    };
    if packs.claim(digest, size)? {
        let mut again = &spool;
        let kept = match again.seek(SeekFrom::Start(0)) {
            Ok(_) => packs.put_stream(digest, size, &mut again)?,
            Err(error) => return Ok(Err(error)),
        };
        assert!(kept, "a copy that nobody else can see does not change");
    }
    Ok(Ok(Some(Read { digest, size, held_still: false })))
}

fn hash(file: &File, size: u64) -> io::Result<(Digest, u64)> {
    let mut hasher = blake3::Hasher::new();
    let size = io::copy(&mut file.take(size), &mut hasher)?;
    Ok((hasher.finalize().into(), size))
}
