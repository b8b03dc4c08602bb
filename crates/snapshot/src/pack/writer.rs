//! A pack being written by several threads at once. Nothing of it is seen until it is whole and durable.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::index::{Index, Indexes, PackIndex, Place};
use super::{FRAME, TEMPORARY, tar};
use crate::crash::point;
use crate::digest::Digest;
use crate::error::{Attempt, SnapshotError};

/// Quick rather than small: level 1 already takes most of what source text gives.
const LEVEL: i32 = 1;

#[derive(Debug)]
pub(crate) struct PackWriter<'v> {
    vault: &'v Path,
    indexes: &'v Indexes,
    /// Read when the first new content appears; a tree without news costs no look at it.
    index: OnceLock<Arc<Index>>,
    limit: u64,
    // One file, appended to by all workers, a frame at a time.
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    file: Option<BufWriter<File>>,
    offset: u64,
    places: Vec<Place>,
    claimed: HashSet<Digest>,
    content: u64,
}

/// What a finished pack came to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    pub(crate) bytes: u64,
}

impl<'v> PackWriter<'v> {
    /// Refuses to take in more than `limit` bytes of new content.
    pub(crate) fn new(vault: &'v Path, indexes: &'v Indexes, limit: u64) -> PackWriter<'v> {
        PackWriter { vault, indexes, index: OnceLock::new(), limit, open: Mutex::default() }
    }

    /// For content that shall be written again although another pack has it.
    pub(crate) fn regardless(vault: &'v Path, indexes: &'v Indexes, next_of: &Index) -> PackWriter<'v> {
        let writer = PackWriter::new(vault, indexes, u64::MAX);
        let last = next_of.packs.last_key_value().map(|(number, _)| *number);
        let placeholder = last.map(|number| (number, Arc::new(PackIndex::new(Vec::new()))));
        let _ = writer.index.set(Arc::new(Index { packs: placeholder.into_iter().collect() }));
        writer
    }

    fn index(&self) -> Result<&Index, SnapshotError> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let now = self.indexes.now()?;
        Ok(self.index.get_or_init(|| now))
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the caller is to write this content: nobody has, and nobody else is about to.
    pub(crate) fn claim(&self, digest: Digest, size: u64) -> Result<bool, SnapshotError> {
        if self.index()?.find(digest).is_some() {
            return Ok(false);
        }
        let mut open = self.open();
        if !open.claimed.insert(digest) {
            return Ok(false);
        }
        open.content = open.content.saturating_add(size);
        if open.content > self.limit {
            return Err(SnapshotError::TooLarge { limit: self.limit, files: open.claimed.len() as u64 });
        }
        Ok(true)
    }

    pub(crate) fn unclaim(&self, digest: Digest, size: u64) {
        let mut open = self.open();
        open.claimed.remove(&digest);
        open.content = open.content.saturating_sub(size);
    }

    pub(crate) fn batch(&self) -> Batch<'_, 'v> {
        Batch { writer: self, raw: Vec::new(), members: Vec::new(), compressor: None }
    }

    /// A file that only the caller sees and that goes when it is closed.
    pub(crate) fn spool(&self) -> Result<File, SnapshotError> {
        let path = self.vault.join(format!("{TEMPORARY}spool-{:?}", std::thread::current().id()));
        let spool =
            std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        spool.and_then(|file| std::fs::remove_file(&path).map(|()| file)).attempt("create", &path)
    }

    fn temporary(&self) -> PathBuf {
        self.vault.join(format!("{TEMPORARY}pack"))
    }

    fn failed(&self, error: io::Error) -> SnapshotError {
        SnapshotError::io("write the pack", self.temporary(), error)
    }

    fn append_frame(&self, frame: &[u8], members: &[(Digest, u64, u64)]) -> Result<(), SnapshotError> {
        let mut open = self.open();
        self.ready(&mut open)?.write_all(frame).map_err(|error| self.failed(error))?;
        let (offset, length) = (open.offset, frame.len() as u64);
        let places =
            members.iter().map(|&(digest, inner, size)| Place { digest, frame: offset, length, inner, size });
        open.places.extend(places);
        open.offset += length;
        point("snapshot.pack.frame");
        Ok(())
    }

    fn ready<'o>(&self, open: &'o mut Open) -> Result<&'o mut BufWriter<File>, SnapshotError> {
        if open.file.is_none() {
            let path = self.temporary();
            let file = crate::vault::create_private(&path).attempt("create", &path)?;
            open.file = Some(BufWriter::with_capacity(1 << 20, file));
        }
        Ok(open.file.as_mut().expect("it was opened above"))
    }

    /// Writes `size` bytes as a frame of their own while they are read. If they turn out to be other bytes than those
    /// that were claimed, nothing is kept of them and the answer is false.
    pub(crate) fn put_stream(
        &self,
        digest: Digest,
        size: u64,
        content: &mut dyn Read,
    ) -> Result<bool, SnapshotError> {
        let mut open = self.open();
        let frame = open.offset;
        let file = self.ready(&mut open)?;
        let mut count = Counting { inner: file, count: 0 };
        let same = compress(digest, size, content, &mut count).map_err(|error| self.failed(error))?;
        let length = count.count;
        if same {
            open.places.push(Place { digest, frame, length, inner: tar::BLOCK as u64, size });
            open.offset += length;
            point("snapshot.pack.frame");
        } else {
            let back = file_at(open.file.as_mut().expect("it was written to above"), frame);
            back.map_err(|error| self.failed(error))?;
        }
        Ok(same)
    }

    /// Makes the pack durable and gives it its name. Its name is durable when the directory is.
    pub(crate) fn finish(self) -> Result<Option<Written>, SnapshotError> {
        let next = match self.index.get() {
            Some(index) => index.next(),
            None => return Ok(None),
        };
        let temporary = self.temporary();
        let open = std::mem::take(&mut *self.open());
        let Some(mut file) = open.file else { return Ok(None) };
        let end = zstd::bulk::compress(&tar::END, LEVEL).map_err(|error| self.failed(error))?;
        file.write_all(&end).map_err(|error| self.failed(error))?;
        let file = file.into_inner().map_err(|error| self.failed(error.into_error()))?;
        point("snapshot.pack.written");
        file.sync_data().attempt("make durable", &temporary)?;
        point("snapshot.pack.durable");
        PackIndex::new(open.places).save(self.vault, next);
        point("snapshot.pack.indexed");
        let path = next.pack(self.vault);
        std::fs::rename(&temporary, &path).attempt("name the pack", &path)?;
        point("snapshot.pack.named");
        Ok(Some(Written { bytes: open.offset + end.len() as u64 }))
    }
}

impl Drop for PackWriter<'_> {
    /// A pack that was not finished is nobody's.
    fn drop(&mut self) {
        if self.open().file.is_some() {
            let _ = std::fs::remove_file(self.temporary());
        }
    }
}

/// Content of one thread that will share a frame.
pub(crate) struct Batch<'w, 'v> {
    writer: &'w PackWriter<'v>,
    raw: Vec<u8>,
    members: Vec<(Digest, u64, u64)>,
    compressor: Option<zstd::bulk::Compressor<'static>>,
}

impl Batch<'_, '_> {
    /// Keeps the content, unless it is kept already.
    pub(crate) fn put(&mut self, digest: Digest, content: &[u8]) -> Result<(), SnapshotError> {
        let size = content.len() as u64;
        if !self.writer.claim(digest, size)? {
            return Ok(());
        }
        self.raw.extend(tar::header(digest, size));
        self.members.push((digest, self.raw.len() as u64, size));
        self.raw.extend(content);
        self.raw.resize(self.raw.len() + tar::padding(size), 0);
        if self.raw.len() >= FRAME { self.flush() } else { Ok(()) }
    }

    pub(crate) fn flush(&mut self) -> Result<(), SnapshotError> {
        if self.members.is_empty() {
            return Ok(());
        }
        if self.compressor.is_none() {
            let new = zstd::bulk::Compressor::new(LEVEL).map_err(|error| self.writer.failed(error))?;
            self.compressor = Some(new);
        }
        let compressor = self.compressor.as_mut().expect("it was made above");
        let frame = compressor.compress(&self.raw).map_err(|error| self.writer.failed(error))?;
        self.writer.append_frame(&frame, &self.members)?;
        self.raw.clear();
        self.members.clear();
        Ok(())
    }

    pub(crate) fn writer(&self) -> &PackWriter<'_> {
        self.writer
    }
}

fn compress(digest: Digest, size: u64, content: &mut dyn Read, out: &mut dyn Write) -> io::Result<bool> {
    let mut frame = zstd::stream::write::Encoder::new(out, LEVEL)?;
    frame.write_all(&tar::header(digest, size))?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 128 << 10];
    let mut left = size;
    while left > 0 {
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let count = content.read(&mut buffer[..most])?;
        if count == 0 {
            return Ok(false);
        }
        hasher.update(&buffer[..count]);
        frame.write_all(&buffer[..count])?;
        left -= count as u64;
    }
    frame.write_all(&tar::END[..tar::padding(size)])?;
    frame.finish()?;
    Ok(Digest::from(hasher.finalize()) == digest)
}

fn file_at(file: &mut BufWriter<File>, offset: u64) -> io::Result<()> {
    file.flush()?;
    file.get_ref().set_len(offset)?;
    file.seek(SeekFrom::Start(offset)).map(drop)
}

struct Counting<'f> {
    inner: &'f mut BufWriter<File>,
    count: u64,
}

impl Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
