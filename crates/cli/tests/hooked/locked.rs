//! A store that somebody else writes to for a while.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ralph_testkit::Project;
use serde_json::json;

use crate::{Session, answer, context, project, reason, told};

/// Longer than two statements of anybody else wait.
const SECONDS: u64 = 12;

/// Holds the store for so long.
fn hold(project: &Project, seconds: u64) -> Child {
    let hold = "import sqlite3,sys,time; c=sqlite3.connect(sys.argv[1],isolation_level=None); \
                c.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(float(sys.argv[2])); c.execute('ROLLBACK')";
    let mut holder = Command::new("python3")
        .args(["-c", hold])
        .arg(project.database())
        .arg(seconds.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = [0; 4];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut held).unwrap();
    holder
}

#[test]
fn a_turn_is_judged_however_long_somebody_else_writes() {
    let project = project();
    let session = Session::of(&project, "s1");
    session.types("/ralph mend the roof");
    let mut holder = hold(&project, SECONDS);
    let begun = Instant::now();
    let answer = session.stops("not yet");
    assert!(reason(&answer).contains("mend the roof"), "{answer}");
    assert!(begun.elapsed().as_secs() >= SECONDS - 1, "it was held meanwhile");
    assert!(holder.wait().unwrap().success());
    assert_eq!(session.stands(), (2, "running".to_owned()));
}

#[test]
fn a_command_waits_for_the_store_as_long_as_its_host_waits_for_it() {
    let project = project();
    let session = Session::of(&project, "s1");
    session.types("/ralph status");
    let mut holder = hold(&project, SECONDS);
    let begun = session.types("/ralph mend the roof");
    assert!(context(&begun).contains("mend the roof"), "{begun}");
    assert!(holder.wait().unwrap().success());
}

#[test]
fn a_command_that_fails_all_the_same_says_so_and_begins_no_turn() {
    let project = project();
    let session = Session::of(&project, "s1");
    session.types("/ralph status");
    let mut holder = hold(&project, SECONDS);
    let event = session.event("UserPromptSubmit", json!({ "prompt": "/ralph mend the roof" })).to_string();
    let begun = Instant::now();
    let out = told(project.command(&["hook", "claude", "--within", "10"]), event.as_bytes());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!((out.status.code(), said.lines().count()), (Some(0), 1), "{said}");
    assert!(reason(&answer(&out)).starts_with("ralph could not do that: "), "{out:?}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(session.stands(), (0, "none".to_owned()));
}
