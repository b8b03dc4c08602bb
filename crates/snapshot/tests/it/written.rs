//! A file is written while it is read.

#![cfg(feature = "failpoints")]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ralph_snapshot::{Digest, Snapshot, Vault};

use crate::place::Place;

/// The point is one for the whole process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Takes a snapshot while the file is overwritten the first so many times that it has just been read.
fn take_while_written(vault: &Vault, path: &Path, size: usize, times: usize) -> Snapshot {
    let count = Arc::new(AtomicUsize::new(0));
    let (me, path) = (std::thread::current().id(), path.to_owned());
    let writes = Arc::clone(&count);
    let write = move || {
        if std::thread::current().id() == me && writes.fetch_add(1, Ordering::Relaxed) < times {
            overwrite(&path, &version(writes.load(Ordering::Relaxed), size));
        }
    };
    fail::cfg_callback("snapshot.take.read", write).unwrap();
    let taken = vault.take().unwrap();
    fail::remove("snapshot.take.read");
    assert!(count.load(Ordering::Relaxed) >= times, "it was written as often as it should be");
    taken
}

/// In place and of the same length, as a program does that writes a database.
fn overwrite(path: &PathBuf, content: &[u8]) {
    fs::File::options().write(true).open(path).unwrap().write_all_at(content, 0).unwrap();
}

fn version(number: usize, size: usize) -> Vec<u8> {
    vec![b'A' + number as u8; size]
}

fn check(size: usize) {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let place = Place::new();
    let vault = place.vault();
    let empty = vault.take().unwrap();
    let path = place.path("file");
    let kept = |taken: &Snapshot| vault.diff(empty.id, taken.id).unwrap()[0].after.unwrap().digest;

    fs::write(&path, version(0, size)).unwrap();
    let once = take_while_written(&vault, &path, size, 1);
    assert_eq!((once.unsettled.len(), kept(&once)), (0, Digest::of(&version(1, size))), "read again");

    fs::write(&path, version(0, size)).unwrap();
    let always = take_while_written(&vault, &path, size, 3);
    assert_eq!(always.unsettled, [PathBuf::from("file")], "it says so");
    let versions = [0, 1, 2, 3].map(|number| Digest::of(&version(number, size)));
    assert!(versions.contains(&kept(&always)), "what is kept was there");

    fs::write(&path, "quiet").unwrap();
    let quiet = vault.take().unwrap();
    assert_eq!((quiet.unsettled.len(), kept(&quiet)), (0, Digest::of(b"quiet")));
}

#[test]
fn a_small_file_that_changes_is_read_again_and_in_the_end_reported() {
    check(5000);
}

#[test]
fn a_large_file_that_changes_is_read_again_and_in_the_end_reported() {
    check(3_000_000);
}
