//! Where content is kept: packs. A pack is an ordinary tar archive compressed with zstd, whose members are named by
//! their digests; it is written in frames that can each be read alone, and its index says which frame holds what.

mod index;
mod reader;
mod tar;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

pub(crate) use index::{Indexes, PackIndex, Place};
pub(crate) use reader::Reader;
pub(crate) use writer::{Batch, PackWriter};

/// A file up to this size is read whole and shares a frame with others.
pub(crate) const SMALL: u64 = 1 << 20;
/// From this size on, a frame is full.
const FRAME: usize = 256 << 10;

/// What begins so is being written, or was when a process died.
pub(crate) const TEMPORARY: &str = "tmp-";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PackNumber(u64);

impl PackNumber {
    pub(crate) fn pack(self, vault: &Path) -> PathBuf {
        vault.join(format!("pack-{:08}.tar.zst", self.0))
    }

    pub(crate) fn index(self, vault: &Path) -> PathBuf {
        vault.join(format!("pack-{:08}.index", self.0))
    }

    fn of(name: &str, suffix: &str) -> Option<PackNumber> {
        name.strip_prefix("pack-")?.strip_suffix(suffix)?.parse().ok().map(PackNumber)
    }
}

/// The names in a directory that are text; a vault has no others.
pub(crate) fn names(vault: &Path) -> io::Result<Vec<String>> {
    let entries = std::fs::read_dir(vault)?;
    let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
    names.filter_map(Result::transpose).collect()
}

/// The packs of a vault, in the order in which they were written.
pub(crate) fn numbers(vault: &Path) -> io::Result<Vec<PackNumber>> {
    let mut numbers: Vec<_> =
        names(vault)?.iter().filter_map(|name| PackNumber::of(name, ".tar.zst")).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Indexes whose pack is gone.
pub(crate) fn widowed(vault: &Path) -> io::Result<Vec<PathBuf>> {
    let names = names(vault)?;
    let numbers = names.iter().filter_map(|name| PackNumber::of(name, ".index"));
    Ok(numbers.filter(|number| !number.pack(vault).exists()).map(|number| number.index(vault)).collect())
}
