//! Random trees with everything that a file system allows and agents leave behind.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::dice::Dice;
use crate::place::{bytes, make_pipe, tree};

const NAMES: [&[u8]; 22] = [
    b"a",
    b"b c",
    b"new\nline",
    b"\xff\xfe",
    b"-rf",
    b"~",
    b"\xc3\xa9",
    b"*",
    b".hidden",
    b"$(x)",
    b"x.log",
    b"keep.log",
    b"build",
    b"A",
    b"src",
    b"it's",
    b"\\0101",
    b"\r",
    b" ",
    b"[a]",
    b"tmp",
    b".gitkeep",
];
const PATTERNS: [&str; 12] = [
    "*.log",
    "build/",
    "/a",
    "!keep.log",
    "tmp",
    "src/*.log",
    "**/~",
    "# comment",
    "b c",
    "!/src/",
    "\\[a\\]",
    "*.log\r",
];
const TARGETS: [&str; 7] = ["nowhere", "a", "..", "../../outside/canary", "/etc/passwd", "src/a", "loop"];

/// Fills a directory with random things.
pub(crate) fn fill(root: &Path, dice: &mut Dice) {
    for _ in 0..3 + dice.below(20) {
        add(root, dice);
    }
}

/// Changes a few things at random.
pub(crate) fn change(root: &Path, dice: &mut Dice) {
    for _ in 0..1 + dice.below(12) {
        let paths = things(root);
        let Some(path) = (!paths.is_empty()).then(|| dice.pick(&paths).clone()) else {
            add(root, dice);
            continue;
        };
        match dice.below(8) {
            0 | 1 => remove(&path),
            2 => {
                remove(&path);
                thing(&path, dice);
            }
            3 => drop(fs::rename(&path, directory(root, dice).join(name(dice)))),
            4 if !path.is_symlink() => set_mode(&path, dice),
            5 if is_plain(&path) => fs::write(&path, content(dice)).unwrap(),
            _ => add(root, dice),
        }
    }
}

fn things(root: &Path) -> Vec<PathBuf> {
    tree(root).into_keys().map(|path| root.join(path)).collect()
}

fn is_plain(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}

fn remove(path: &Path) {
    let meta = fs::symlink_metadata(path).unwrap();
    if meta.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
}

fn add(root: &Path, dice: &mut Dice) {
    let path = directory(root, dice).join(name(dice));
    if fs::symlink_metadata(&path).is_err() {
        thing(&path, dice);
    }
}

/// The root or a directory somewhere below it.
fn directory(root: &Path, dice: &mut Dice) -> PathBuf {
    let mut all: Vec<PathBuf> =
        things(root).into_iter().filter(|path| path.is_dir() && !path.is_symlink()).collect();
    all.push(root.to_owned());
    dice.pick(&all).clone()
}

fn name(dice: &mut Dice) -> PathBuf {
    if dice.one_in(40) {
        return "long".repeat(60).into();
    }
    if dice.one_in(8) {
        return ".gitignore".into();
    }
    bytes(dice.pick::<&[u8]>(&NAMES)).into()
}

fn thing(path: &Path, dice: &mut Dice) {
    if path.ends_with(".gitignore") {
        let lines: Vec<&str> = (0..1 + dice.below(3)).map(|_| *dice.pick(&PATTERNS)).collect();
        return fs::write(path, lines.join("\n")).unwrap();
    }
    match dice.below(16) {
        0..=2 => symlink(dice.pick(&TARGETS), path).unwrap(),
        3 => make_pipe(path),
        4..=7 => {
            fs::create_dir(path).unwrap();
            set_mode(path, dice);
        }
        8 => nested(path),
        9 => fs::write(path, "* text=auto eol=lf ident filter=evil\n").unwrap(),
        _ => {
            fs::write(path, content(dice)).unwrap();
            set_mode(path, dice);
        }
    }
}

/// A repository inside the tree.
fn nested(path: &Path) {
    fs::create_dir_all(path.join(".git/objects/ab")).unwrap();
    fs::write(path.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(path.join(".git/x.log"), "ignored anywhere else").unwrap();
    fs::write(path.join(".git/objects/ab/cd"), [0, 159, 146, 150]).unwrap();
    fs::create_dir(path.join(".git/tmp")).unwrap();
}

fn content(dice: &mut Dice) -> Vec<u8> {
    match dice.below(24) {
        0..=2 => Vec::new(),
        3..=5 => b"$Id$\r\nline\r\n".to_vec(),
        6..=8 => b"same everywhere\n".to_vec(),
        9 => vec![dice.next() as u8; 70_000],
        10 if dice.one_in(8) => {
            (0..(1_100_000 + dice.below(100)) as u32).map(|at| (at % 253) as u8).collect()
        }
        _ => (0..dice.below(300)).map(|_| dice.next() as u8).collect(),
    }
}

/// Any of the twelve bits; for others than root the owner keeps access.
fn set_mode(path: &Path, dice: &mut Dice) {
    let any = (dice.next() & 0o7777) as u32;
    let mode = if rustix::process::geteuid().is_root() { any } else { any | 0o700 };
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}
