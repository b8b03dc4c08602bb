//! The process is killed at any moment: what was acknowledged is there.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ralph_core::event::Event;
use ralph_core::id::RunId;
use ralph_store::conformance::sample::{at, moment, run_with_id};
use ralph_store::conformance::wait;
use ralph_store::{Commit, SqliteStore, Store, Unfinished};

const DIR: &str = "RALPH_STORE_TEST_DIR";
const ROUNDS: u64 = 120;

pub(crate) fn id() -> RunId {
    RunId::parse("kkkkkkkkkkkk").unwrap()
}

/// This test binary again, as the child that is going to die.
pub(crate) fn child(role: &str, dir: &Path) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([role, "--exact", "--nocapture", "--test-threads=1"]).env(DIR, dir);
    child.stdout(Stdio::piped()).stderr(Stdio::null());
    child
}

pub(crate) fn dir_of_child() -> Option<PathBuf> {
    std::env::var_os(DIR).map(PathBuf::from)
}

/// Commits for ever and says what was acknowledged. Does nothing unless it is the child.
#[test]
fn child_that_commits() {
    let Some(dir) = dir_of_child() else { return };
    let store = SqliteStore::open(&dir).unwrap();
    let mut run = match wait(store.take_run(&id())).unwrap() {
        Some(mut run) => {
            run.resume(moment(1));
            run
        }
        None => {
            let mut run = run_with_id(id());
            acknowledge(wait(store.create_run(&run, at(0), Unfinished::Refuse, &[])).unwrap().len() as u64);
            run.fresh.clear();
            run
        }
    };
    loop {
        run.note(at(1), Event::Notice { text: "one more".repeat(run.steering.len() + 1) });
        let Commit::Written(entries) = wait(store.commit(&run, at(1), &[])).unwrap() else { continue };
        acknowledge(entries.last().unwrap().seq);
        run.fresh.clear();
    }
}

fn acknowledge(seq: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "ack {seq}").unwrap();
    out.flush().unwrap();
}

/// The last line that the child said was durable before it was killed.
fn last_acknowledged(mut child: Child, after: Duration) -> u64 {
    let out = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        // The last line may have been cut off: what was not said in full was not promised.
        let lines =
            out.split(b'\n').map_while(Result::ok).map(|line| String::from_utf8_lossy(&line).into_owned());
        lines.filter_map(|line| line.split_once("ack ")?.1.parse::<u64>().ok()).max()
    });
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap().unwrap_or(0)
}

#[test]
fn what_was_acknowledged_survives_a_kill_at_any_moment() {
    let dir = tempfile::tempdir().unwrap();
    let (mut promised, mut random) = (0, 0x9e37_79b9_7f4a_7c15_u64 ^ u64::from(std::process::id()));
    let seed = random;
    for round in 0..ROUNDS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let after = Duration::from_micros(3_000 + (random >> 33) % 40_000);
        let child = child("kill::child_that_commits", dir.path()).spawn().unwrap();
        promised = last_acknowledged(child, after).max(promised);
        if promised == 0 {
            continue;
        }
        let store = SqliteStore::open(dir.path()).unwrap();
        let entries = wait(store.entries(&id(), 0, usize::MAX)).unwrap();
        assert!(entries.len() as u64 >= promised, "round {round}, seed {seed}: {promised} were promised");
        assert!(wait(store.run(&id())).unwrap().is_some());
        if round % 10 == 0 {
            wait(store.check()).unwrap();
        }
    }
    println!("{ROUNDS} kills, {promised} lines promised");
    assert!(promised > ROUNDS, "the children got somewhere");
    wait(SqliteStore::open(dir.path()).unwrap().check()).unwrap();
}

/// Opens once. Does nothing unless it is the child.
#[test]
fn child_that_opens() {
    let Some(dir) = dir_of_child() else { return };
    let store = SqliteStore::open(&dir).unwrap();
    wait(store.grant(&std::process::id().to_string(), "hash", at(0))).unwrap();
}

#[test]
fn many_processes_may_make_it_at_the_same_instant() {
    for _ in 0..5 {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("new");
        let children: Vec<_> =
            (0..8).map(|_| child("kill::child_that_opens", &dir).spawn().unwrap()).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(wait(SqliteStore::open(&dir).unwrap().trusted()).unwrap().len(), 8);
    }
}
