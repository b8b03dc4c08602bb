//! Full and read-only disks, as small real ones. These tests need to be root.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use ralph_core::event::Event;
use ralph_core::run::Run;
use ralph_store::conformance::sample::at;
use ralph_store::conformance::wait;
use ralph_store::{Commit, SqliteStore, Store, StoreError};

use super::created;

/// A file system of its own, gone when dropped.
struct Disk(tempfile::TempDir);

impl Disk {
    fn of(size: &str) -> Disk {
        let dir = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        mount(Some("tmpfs"), dir.path(), Some("tmpfs"), MsFlags::empty(), Some(options.as_str())).unwrap();
        Disk(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn fill(&self) {
        let mut file = File::create(self.path().join("junk")).unwrap();
        while file.write_all(&[7; 4096]).is_ok() {}
        let full = file.write_all(&[7; 4096]).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::StorageFull, "a plain write fails");
    }

    fn free(&self) {
        std::fs::remove_file(self.path().join("junk")).unwrap();
    }

    fn make_read_only(&self) {
        let flags = MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
        mount(None::<&str>, self.path(), None::<&str>, flags, None::<&str>).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = umount2(self.path(), MntFlags::MNT_DETACH);
    }
}

fn big(run: &mut Run) {
    run.fresh.clear();
    run.note(at(1), Event::Notice { text: "x".repeat(40_000) });
}

#[test]
fn a_full_disk_is_named_and_the_store_goes_on_when_there_is_space() {
    let disk = Disk::of("1536k");
    let store = SqliteStore::open(&disk.path().join("state")).unwrap();
    let mut run = created(&store);
    disk.fill();
    big(&mut run);
    let mut written = 1;
    let full = loop {
        match wait(store.commit(&run, at(1), &[])) {
            Ok(Commit::Written(_)) => written += 1,
            Ok(Commit::Controls(_)) => unreachable!("nobody asked anything"),
            Err(error) => break error,
        }
    };
    assert_eq!(full, StoreError::Full { path: store.path().to_owned() });
    assert_eq!(wait(store.entries(&run.id, 0, 100)).unwrap().len(), written);
    assert_eq!(wait(store.commit(&run, at(1), &[])).unwrap_err(), full);
    disk.free();
    assert!(matches!(wait(store.commit(&run, at(2), &[])).unwrap(), Commit::Written(_)));
    assert_eq!(wait(store.entries(&run.id, 0, 100)).unwrap().len(), written + 1);
    wait(store.check()).unwrap();
}

#[test]
fn a_store_cannot_be_made_on_a_full_disk_but_afterwards() {
    let disk = Disk::of("1m");
    disk.fill();
    let full = SqliteStore::open(&disk.path().join("state")).expect_err("there is no space");
    assert!(matches!(full, StoreError::Full { .. }), "{full:?}");
    disk.free();
    created(&SqliteStore::open(&disk.path().join("state")).unwrap());
}

#[test]
fn a_store_opens_on_a_disk_that_is_full_and_is_read() {
    let disk = Disk::of("1m");
    let run = created(&SqliteStore::open(disk.path()).unwrap());
    disk.fill();
    match SqliteStore::open_existing(disk.path()).map(|store| wait(store.run(&run.id))) {
        Ok(Ok(read)) => assert!(read.is_some()),
        Ok(Err(error)) | Err(error) => assert!(matches!(error, StoreError::Full { .. }), "{error:?}"),
    }
}

#[test]
fn a_read_only_disk_is_named() {
    let disk = Disk::of("1m");
    let dir = disk.path().join("state");
    created(&SqliteStore::open(&dir).unwrap());
    disk.make_read_only();
    let refused = SqliteStore::open(&dir).err();
    assert_eq!(refused, Some(StoreError::ReadOnly { path: dir.join("ralph.db") }));
    let refused = SqliteStore::open(&disk.path().join("new")).err();
    assert_eq!(refused, Some(StoreError::ReadOnly { path: disk.path().join("new/ralph.db") }));
}
