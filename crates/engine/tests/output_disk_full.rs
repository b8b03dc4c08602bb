//! A full disk is an error that names the file, and leaves a recording that can be read.

use std::fs;
use std::path::Path;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use ralph_core::redact::Redactor;
use ralph_engine::output::{Caps, Ending, OutputError, Piece, Reader, Recorder, Stream};

struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// None where mounting is not allowed.
    fn mount() -> Option<SmallDisk> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let none: Option<&str> = None;
        mount(none, directory.path(), Some("tmpfs"), MsFlags::empty(), Some("size=1m")).ok()?;
        Some(SmallDisk(directory))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        umount2(self.0.path(), MntFlags::MNT_DETACH).expect("unmounted");
    }
}

#[test]
fn a_full_disk_is_an_error_naming_the_file() {
    let Some(disk) = SmallDisk::mount() else {
        assert!(!nix::unistd::geteuid().is_root(), "root may mount");
        return;
    };
    let plain = disk.path().join("plain");
    fs::write(&plain, vec![0; 2 << 20]).expect_err("the disk is small");
    fs::remove_file(&plain).expect("removed");

    let path = disk.path().join("attempt");
    let mut recorder = Recorder::create(&path, &Redactor::new([]), Caps::default()).expect("a recorder");
    let line = format!("{}\n", "x".repeat(9_999));
    let mut stored = 0;
    let error = loop {
        match recorder.push(Stream::Out, line.as_bytes()) {
            Ok(released) => stored += released.len(),
            Err(error) => break error,
        }
    };
    assert!(stored > 500_000, "{stored}");
    assert!(error.to_string().contains("attempt/00000000.seg"), "{error}");
    let OutputError::Io { source, .. } = &error else {
        panic!("an error of the disk: {error}");
    };
    assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);

    let mut reader = Reader::open(&path, 0);
    let mut read = 0;
    while let Some(piece) = reader.read().expect("readable") {
        match piece {
            Piece::Bytes { bytes, .. } => read += bytes.len(),
            Piece::Gap { .. } | Piece::Torn { .. } => panic!("whole records only"),
        }
    }
    assert_eq!((read, reader.ending()), (stored, Ending::Open));
}
