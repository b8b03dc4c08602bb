//! A disk that is full or read-only, a database that is damaged, locked or too new: told clearly, nothing overwritten,
//! and the run goes on once that is mended.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::mount::{MsFlags, mount, umount};
use ralph_testkit::{PATIENCE, Project, Ran, survivors};

use crate::agents::{DONE, HELD, begun, let_go};
use crate::project;

/// How long the foreign program holds the write lock.
const HELD_LOCK: Duration = Duration::from_secs(8);

/// A small file system of its own, gone with the test.
struct Disk(PathBuf);

impl Disk {
    fn small(at: &Path) -> Disk {
        fs::create_dir_all(at).unwrap();
        mount(Some("tmpfs"), at, Some("tmpfs"), MsFlags::empty(), Some("size=2m"))
            .expect("tests run as root");
        Disk(at.to_owned())
    }

    /// Leaves no byte, and makes sure of it.
    fn fill(&self) {
        let mut filler = fs::File::create(self.0.join("filler")).unwrap();
        while filler.write_all(&[0; 4096]).is_ok() {}
        assert!(fs::write(self.0.join("one-more"), [0; 4096]).is_err(), "the disk is full");
        fs::remove_file(self.0.join("one-more")).unwrap();
    }

    fn empty(&self) {
        fs::remove_file(self.0.join("filler")).unwrap();
    }

    fn read_only(&self, flag: MsFlags) {
        mount(None::<&str>, &self.0, None::<&str>, MsFlags::MS_REMOUNT | flag, None::<&str>).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _last_use_may_linger = umount(&self.0);
    }
}

/// A project whose run was interrupted in its second iteration and would be done on resumption.
fn interrupted(project: &Project) {
    let mut run = project.start(&["run", "do it"]);
    begun(project, 1, 1);
    let_go(project, 1);
    begun(project, 2, 1);
    assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    assert_eq!(run.end(PATIENCE).code, Some(130));
    let_go(project, 2);
}

/// Every file and what it holds.
fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(dir) else { return vec![(dir.to_owned(), fs::read(dir).unwrap())] };
    let mut all: Vec<_> = entries.flatten().flat_map(|entry| contents(&entry.path())).collect();
    all.sort();
    all
}

#[track_caller]
fn assert_told(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(words.iter().any(|word| ran.err.contains(word)), "one of {words:?} in {}", ran.err);
    assert!(ran.err.contains("next:"), "{}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn a_disk_that_fills_up_stops_the_run_until_there_is_room() {
    let project = project().agent(HELD);
    let disk = Disk::small(&project.state_home());
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let id = project.run_id().unwrap();
    disk.fill();
    let_go(&project, 1);
    let ran = run.end(PATIENCE);
    assert_told(&ran, &["space", "full"]);
    assert_eq!(survivors(&id), []);
    disk.empty();
    let_go(&project, 2);
    let resumed = project.ralph(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert_eq!(project.run_id(), Some(id));
}

#[test]
fn a_full_disk_refuses_a_start_and_nothing_is_broken() {
    let project = project().agent(DONE);
    let disk = Disk::small(&project.state_home());
    disk.fill();
    assert_told(&project.ralph(&["run", "do it"]), &["space", "full"]);
    disk.empty();
    let ran = project.ralph(&["run", "do it"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn a_read_only_disk_is_told_and_left_alone() {
    let project = project().agent(HELD);
    let disk = Disk::small(&project.state_home());
    interrupted(&project);
    let before = contents(&project.state_home());
    disk.read_only(MsFlags::MS_RDONLY);
    assert!(fs::write(project.state_home().join("x"), "x").is_err(), "the disk is read-only");
    for args in [&["resume"][..], &["run", "x", "--new"], &["stop"]] {
        assert_told(&project.ralph(args), &["read-only", "Read-only"]);
    }
    assert_eq!(contents(&project.state_home()), before);
    disk.read_only(MsFlags::empty());
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
}

#[test]
fn a_read_only_disk_refuses_a_first_start() {
    let project = project().agent(DONE);
    let disk = Disk::small(&project.state_home());
    disk.read_only(MsFlags::MS_RDONLY);
    assert_told(&project.ralph(&["run", "do it"]), &["read-only", "Read-only"]);
    disk.read_only(MsFlags::empty());
    assert_eq!(project.ralph(&["run", "do it"]).code, Some(0));
}

/// What is damaged, and how.
type Damage = (&'static str, fn(&mut Vec<u8>));

fn damages() -> Vec<Damage> {
    vec![
        ("the header", |bytes| bytes[..16].fill(b'x')),
        ("the page size", |bytes| bytes[16..18].fill(0xff)),
        ("the schema", |bytes| flip(&mut bytes[100..2000])),
        ("every page", |bytes| bytes.chunks_mut(4096).skip(1).for_each(|page| flip(&mut page[..64]))),
        ("every text", |bytes| {
            let every = bytes.iter_mut().skip(4096).step_by(97);
            every.filter(|byte| byte.is_ascii_lowercase()).for_each(|byte| *byte ^= 1);
        }),
        ("cut in half", |bytes| bytes.truncate(bytes.len() / 2)),
        ("cut within a page", |bytes| bytes.truncate(4096 * 3 + 1000)),
        ("zeroes", |bytes| bytes.fill(0)),
        ("zeroes in the middle", |bytes| {
            let third = bytes.len() / 3;
            bytes[third..2 * third].fill(0);
        }),
        ("something else", |bytes| *bytes = b"dear diary, ".repeat(4096)),
    ]
}

fn flip(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
}

#[test]
fn a_damaged_database_is_told_and_left_alone() {
    let project = project().agent(HELD);
    interrupted(&project);
    let database = project.database();
    let sound = fs::read(&database).unwrap();
    for (what, damage) in damages() {
        let mut bytes = sound.clone();
        damage(&mut bytes);
        assert_ne!(bytes, sound);
        fs::write(&database, &bytes).unwrap();
        for args in [&["resume"][..], &["run", "x", "--new"]] {
            let ran = project.ralph(args);
            assert_eq!(ran.code, Some(1), "{what}, {args:?}: {}{}", ran.out, ran.err);
            assert!(ran.err.contains("ralph.db"), "{what}, {args:?}: {}", ran.err);
            assert!(!ran.err.contains("panicked"), "{what}, {args:?}: {}", ran.err);
        }
        assert!(fs::read(&database).unwrap() == bytes, "{what}: the damaged database was written to");
        let doctor = project.ralph(&["doctor", "--json"]);
        assert_eq!(doctor.code, Some(1), "{what}: {}", doctor.out);
    }
    fs::write(&database, &sound).unwrap();
    let resumed = project.ralph(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
}

#[test]
fn a_database_of_a_newer_ralph_is_left_alone() {
    let project = project().agent(HELD);
    interrupted(&project);
    let sound = fs::read(project.database()).unwrap();
    let mut newer = sound.clone();
    newer[60..64].copy_from_slice(&999_i32.to_be_bytes());
    fs::write(project.database(), &newer).unwrap();
    for args in [&["resume"][..], &["run", "x"], &["run", "x", "--new"], &["status"], &["stop"]] {
        assert_told(&project.ralph(args), &["newer ralph"]);
    }
    assert!(fs::read(project.database()).unwrap() == newer);
    fs::write(project.database(), &sound).unwrap();
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
}

#[test]
fn a_foreign_lock_is_waited_for_or_told() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let id = project.run_id().unwrap();
    let mut foreign = Command::new("python3")
        .arg("-c")
        .arg("import sqlite3,sys\nc=sqlite3.connect(sys.argv[1],isolation_level=None)\nc.execute('BEGIN IMMEDIATE')\nprint('held',flush=True)\nsys.stdin.read()")
        .arg(project.database())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = [0; 4];
    std::io::Read::read_exact(foreign.stdout.as_mut().unwrap(), &mut held).unwrap();
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    let start = Instant::now();
    while start.elapsed() < HELD_LOCK && !run.is_over() {
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(foreign.stdin.take());
    foreign.wait().unwrap();
    let ran = run.end(PATIENCE);
    if ran.code == Some(0) {
        return;
    }
    assert_told(&ran, &["locked"]);
    assert_eq!(survivors(&id), []);
    let resumed = project.ralph(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
}
