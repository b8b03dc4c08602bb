//! Content read back. What does not have the digest it is called by is never handed out as if it had.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::index::{Index, Indexes, Place};
use super::{FRAME, PackNumber, SMALL};
use crate::digest::Digest;
use crate::error::{Attempt, SnapshotError};

/// What a frame of small files can hold at most, and something for headers.
const LARGEST_FRAME: u64 = SMALL + 2 * FRAME as u64;

#[derive(Debug)]
pub(crate) struct Reader<'v> {
    vault: &'v Path,
    index: Arc<Index>,
    files: HashMap<PackNumber, File>,
    /// The frame that was read last: neighbours are asked for one after the other.
    frame: Option<(PackNumber, u64, Vec<u8>)>,
}

impl<'v> Reader<'v> {
    pub(crate) fn new(vault: &'v Path, indexes: &Indexes) -> Result<Reader<'v>, SnapshotError> {
        Ok(Reader { vault, index: indexes.now()?, files: HashMap::new(), frame: None })
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn has(&self, digest: Digest) -> bool {
        self.index.find(digest).is_some()
    }

    /// Content of any size, whole. For manifests and other things known to be small.
    pub(crate) fn read(&mut self, digest: Digest) -> Result<Vec<u8>, SnapshotError> {
        let mut content = Vec::new();
        self.copy(digest, &mut content)?;
        Ok(content)
    }

    /// Writes the content somewhere; an error after the last byte says that it was not the right content.
    pub(crate) fn copy(&mut self, digest: Digest, to: &mut dyn Write) -> Result<(), SnapshotError> {
        let (number, place) =
            self.index.find(digest).ok_or_else(|| SnapshotError::missing(self.vault, digest))?;
        let path = number.pack(self.vault);
        if let Entry::Vacant(unopened) = self.files.entry(number) {
            unopened.insert(File::open(&path).attempt("open the pack", &path)?);
        }
        let mut out = Hashing { hasher: blake3::Hasher::new(), to, failure: None };
        let copied = match place.size > SMALL {
            true => stream(&self.files[&number], place, &mut out),
            false => self.frame(number, place).and_then(|content| out.write_all(content)),
        };
        if let Some(failure) = out.failure {
            return Err(SnapshotError::io("write", "the copy of a file", failure));
        }
        let found = Digest::from(out.hasher.finalize());
        match copied {
            // What the system could not read may be whole.
            Err(error) if error.raw_os_error().is_some() => {
                return Err(SnapshotError::io("read the pack", path, error));
            }
            Err(error) => return Err(self.damaged(number, digest, &error.to_string())),
            Ok(()) => {}
        }
        if found != digest {
            return Err(self.damaged(number, digest, "other content lies there"));
        }
        Ok(())
    }

    fn damaged(&self, number: PackNumber, digest: Digest, why: &str) -> SnapshotError {
        let pack = number.pack(self.vault);
        let what = format!("{digest} in {}: {why}", pack.display());
        SnapshotError::Damaged { vault: self.vault.to_owned(), what }
    }

    fn frame(&mut self, number: PackNumber, place: Place) -> io::Result<&[u8]> {
        if self.frame.as_ref().is_none_or(|(pack, at, _)| (*pack, *at) != (number, place.frame)) {
            let mut raw = Vec::new();
            decoder(&self.files[&number], place)?.take(LARGEST_FRAME).read_to_end(&mut raw)?;
            self.frame = Some((number, place.frame, raw));
        }
        let raw = self.frame.as_ref().map(|(_, _, raw)| raw.as_slice()).unwrap_or_default();
        let from = usize::try_from(place.inner).unwrap_or(usize::MAX);
        let content = raw.get(from..).and_then(|rest| rest.get(..usize::try_from(place.size).ok()?));
        content.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

fn decoder(file: &File, place: Place) -> io::Result<impl Read> {
    let bytes = At { file, offset: place.frame, left: place.length };
    zstd::stream::read::Decoder::new(bytes).map(|decoder| decoder.single_frame())
}

fn stream(file: &File, place: Place, out: &mut dyn Write) -> io::Result<()> {
    let mut content = decoder(file, place)?;
    io::copy(&mut content.by_ref().take(place.inner), &mut io::sink())?;
    io::copy(&mut content.take(place.size), out).map(drop)
}

/// A stretch of a file, without moving the file's own position.
struct At<'f> {
    file: &'f File,
    offset: u64,
    left: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let count = self.file.read_at(&mut buffer[..most], self.offset)?;
        self.offset += count as u64;
        self.left -= count as u64;
        Ok(count)
    }
}

/// Keeps the failures of the destination apart from those of the pack.
struct Hashing<'o> {
    hasher: blake3::Hasher,
    to: &'o mut dyn Write,
    failure: Option<io::Error>,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.update(bytes);
        if let Err(error) = self.to.write_all(bytes) {
            self.failure = Some(error);
            return Err(io::ErrorKind::Other.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
