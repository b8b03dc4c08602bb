//! Where in which pack content lies. An index only saves time: one that is missing or torn is made again from its pack.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::tar::{self, BLOCK};
use super::{PackNumber, TEMPORARY, numbers};
use crate::digest::Digest;
use crate::error::{Attempt, SnapshotError};

const MAGIC: &[u8; 8] = b"ralphix1";
const RECORD: usize = 64;

/// Where one piece of content lies in its pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) digest: Digest,
    /// Where the frame begins, and how long it is, compressed.
    pub(crate) frame: u64,
    pub(crate) length: u64,
    /// Where the content begins in the frame, and how long it is.
    pub(crate) inner: u64,
    pub(crate) size: u64,
}

#[derive(Debug)]
pub(crate) struct PackIndex {
    /// Sorted by digest.
    pub(crate) places: Vec<Place>,
}

impl PackIndex {
    pub(super) fn new(mut places: Vec<Place>) -> PackIndex {
        places.sort_unstable_by_key(|place| place.digest);
        PackIndex { places }
    }

    fn find(&self, digest: Digest) -> Option<Place> {
        let at = self.places.binary_search_by_key(&digest, |place| place.digest).ok()?;
        self.places.get(at).copied()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.places.len() * RECORD + 48);
        bytes.extend(MAGIC);
        bytes.extend((self.places.len() as u64).to_le_bytes());
        for place in &self.places {
            bytes.extend(place.digest.as_bytes());
            for number in [place.frame, place.length, place.inner, place.size] {
                bytes.extend(number.to_le_bytes());
            }
        }
        let seal = *Digest::of(&bytes).as_bytes();
        bytes.extend(seal);
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<PackIndex> {
        let (body, seal) = bytes.split_last_chunk::<32>()?;
        if Digest::of(body).as_bytes() != seal || body.get(..8)? != MAGIC {
            return None;
        }
        let records = body.get(16..)?;
        let number =
            |record: &[u8], at: usize| u64::from_le_bytes(*record[at..].first_chunk().expect("eight bytes"));
        let places = records.chunks_exact(RECORD).map(|record| Place {
            digest: Digest::from_bytes(*record.first_chunk().expect("a record begins with a digest")),
            frame: number(record, 32),
            length: number(record, 40),
            inner: number(record, 48),
            size: number(record, 56),
        });
        Some(PackIndex { places: places.collect() })
    }

    fn load(vault: &Path, number: PackNumber) -> Result<PackIndex, SnapshotError> {
        let kept = std::fs::read(number.index(vault)).ok().and_then(|bytes| PackIndex::decode(&bytes));
        if let Some(index) = kept {
            return Ok(index);
        }
        let path = number.pack(vault);
        let file = File::open(&path).attempt("open the pack", &path)?;
        let index = PackIndex::new(scan(file).attempt("read the pack", &path)?);
        index.save(vault, number);
        Ok(index)
    }

    /// Without a word if that fails: it is made again when it is needed.
    pub(super) fn save(&self, vault: &Path, number: PackNumber) {
        let temporary = vault.join(format!("{TEMPORARY}index-{}", number.0));
        let written = crate::vault::write_private(&temporary, &self.encode());
        let _ = written.and_then(|_| std::fs::rename(&temporary, number.index(vault)));
    }
}

/// Every member of a pack, up to its end or to where it is damaged.
fn scan(file: File) -> io::Result<Vec<Place>> {
    let mut input = BufReader::with_capacity(1 << 16, file);
    let mut places: Vec<Place> = Vec::new();
    loop {
        let frame = input.stream_position()?;
        if input.fill_buf()?.is_empty() {
            return Ok(places);
        }
        let first = places.len();
        if members(&mut input, frame, &mut places).is_err() {
            places.truncate(first);
            return Ok(places);
        }
        let length = input.stream_position()? - frame;
        places[first..].iter_mut().for_each(|place| place.length = length);
    }
}

fn members(input: &mut BufReader<File>, frame: u64, places: &mut Vec<Place>) -> io::Result<()> {
    let mut content = zstd::stream::read::Decoder::with_buffer(input)?.single_frame();
    let mut at = 0;
    let mut header = [0; BLOCK];
    loop {
        match content.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            done => done?,
        }
        at += BLOCK as u64;
        let Some((digest, size)) = tar::parse(&header) else { continue };
        let through = size + tar::padding(size) as u64;
        let skipped = io::copy(&mut content.by_ref().take(through), &mut io::sink())?;
        if skipped < through {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        places.push(Place { digest, frame, length: 0, inner: at, size });
        at += through;
    }
}

/// The indexes of all packs that there are.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) packs: BTreeMap<PackNumber, Arc<PackIndex>>,
}

impl Index {
    pub(crate) fn find(&self, digest: Digest) -> Option<(PackNumber, Place)> {
        // The newest first: what is asked for was most often written lately, or at the very beginning.
        self.packs.iter().rev().find_map(|(number, pack)| Some((*number, pack.find(digest)?)))
    }

    pub(super) fn next(&self) -> PackNumber {
        self.packs.last_key_value().map_or(PackNumber(1), |(number, _)| PackNumber(number.0 + 1))
    }
}

/// The index as it was last read.
#[derive(Debug)]
pub(crate) struct Indexes {
    vault: PathBuf,
    // Readers on several threads share what one of them has read.
    last: Mutex<Arc<Index>>,
}

impl Indexes {
    pub(crate) fn new(vault: &Path) -> Indexes {
        Indexes { vault: vault.to_owned(), last: Mutex::default() }
    }

    /// As it is now: packs that came are read, packs that went are forgotten.
    pub(crate) fn now(&self) -> Result<Arc<Index>, SnapshotError> {
        let numbers = numbers(&self.vault).attempt("list the snapshots at", &self.vault)?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.packs.keys().eq(&numbers) {
            return Ok(Arc::clone(&last));
        }
        let mut packs = BTreeMap::new();
        for number in numbers {
            let pack = match last.packs.get(&number) {
                Some(pack) => Arc::clone(pack),
                None => Arc::new(PackIndex::load(&self.vault, number)?),
            };
            packs.insert(number, pack);
        }
        *last = Arc::new(Index { packs });
        Ok(Arc::clone(&last))
    }
}
