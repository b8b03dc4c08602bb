//! What every file looked like from outside when its content was last read, so that a tree without news costs only
//! the walk. A cache that is torn or of another tree is as good as none.

use std::path::Path;

use rustix::fs::Stat;

use crate::digest::{Digest, SnapshotId};
use crate::manifest::Kind;
use crate::walk::Node;

const MAGIC: &[u8; 8] = b"ralphsc1";
const HEADER: usize = 8 + 32 + 32 + 16 + 8;
const FIXED: usize = 1 + 1 + 2 + 2 + 4 + 8 + 8 + 8 + 8 + 8 + 32;
pub(crate) const NO_CHILD: u32 = u32::MAX;

/// Changes whenever the content of a file does, except within one tick of the file system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// In nanoseconds.
    pub(crate) modified: i64,
    pub(crate) changed: i64,
}

impl Stamp {
    pub(crate) fn of(stat: &Stat) -> Stamp {
        let nanoseconds =
            |seconds: i64, rest: u64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest.cast_signed());
        Stamp {
            device: stat.st_dev,
            inode: stat.st_ino,
            size: stat.st_size.cast_unsigned(),
            modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    /// Whether a later change is sure to show, for content that was read after `now`.
    pub(crate) fn is_settled(&self, now: i64) -> bool {
        const TICKS: i64 = 20_000_000;
        const COARSE: i64 = 2_000_000_000;
        // A time in whole seconds comes from a file system that may know no finer ones.
        let slack = if self.changed % 1_000_000_000 == 0 { COARSE } else { TICKS };
        self.changed.max(self.modified) < now.saturating_sub(slack)
    }
}

/// By the clock that file systems stamp files with.
pub(crate) fn now() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    now.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec)
}

/// What the cache knows of one name in a directory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'c> {
    pub(crate) name: &'c [u8],
    pub(crate) kind: Kind,
    pub(crate) mode: u16,
    pub(crate) is_settled: bool,
    pub(crate) child: u32,
    pub(crate) stamp: Stamp,
    pub(crate) size: u64,
    pub(crate) digest: Digest,
}

#[derive(Debug)]
pub(crate) struct Cache {
    bytes: Vec<u8>,
}

impl Cache {
    pub(crate) fn load(path: &Path, root: &Stamp) -> Option<Cache> {
        let mut bytes = std::fs::read(path).ok()?;
        let (body, seal) = bytes.split_last_chunk::<32>()?;
        let of_this_tree =
            body.get(72..80)? == root.device.to_le_bytes() && body.get(80..88)? == root.inode.to_le_bytes();
        if Digest::of(body).as_bytes() != seal || body.get(..8)? != MAGIC || !of_this_tree {
            return None;
        }
        bytes.truncate(bytes.len() - 32);
        Some(Cache { bytes })
    }

    /// The snapshot all of whose content can be taken from here.
    pub(crate) fn base(&self) -> SnapshotId {
        SnapshotId(self.digest_at(8))
    }

    fn digest_at(&self, at: usize) -> Digest {
        Digest::from_bytes(*self.bytes[at..].first_chunk().expect("a sealed cache is whole"))
    }

    fn offset(&self, directory: u32) -> usize {
        u64_at(&self.bytes, HEADER + directory as usize * 8) as usize
    }

    pub(crate) fn digest(&self, directory: u32) -> Digest {
        self.digest_at(self.offset(directory))
    }

    /// Sorted by name.
    pub(crate) fn entries(&self, directory: u32) -> Entries<'_> {
        let at = self.offset(directory) + 32;
        Entries {
            left: u32::from_le_bytes(*self.bytes[at..].first_chunk().expect("a count")),
            bytes: &self.bytes[at + 4..],
        }
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("a sealed cache is whole"))
}

#[derive(Debug, Clone)]
pub(crate) struct Entries<'c> {
    bytes: &'c [u8],
    left: u32,
}

impl Entries<'_> {
    pub(crate) fn count(&self) -> usize {
        self.left as usize
    }
}

impl<'c> Iterator for Entries<'c> {
    type Item = Known<'c>;

    fn next(&mut self) -> Option<Known<'c>> {
        self.left = self.left.checked_sub(1)?;
        let bytes = self.bytes;
        let length = usize::from(u16::from_le_bytes([bytes[4], bytes[5]]));
        self.bytes = &bytes[FIXED + length..];
        let kind = Kind::of_letter(bytes[0])?;
        Some(Known {
            kind,
            is_settled: bytes[1] == 1,
            mode: u16::from_le_bytes([bytes[2], bytes[3]]),
            child: u32::from_le_bytes(*bytes[6..].first_chunk()?),
            // What a directory takes up itself is not content.
            size: if kind == Kind::Directory { 0 } else { u64_at(bytes, 10) },
            stamp: Stamp {
                size: u64_at(bytes, 10),
                modified: u64_at(bytes, 18).cast_signed(),
                changed: u64_at(bytes, 26).cast_signed(),
                inode: u64_at(bytes, 34),
                device: u64_at(bytes, 42),
            },
            digest: Digest::from_bytes(*bytes[50..].first_chunk()?),
            name: &bytes[FIXED..FIXED + length],
        })
    }
}

/// The cache of a tree whose snapshot is durable.
pub(crate) fn encode(base: SnapshotId, root: &Stamp, nodes: &[Node]) -> Vec<u8> {
    let entries: usize = nodes.iter().map(|node| node.entries.len()).sum();
    let mut bytes = Vec::with_capacity(HEADER + nodes.len() * 44 + entries * (FIXED + 24) + 32);
    bytes.extend(MAGIC);
    bytes.extend(base.0.as_bytes());
    bytes.extend(nodes.first().map_or(Digest::NONE, |node| node.digest).as_bytes());
    bytes.extend(root.device.to_le_bytes());
    bytes.extend(root.inode.to_le_bytes());
    bytes.extend((nodes.len() as u64).to_le_bytes());
    let table = bytes.len();
    bytes.resize(table + nodes.len() * 8, 0);
    for (number, node) in nodes.iter().enumerate() {
        let here = (bytes.len() as u64).to_le_bytes();
        bytes[table + number * 8..][..8].copy_from_slice(&here);
        push_node(node, &mut bytes);
    }
    let seal = *Digest::of(&bytes).as_bytes();
    bytes.extend(seal);
    bytes
}

fn push_node(node: &Node, bytes: &mut Vec<u8>) {
    bytes.extend(node.digest.as_bytes());
    bytes.extend((node.entries.len() as u32).to_le_bytes());
    for found in &node.entries {
        let entry = &found.entry;
        bytes.extend([entry.kind.letter(), u8::from(found.is_settled)]);
        bytes.extend(entry.mode.to_le_bytes());
        bytes.extend((entry.name.len() as u16).to_le_bytes());
        bytes.extend(found.child.to_le_bytes());
        bytes.extend(found.stamp.size.to_le_bytes());
        bytes.extend(found.stamp.modified.to_le_bytes());
        bytes.extend(found.stamp.changed.to_le_bytes());
        bytes.extend(found.stamp.inode.to_le_bytes());
        bytes.extend(found.stamp.device.to_le_bytes());
        bytes.extend(entry.digest.as_bytes());
        bytes.extend(&entry.name);
    }
}

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn a_stamp_is_trusted_only_when_the_clock_has_moved_on_since() {
        const SECOND: i64 = 1_000_000_000;
        for (modified, changed, now, is_settled) in [
            (5 * SECOND + 1, 5 * SECOND + 1, 5 * SECOND + 1, false),
            (5 * SECOND + 1, 5 * SECOND + 1, 5 * SECOND + 10_000_000, false),
            (5 * SECOND + 1, 5 * SECOND + 1, 5 * SECOND + 30_000_000, true),
            (SECOND, 5 * SECOND + 1, 5 * SECOND + 2, false),
            (9 * SECOND + 1, 5 * SECOND + 1, 6 * SECOND, false),
            // Whole seconds may be all that the file system knows.
            (5 * SECOND, 5 * SECOND, 5 * SECOND + 30_000_000, false),
            (5 * SECOND, 5 * SECOND, 7 * SECOND + 1, true),
        ] {
            let stamp = Stamp { modified, changed, ..Stamp::default() };
            assert_eq!(stamp.is_settled(now), is_settled, "{modified} {changed} {now}");
        }
    }
}
