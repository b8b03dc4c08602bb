//! A store that somebody else writes to for a while.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{Session, project, reason};

/// Longer than two statements of anybody else wait.
const SECONDS: u64 = 12;

#[test]
fn a_turn_is_judged_however_long_somebody_else_writes() {
    let project = project();
    let session = Session::of(&project, "s1");
    session.types("/ralph mend the roof");
    let hold = "import sqlite3,sys,time; c=sqlite3.connect(sys.argv[1],isolation_level=None); \
                c.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(float(sys.argv[2])); c.execute('ROLLBACK')";
    let mut holder = Command::new("python3")
        .args(["-c", hold])
        .arg(project.database())
        .arg(SECONDS.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = [0; 4];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut held).unwrap();
    let begun = Instant::now();
    let answer = session.stops("not yet");
    assert!(reason(&answer).contains("mend the roof"), "{answer}");
    assert!(begun.elapsed().as_secs() >= SECONDS - 1, "it was held meanwhile");
    assert!(holder.wait().unwrap().success());
    assert_eq!(session.stands(), (2, "running".to_owned()));
}
