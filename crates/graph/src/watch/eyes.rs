//! The directories of a tree, watched by the kernel (inotify). It queues what happens until somebody asks, so nothing
//! runs meanwhile; where the queue did not suffice, it says so.

use std::collections::HashMap;
use std::fmt;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};

use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::changes::Changes;
use super::rules;
use crate::language::{Guess, Language};
use crate::walk::Enter;

/// More directories than these are not watched: the kernel keeps about a kilobyte for each.
pub(super) const MOST_FOLDERS: usize = 20_000;

/// As much as the kernel hands out at a time.
const BUFFER: usize = 64 << 10;

/// Why a tree is not watched. It is walked whenever it is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwatched {
    TooManyFolders {
        most: usize,
    },
    /// The kernel allows no more for this user.
    Limit,
    /// Other machines can change it, and the kernel of this one is not told.
    Remote,
    Refused(Errno),
}

impl fmt::Display for Unwatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            Unwatched::TooManyFolders { most } => format!("it has more than {most} directories"),
            Unwatched::Limit => {
                "this user watches too much already (raise fs.inotify.max_user_watches or max_user_instances)"
                    .to_owned()
            }
            Unwatched::Remote => "its file system can be changed by other machines".to_owned(),
            Unwatched::Refused(error) => format!("the kernel does not watch it: {error}"),
        };
        write!(f, "changes are looked for in the whole tree each time: {why}")
    }
}

impl From<Errno> for Unwatched {
    fn from(error: Errno) -> Unwatched {
        match error {
            Errno::NOSPC | Errno::MFILE | Errno::NFILE | Errno::NOMEM => Unwatched::Limit,
            other => Unwatched::Refused(other),
        }
    }
}

/// What there was to see.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    These(Changes),
    /// Something, and it cannot be told where.
    Anything,
}

#[derive(Debug)]
pub(super) struct Eyes {
    inotify: Arc<OwnedFd>,
    /// Paths below the root, by the numbers of their watches.
    folders: HashMap<i32, String>,
}

/// A watch that was asked for while the tree was walked.
pub(super) type Opened = (String, Result<i32, Unwatched>);

impl Eyes {
    pub(super) fn new(root: &Path) -> Result<Eyes, Unwatched> {
        if is_remote(root) {
            return Err(Unwatched::Remote);
        }
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Eyes { inotify: Arc::new(inotify), folders: HashMap::new() })
    }

    /// Watches each directory that a walk enters, before it is listed: whatever happens in it later is seen.
    pub(super) fn opening(&self, root: &Path, most: usize) -> (Enter, Receiver<Opened>) {
        let (opened, all) = mpsc::channel();
        let (root, inotify) = (root.to_owned(), Arc::clone(&self.inotify));
        let (count, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let enter = move |folder: &str| {
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            let watch = match count.fetch_add(1, Ordering::Relaxed) {
                before if before >= most => Err(Unwatched::TooManyFolders { most }),
                _ => match inotify::add_watch(&*inotify, root.join(folder), flags(folder)) {
                    // It is gone, or cannot be read: whatever changes that is seen in the directory above.
                    Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => return,
                    tried => tried.map_err(Unwatched::from),
                },
            };
            is_over.fetch_or(watch.is_err(), Ordering::Relaxed);
            let _nobody_left = opened.send((folder.to_owned(), watch));
        };
        (Arc::new(enter), all)
    }

    /// The directories that were entered, or nothing if two of them have one watch: one is moved just now, or stands in
    /// two places.
    pub(super) fn take(
        &mut self,
        opened: &Receiver<Opened>,
        most: usize,
    ) -> Result<Option<Vec<String>>, Unwatched> {
        let (mut entered, mut are_apart) = (Vec::new(), true);
        for (folder, watch) in opened.try_iter() {
            let before = self.folders.insert(watch?, folder.clone());
            are_apart &= before.is_none_or(|before| before == folder);
            entered.push(folder);
        }
        if self.folders.len() > most {
            return Err(Unwatched::TooManyFolders { most });
        }
        Ok(are_apart.then_some(entered))
    }

    /// What happened since the last time. What is in directories that came, went or moved is no longer watched until
    /// they are walked.
    pub(super) fn look(&mut self) -> Seen {
        let inotify = Arc::clone(&self.inotify);
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&*inotify, &mut buffer);
        let mut changes = Changes::default();
        loop {
            let is_clear = match reader.next() {
                Ok(event) => self.note(&event, &mut changes),
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => true,
                Err(_) => false,
            };
            if !is_clear || changes.are_too_many() {
                return Seen::Anything;
            }
        }
        self.folders.retain(|watch, folder| {
            let stays = folder.is_empty() || !changes.hold_tree(folder);
            if !stays {
                let _gone_already = inotify::remove_watch(&*inotify, *watch);
            }
            stays
        });
        Seen::These(changes)
    }

    /// Whether it can be told what happened.
    fn note(&mut self, event: &Event<'_>, changes: &mut Changes) -> bool {
        let what = event.events();
        if what.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            return false;
        }
        let Some(folder) = self.folders.get(&event.wd()) else { return true };
        if what.contains(ReadFlags::IGNORED) {
            let is_root = folder.is_empty();
            self.folders.remove(&event.wd());
            return !is_root;
        }
        let Some(name) = event.file_name() else {
            // Of the directory itself. All but the root are seen in the directory above as well.
            return !folder.is_empty();
        };
        // Of what has no name in UTF-8 nothing is ever looked at.
        let Ok(name) = name.to_str() else { return true };
        if rules::NAMES.contains(&name) {
            return false;
        }
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        if what.contains(ReadFlags::ISDIR) {
            changes.tree(path);
        } else if Language::of_path(&path) != Guess::None {
            changes.file(path);
        }
        true
    }
}

fn flags(folder: &str) -> WatchFlags {
    let all = WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::MODIFY
        | WatchFlags::CLOSE_WRITE
        | WatchFlags::ATTRIB
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF
        | WatchFlags::ONLYDIR;
    // The root may be a link; nothing in it is followed.
    if folder.is_empty() { all } else { all | WatchFlags::DONT_FOLLOW }
}

/// By the numbers that statfs(2) gives: NFS, SMB, 9P, FUSE, Ceph, AFS.
fn is_remote(root: &Path) -> bool {
    const REMOTE: [u64; 8] =
        [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x6573_5546, 0x00c3_6400, 0x5346_414f];
    rustix::fs::statfs(root).is_ok_and(|system| REMOTE.contains(&(system.f_type as u64 & 0xffff_ffff)))
}
