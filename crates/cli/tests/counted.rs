//! Work that can be counted is asserted, because counts do not depend on the machine.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const SHORT: u64 = 5;
const LONG: u64 = 25;
const MOST_FLUSHES: u64 = 6;

/// How often a run of so many iterations, with all its processes, waits for the disk.
fn flushes(iterations: u64) -> u64 {
    let dir = tempfile::tempdir().unwrap();
    let agent = dir.path().join("agent.sh");
    fs::write(&agent, "#!/bin/sh\nexec cat > /dev/null\n").unwrap();
    fs::set_permissions(&agent, PermissionsExt::from_mode(0o755)).unwrap();
    let trace = dir.path().join("trace");
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-qq", "-e", "trace=fsync,fdatasync,msync,sync_file_range,syncfs,sync", "-o"])
        .arg(&trace);
    strace.arg(env!("CARGO_BIN_EXE_ralph")).args(["run", "Do it", "--agent-command", "./agent.sh"]);
    strace.args(["--iteration-delay", "0", "--max-iterations", &iterations.to_string()]);
    strace.current_dir(dir.path()).env("XDG_STATE_HOME", dir.path().join("state"));
    let status = strace.stdout(Stdio::null()).status().expect("strace is installed");
    assert_eq!(status.code(), Some(3), "the iterations are used up");
    let text = fs::read_to_string(trace).unwrap();
    // A call that another thread's line cuts in two shows its name twice.
    text.lines().filter(|line| line.contains("sync") && !line.contains("resumed>")).count() as u64
}

#[test]
fn an_iteration_waits_for_the_disk_a_handful_of_times() {
    let (short, long) = (flushes(SHORT), flushes(LONG));
    let more = long - short;
    let iterations = LONG - SHORT;
    println!("{more} flushes in {iterations} iterations");
    assert!(more >= iterations, "an iteration that is never flushed is lost by a crash");
    assert!(more <= iterations * MOST_FLUSHES, "{more} flushes in {iterations} iterations");
}
