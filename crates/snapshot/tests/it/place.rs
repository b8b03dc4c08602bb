//! A tree to play with, its vault, and what is in a tree, seen without the code under test.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ralph_snapshot::{Options, Vault};
use tempfile::TempDir;

/// A path in a tree and what is there.
pub(crate) type Tree = BTreeMap<PathBuf, Thing>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Thing {
    File { mode: u32, content: Vec<u8> },
    Link { target: PathBuf },
    Directory { mode: u32 },
    Pipe { mode: u32 },
    Other,
}

pub(crate) struct Place {
    pub(crate) home: TempDir,
    pub(crate) root: PathBuf,
}

impl Place {
    /// In memory where there is such a place, because thousands of trees are made durable.
    pub(crate) fn new() -> Place {
        let memory = Path::new("/dev/shm");
        let home = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        let root = home.path().join("tree");
        fs::create_dir(&root).unwrap();
        Place { home, root }
    }

    pub(crate) fn vault(&self) -> Vault {
        self.vault_with(Options::default())
    }

    pub(crate) fn vault_with(&self, options: Options) -> Vault {
        Vault::open(&self.home.path().join("vault"), &self.root, options).unwrap()
    }

    pub(crate) fn path(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.root.join(Path::new(path.as_ref()))
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn link(&self, target: &str, path: &str) {
        symlink(target, self.path(path)).unwrap();
    }

    pub(crate) fn pipe(&self, path: &str) {
        make_pipe(&self.path(path));
    }

    pub(crate) fn tree(&self) -> Tree {
        tree(&self.root)
    }
}

pub(crate) fn make_pipe(path: &Path) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// Everything below a directory, apart from a `.git` at the top.
pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let short = path.strip_prefix(root).unwrap().to_owned();
            if short != Path::new(".git") {
                let thing = thing(&path);
                if matches!(thing, Thing::Directory { .. }) {
                    left.push(path);
                }
                tree.insert(short, thing);
            }
        }
    }
    tree
}

fn thing(path: &Path) -> Thing {
    let meta = fs::symlink_metadata(path).unwrap();
    let mode = meta.mode() & 0o7777;
    let kind = meta.file_type();
    if kind.is_file() {
        Thing::File { mode, content: fs::read(path).unwrap() }
    } else if kind.is_symlink() {
        Thing::Link { target: fs::read_link(path).unwrap() }
    } else if kind.is_dir() {
        Thing::Directory { mode }
    } else if kind.is_fifo() {
        Thing::Pipe { mode }
    } else {
        Thing::Other
    }
}

pub(crate) fn bytes(name: &[u8]) -> &OsStr {
    OsStr::from_bytes(name)
}

/// Names the first path at which two trees differ, without the rest of them.
#[track_caller]
pub(crate) fn assert_same(now: &Tree, expected: &Tree, what: &str) {
    for path in now.keys().chain(expected.keys()) {
        assert_eq!(now.get(path), expected.get(path), "{what}: {}", path.display());
    }
}
