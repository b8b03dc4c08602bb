//! The tree as it is now: every directory is listed by one of a few threads, and what is new in it goes into the pack.

mod content;
mod directory;
mod queue;

use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::beneath::os;
use crate::cache::{Cache, Stamp};
use crate::digest::Digest;
use crate::error::SnapshotError;
use crate::exclusions::Exclusions;
use crate::manifest::Entry;
use crate::pack::{PackWriter, Reader};
use crate::rules::{Compiled, Rules};
use crate::union::Union;
use crate::vault::{Limits, Vault};
use directory::Worker;
pub(crate) use directory::{plain_content, read_patterns};
use queue::{Queue, Task};

/// More threads than this only wait for the disk.
const MOST_THREADS: usize = 8;

/// Something in the tree that a snapshot does not hold, and that a restore leaves alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncovered {
    pub path: PathBuf,
    pub reason: Reason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    Socket,
    Device,
    TooLarge { bytes: u64 },
    Unreadable { error: String },
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Socket => f.write_str("a socket"),
            Reason::Device => f.write_str("a device"),
            Reason::TooLarge { bytes } => write!(f, "{bytes} bytes, too large"),
            Reason::Unreadable { error } => write!(f, "not readable: {error}"),
        }
    }
}

impl Uncovered {
    fn new(path: &[u8], reason: Reason) -> Uncovered {
        Uncovered { path: os(path).into(), reason }
    }
}

/// What a walk is told.
pub(crate) struct Walk<'a> {
    /// Whose work can be given up.
    pub(crate) vault: &'a Vault,
    pub(crate) root: BorrowedFd<'a>,
    pub(crate) rules: Option<Arc<Rules>>,
    pub(crate) exclusions: &'a Exclusions,
    pub(crate) compiled: &'a Compiled,
    pub(crate) limits: Limits,
    pub(crate) cache: Option<&'a Cache>,
    pub(crate) packs: &'a PackWriter<'a>,
    pub(crate) cover: Option<Cover<'a>>,
    /// How the unfinished files of a restore that was cut short are called.
    pub(crate) leftovers: Option<&'a [u8]>,
    /// The time at the beginning, of the clock that stamps files.
    pub(crate) now: i64,
}

/// Paths that are covered even where the present rules ignore them: they are about to be overwritten.
pub(crate) struct Cover<'a> {
    pub(crate) names: &'a Union,
    // Manifests are read one at a time, by whichever thread needs one.
    pub(crate) reader: Mutex<Reader<'a>>,
}

/// A directory of the tree.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) path: Box<[u8]>,
    /// Sorted by name.
    pub(crate) entries: Vec<Found>,
    pub(crate) digest: Digest,
    /// Whether names, modes and contents are those in the cache; directories below are not counted.
    pub(crate) is_as_cached: bool,
    /// Whether the cache would say the same.
    pub(crate) has_fresh_stamps: bool,
    /// It went away, or cannot be listed.
    pub(crate) is_gone: bool,
}

#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) entry: Entry,
    pub(crate) stamp: Stamp,
    /// Whether the stamp can be trusted to show the next change.
    pub(crate) is_settled: bool,
    /// The number of the node, for a directory.
    pub(crate) child: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Parents before children; the first is the root.
    pub(crate) nodes: Vec<Node>,
    pub(crate) uncovered: Vec<Uncovered>,
    pub(crate) unsettled: Vec<PathBuf>,
    pub(crate) leftovers: Vec<Vec<u8>>,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::NONE
    }
}

pub(crate) fn walk(walk: &Walk<'_>) -> Result<Walked, SnapshotError> {
    let root = Task {
        number: 0,
        path: Box::default(),
        rules: walk.rules.clone(),
        is_of_git: false,
        cached: walk.cache.map(|_| 0),
        cover: walk.cover.as_ref().map(|cover| cover.names.tree.0),
        only_covered: false,
    };
    let queue = Queue::new(root);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let parts = std::thread::scope(|scope| {
        let mut others = Vec::new();
        let mut first = Worker::new(walk, &queue);
        // Most trees are listed before a second thread would have begun.
        let outcome = first.work(|| {
            if others.is_empty() && queue.is_long() {
                others.extend((1..threads).map(|_| {
                    scope.spawn(|| {
                        let mut worker = Worker::new(walk, &queue);
                        worker.work(|| {}).map(|()| worker.found)
                    })
                }));
            }
        });
        let mut parts = vec![outcome.map(|()| first.found)];
        parts.extend(others.into_iter().map(|other| other.join().expect("a walking thread does not panic")));
        parts
    });
    let mut walked = Walked::default();
    let mut nodes = Vec::new();
    for part in parts {
        let part = part?;
        nodes.extend(part.nodes);
        walked.uncovered.extend(part.uncovered);
        walked.unsettled.extend(part.unsettled);
        walked.leftovers.extend(part.leftovers);
    }
    nodes.sort_unstable_by_key(|(number, _)| *number);
    walked.nodes = nodes.into_iter().map(|(_, node)| node).collect();
    walked.uncovered.sort_by(|one, other| one.path.cmp(&other.path));
    walked.unsettled.sort();
    Ok(walked)
}
