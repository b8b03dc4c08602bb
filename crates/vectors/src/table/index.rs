//! A table of words as a file in which one of them is found without reading the others.
//!
//! ```text
//! head │ for each row: scale f32, components i8 × dimensions │ sorted: hash of the word u64, row u64
//! ```

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use ralph_memory::MeasureError;

use super::lines::Lines;

const MAGIC: &[u8; 8] = b"ralphvec";
/// Changes with the layout.
const VERSION: u64 = 1;
/// Magic, version, size and time of the table, dimensions, words, rows, and the digest of the table.
const HEAD: usize = 8 + 6 * 8 + 32;
const KEY: usize = 16;

#[derive(Debug)]
pub(super) struct Index {
    file: File,
    path: PathBuf,
    head: Head,
}

/// A word that is there.
#[derive(Debug)]
pub(super) struct Word {
    /// Its place in the table, from the most frequent on.
    pub(super) row: u64,
    pub(super) vector: Vec<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    stamp: Stamp,
    dimensions: u64,
    /// That can be found.
    words: u64,
    rows: u64,
    digest: [u8; 32],
}

/// What tells that a table is the one that was read, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: i64,
}

impl Index {
    /// The index of a table as it is now; made if need be.
    pub(super) fn open(table: &Path, dir: &Path, announce: fn(&Path)) -> Result<Index, MeasureError> {
        let unreadable = |error: io::Error| wrong(table, &format!("cannot be read: {error}"));
        let table = &fs::canonicalize(table).map_err(unreadable)?;
        let found = fs::metadata(table).map_err(unreadable)?;
        if !found.is_file() {
            return Err(wrong(table, "is no file"));
        }
        let nanoseconds = found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec());
        let stamp = Stamp { size: found.size(), modified: nanoseconds };
        let name = blake3::hash(table.as_os_str().as_encoded_bytes()).to_hex();
        let path = dir.join(format!("{}.index", &name[..32]));
        if let Some(index) = current(&path, stamp) {
            return Ok(index);
        }
        let kept = |error: io::Error| unkept(&path, &error);
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(kept)?;
        // Whoever else makes it is waited for.
        let new = path.with_extension("new");
        let file = locked(&new).map_err(kept)?;
        if let Some(index) = current(&path, stamp) {
            return Ok(index);
        }
        announce(table);
        write(table, stamp, &file, &path)?;
        fs::rename(&new, &path).map_err(kept)?;
        current(&path, stamp).ok_or_else(|| wrong(table, "was changed while it was read"))
    }

    pub(super) fn words(&self) -> u64 {
        self.head.words
    }

    pub(super) fn dimensions(&self) -> usize {
        self.head.dimensions as usize
    }

    /// The digest of the table.
    pub(super) fn content(&self) -> String {
        blake3::Hash::from_bytes(self.head.digest).to_hex().to_string()
    }

    pub(super) fn find(&self, word: &str) -> Result<Option<Word>, MeasureError> {
        self.look_up(key(word)).map_err(|error| unkept(&self.path, &error))
    }

    fn look_up(&self, wanted: u64) -> io::Result<Option<Word>> {
        let keys = HEAD as u64 + self.head.rows * self.row_size();
        let (mut low, mut high) = (0, self.head.words);
        while low < high {
            let middle = low + (high - low) / 2;
            let mut pair = [0; KEY];
            self.file.read_exact_at(&mut pair, keys + middle * KEY as u64)?;
            let (found, row) = (number(&pair[..8]), number(&pair[8..]));
            match found.cmp(&wanted) {
                std::cmp::Ordering::Equal => return self.row(row).map(Some),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    fn row(&self, row: u64) -> io::Result<Word> {
        let mut bytes = vec![0; 4 + self.dimensions()];
        self.file.read_exact_at(&mut bytes, HEAD as u64 + row * self.row_size())?;
        let (scale, components) = bytes.split_at(4);
        let scale = f32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]]);
        let vector = components.iter().map(|byte| f32::from(byte.cast_signed()) * scale).collect();
        Ok(Word { row, vector })
    }

    fn row_size(&self) -> u64 {
        4 + self.head.dimensions
    }
}

/// The index that is there, if it is of this table and whole.
fn current(path: &Path, stamp: Stamp) -> Option<Index> {
    let file = File::open(path).ok()?;
    let mut bytes = [0; HEAD];
    file.read_exact_at(&mut bytes, 0).ok()?;
    let head = Head::read(&bytes).filter(|head| head.stamp == stamp)?;
    let rows = head.rows.checked_mul(head.dimensions.checked_add(4)?)?;
    let whole = rows.checked_add(head.words.checked_mul(KEY as u64)?)?.checked_add(HEAD as u64)?;
    (file.metadata().ok()?.size() == whole).then(|| Index { file, path: path.to_owned(), head })
}

/// A file that nobody else writes meanwhile, even if another process has just renamed the one before.
fn locked(path: &Path) -> io::Result<File> {
    loop {
        let file =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(path)?;
        file.lock()?;
        let is_still =
            fs::metadata(path).is_ok_and(|now| file.metadata().is_ok_and(|own| own.ino() == now.ino()));
        if is_still {
            return Ok(file);
        }
    }
}

fn write(table: &Path, stamp: Stamp, file: &File, path: &Path) -> Result<(), MeasureError> {
    let kept = |error: io::Error| unkept(path, &error);
    file.set_len(0).map_err(kept)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    out.seek(SeekFrom::Start(0)).map_err(kept)?;
    out.write_all(&[0; HEAD]).map_err(kept)?;
    let mut lines = Lines::open(table)?;
    let mut keys: Vec<(u64, u64)> = Vec::new();
    let mut row = 0u64;
    while let Some(word) = lines.next()? {
        if let Some(word) = word {
            keys.push((key(&word.to_lowercase()), row));
            out.write_all(&quantised(&lines.numbers)).map_err(kept)?;
            row += 1;
        }
    }
    let dimensions = lines.dimensions.ok_or_else(|| wrong(table, "has no words"))? as u64;
    keys.sort_unstable();
    // Of words that differ in capitals alone, the most frequent.
    keys.dedup_by_key(|(key, _)| *key);
    for (key, row) in &keys {
        out.write_all(&key.to_le_bytes()).and_then(|()| out.write_all(&row.to_le_bytes())).map_err(kept)?;
    }
    let head = Head { stamp, dimensions, words: keys.len() as u64, rows: row, digest: lines.finish()? };
    out.seek(SeekFrom::Start(0)).and_then(|_| out.write_all(&head.bytes())).map_err(kept)?;
    out.flush().and_then(|()| file.sync_all()).map_err(kept)
}

impl Head {
    fn bytes(&self) -> Vec<u8> {
        let numbers = [
            VERSION,
            self.stamp.size,
            self.stamp.modified.cast_unsigned(),
            self.dimensions,
            self.words,
            self.rows,
        ];
        let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
        MAGIC.iter().copied().chain(numbers).chain(self.digest).collect()
    }

    fn read(bytes: &[u8; HEAD]) -> Option<Head> {
        let at = |place: usize| number(&bytes[8 + place * 8..16 + place * 8]);
        if &bytes[..8] != MAGIC || at(0) != VERSION {
            return None;
        }
        let mut digest = [0; 32];
        digest.copy_from_slice(&bytes[HEAD - 32..]);
        let stamp = Stamp { size: at(1), modified: at(2).cast_signed() };
        Some(Head { stamp, dimensions: at(3), words: at(4), rows: at(5), digest })
    }
}

fn key(word: &str) -> u64 {
    number(&blake3::hash(word.as_bytes()).as_bytes()[..8])
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn quantised(numbers: &[f32]) -> Vec<u8> {
    let longest = numbers.iter().map(|number| number.abs()).fold(0.0, f32::max);
    let scale = longest / 127.0;
    let component = |number: &f32| if scale > 0.0 { (number / scale).round() as i8 } else { 0 };
    let components = numbers.iter().map(|number| component(number).cast_unsigned());
    scale.to_le_bytes().into_iter().chain(components).collect()
}

pub(super) fn wrong(table: &Path, what: &str) -> MeasureError {
    MeasureError::new(
        format!("the table {} {what}", table.display()),
        "name a table of words in memory.vectors.table",
    )
}

fn unkept(index: &Path, error: &io::Error) -> MeasureError {
    MeasureError::new(
        format!("the index of the table, {}, cannot be used: {error}", index.display()),
        "see whether there is room, or remove it: it is made again",
    )
}
