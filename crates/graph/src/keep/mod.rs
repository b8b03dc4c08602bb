//! The graph's file: a checksummed, versioned copy that can always be made again from the tree.

mod bytes;
mod code;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use crate::error::GraphError;
use crate::graph::Parts;

/// Why a kept graph is of no use; the tree is read anew then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// Not a graph, cut short, or changed by something else.
    Damaged,
    /// Made by a ralph that looks for other things.
    OtherEdition,
}

const MAGIC: &[u8; 8] = b"ralphgr\n";
const CHECKSUM: usize = 32;
/// Magic and edition.
const HEAD: usize = 16;

/// What is kept there, if something is and can be used.
pub(crate) fn load(path: &Path) -> Result<Option<Result<Parts, Unusable>>, GraphError> {
    match fs::read(path) {
        Ok(content) => Ok(Some(decode(&content))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(GraphError::Read { path: path.to_owned(), source }),
    }
}

pub(crate) fn decode(content: &[u8]) -> Result<Parts, Unusable> {
    let head = content.get(..HEAD).filter(|head| head.starts_with(MAGIC)).ok_or(Unusable::Damaged)?;
    if head[MAGIC.len()..] != edition() {
        return Err(Unusable::OtherEdition);
    }
    let end = content.len().checked_sub(CHECKSUM).filter(|end| *end >= HEAD).ok_or(Unusable::Damaged)?;
    if blake3::hash(&content[..end]).as_bytes() != &content[end..] {
        return Err(Unusable::Damaged);
    }
    code::decode(&content[HEAD..end]).ok_or(Unusable::Damaged)
}

pub(crate) fn encode(parts: &Parts) -> Vec<u8> {
    let mut content = MAGIC.to_vec();
    content.extend(edition());
    code::encode(parts, code::Stamps::Kept, &mut content);
    let checksum = blake3::hash(&content);
    content.extend(checksum.as_bytes());
    content
}

/// The same for the same code, whenever and however it was read.
pub(crate) fn fingerprint(parts: &Parts) -> [u8; 32] {
    let mut content = Vec::new();
    code::encode(parts, code::Stamps::LeftOut, &mut content);
    *blake3::hash(&content).as_bytes()
}

/// All of it or nothing: a reader sees the old one or the new one.
pub(crate) fn save(path: &Path, parts: &Parts) -> Result<u64, GraphError> {
    let content = encode(parts);
    let wrong = |source| GraphError::Write { path: path.to_owned(), source };
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let written = write(&beside, &content).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _not_there_either = fs::remove_file(&beside);
    }
    written.map_err(wrong)?;
    remove_remains(path);
    Ok(content.len() as u64)
}

/// What processes left that were killed while they wrote.
fn remove_remains(path: &Path) {
    let Some((folder, name)) = path.parent().zip(path.file_name().and_then(OsStr::to_str)) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let own = entry.file_name();
        let writer =
            own.to_str().and_then(|own| own.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".new"));
        let is_gone = |writer: &str| {
            let is_number = !writer.is_empty() && writer.bytes().all(|byte| byte.is_ascii_digit());
            is_number && !Path::new("/proc").join(writer).exists()
        };
        if writer.is_some_and(is_gone) {
            let _another_did = fs::remove_file(entry.path());
        }
    }
}

// It is not flushed to the disk: whatever a crash leaves is checked when it is read, and made again.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(content)
}

/// What a graph was made by: the layout of its file, the code that reads, and every query.
fn edition() -> [u8; 8] {
    let mut hash = blake3::Hasher::new();
    hash.update(&code::LAYOUT.to_le_bytes());
    hash.update(&crate::extract::EDITION.to_le_bytes());
    for language in crate::language::Language::ALL {
        for query in language.queries() {
            hash.update(query.as_bytes());
        }
    }
    let mut edition = [0; 8];
    edition.copy_from_slice(&hash.finalize().as_bytes()[..8]);
    edition
}
