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
use super::refused::{self, Unmade};

const MAGIC: &[u8; 8] = b"ralphvec";
/// Changes with the layout.
const VERSION: u64 = 1;
/// Magic, version, size and time of the table, dimensions, words, rows, and the digest of the table.
const HEAD: usize = 8 + 6 * 8 + 32;
const KEY: usize = 16;
/// Beside an index, why there is none.
const REFUSED: &str = "refused";

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
pub(super) struct Stamp {
    pub(super) size: u64,
    pub(super) modified: i64,
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
        settled(&path, stamp).unwrap_or_else(|| made(table, stamp, &path, announce))
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

/// What the table came to when it was read, if it was.
fn settled(path: &Path, stamp: Stamp) -> Option<Result<Index, MeasureError>> {
    let index = current(path, stamp).map(Ok);
    index.or_else(|| refused::kept(&path.with_extension(REFUSED), stamp).map(Err))
}

fn made(table: &Path, stamp: Stamp, path: &Path, announce: fn(&Path)) -> Result<Index, MeasureError> {
    let kept = |error: io::Error| unkept(path, &error);
    let dir = path.parent().unwrap_or(path);
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(kept)?;
    // Whoever else makes it is waited for.
    let new = path.with_extension("new");
    let file = locked(&new).map_err(kept)?;
    let settled = settled(path, stamp).unwrap_or_else(|| {
        announce(table);
        let written = write(table, stamp, &file, path);
        written.map_err(|unmade| refused::keep(&path.with_extension(REFUSED), stamp, unmade))?;
        fs::rename(&new, path).map_err(kept)?;
        let _was_of_another = fs::remove_file(path.with_extension(REFUSED));
        current(path, stamp).ok_or_else(|| wrong(table, "was changed while it was read"))
    });
    // Under another name it is an index; under this one it is what nobody goes on with.
    if is_at(&file, &new) {
        let _is_made_anew = fs::remove_file(&new);
    }
    settled
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
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|now| file.metadata().is_ok_and(|own| own.ino() == now.ino()))
}

fn write(table: &Path, stamp: Stamp, file: &File, path: &Path) -> Result<(), Unmade> {
    let kept = |error: io::Error| Unmade::Unread(unkept(path, &error));
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
    let dimensions = lines.dimensions.ok_or_else(|| Unmade::Malformed(wrong(table, "has no words")))? as u64;
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{Index, locked};
    use crate::Table;
    use ralph_memory::{Measure as _, Pace};
    use std::time::Duration;

    fn files(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| path.extension().unwrap().to_str().unwrap().to_owned()).collect()
    }

    fn table(dir: &Path, text: &str) -> PathBuf {
        let table = dir.join("table.vec");
        fs::write(&table, text).unwrap();
        table
    }

    #[test]
    fn a_malformed_table_is_read_once_and_leaves_nothing_half_made() {
        let (dir, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = table(dir.path(), "cat 1 2\ndog 1\n");
        let first = Index::open(&path, kept.path(), |_| {}).unwrap_err();
        assert!(first.what.contains("table.vec:2:"), "{first}");
        assert_eq!(files(kept.path()), ["refused"]);
        let again = Index::open(&path, kept.path(), |_| panic!("it was read already")).unwrap_err();
        assert_eq!(again, first);
        table(dir.path(), "cat 1 2\ndog 1 2\n");
        assert_eq!(Index::open(&path, kept.path(), |_| {}).unwrap().words(), 2);
        assert_eq!(files(kept.path()), ["index"]);
    }

    #[test]
    fn a_table_that_another_reads_is_waited_for_only_so_long() {
        let (dir, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = table(dir.path(), "cat 1 2\n");
        let name = blake3::hash(path.canonicalize().unwrap().as_os_str().as_encoded_bytes()).to_hex();
        let other = locked(&kept.path().join(format!("{}.new", &name[..32]))).unwrap();
        let pace = Pace { question: Duration::ZERO, notes: Duration::ZERO, batch: 1 };
        let patient = Table::new(path, kept.path().to_owned(), pace, |_| {});
        let hasty = patient.clone().waiting(Duration::from_millis(1));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let late = runtime.block_on(hasty.identity()).unwrap_err();
        assert!(late.what.contains("is still being read"), "{late}");
        drop(other);
        assert!(runtime.block_on(patient.identity()).is_ok());
    }
}
