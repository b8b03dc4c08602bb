//! Whatever an agent prints, ralph stays small and goes on.

use std::time::Duration;

use ralph_testkit::Peaks;

use crate::project;

const PATIENCE: Duration = Duration::from_secs(120);
const MOST_MEMORY: u64 = 64 << 20;

/// Runs an agent that prints and then is done; answers with the number of bytes that the journal counts.
#[track_caller]
fn floods(script: &str) -> u64 {
    let project = project().agent(&format!("{script}\necho\necho \"<promise>$RALPH_PROMISE</promise>\""));
    let (ran, Peaks { ralph, guard }) = project.start(&["run", "flood"]).end_and_peaks(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ralph > 0 && ralph <= MOST_MEMORY, "ralph took {ralph} bytes");
    assert!(guard <= MOST_MEMORY, "the guard took {guard} bytes");
    let journal = project.journal();
    let ended = journal.iter().find(|entry| entry["type"] == "attempt_ended").unwrap();
    ended["ending"]["reported"]["output_bytes"].as_u64().unwrap()
}

/// Far more than may be in memory; `cargo xtask flood` prints gigabytes at the release binary.
const MUCH: u64 = if cfg!(debug_assertions) { 70_000_000 } else { 2_000_000_000 };
const LONG: u64 = if cfg!(debug_assertions) { 70_000_000 } else { 500_000_000 };
const NO_TEXT: u64 = if cfg!(debug_assertions) { 1_000_000 } else { 100_000_000 };

#[test]
fn more_lines_than_there_is_room_for() {
    assert!(floods(&format!("yes 'a line of some length, as a build prints it' | head -c {MUCH}")) > MUCH);
}

#[test]
fn a_line_longer_than_there_is_room_for() {
    assert!(floods(&format!("head -c {LONG} /dev/zero | tr '\\0' x")) > LONG);
}

#[test]
fn bytes_that_are_no_text() {
    let odd = "printf '\\377\\376\\200 \\033[31m \\000 end'";
    // Without what opens a code block, in which a promise would rightly not count.
    let noise = format!("LC_ALL=C tr -d '\\140~' < /dev/urandom | head -c {NO_TEXT}");
    assert!(floods(&format!("{odd}; {noise}")) > NO_TEXT);
}

#[test]
fn silence_for_ever_is_a_failed_attempt() {
    let project = project().agent("echo hello; sleep 600");
    let args = ["run", "x", "--silence-timeout", "1s", "--max-consecutive-failures", "1"];
    let ran = project.start(&args).end(PATIENCE);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(project.status().unwrap()["evidence"].as_str().unwrap().contains("silent"));
}

#[test]
fn an_agent_that_ends_at_once_uses_up_its_iterations() {
    let ran = project().agent("exit 0").start(&["run", "x", "--max-iterations", "20"]).end(PATIENCE);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
}

#[test]
fn a_pipe_that_nobody_closes_does_not_hold_the_run() {
    // The daemon keeps both streams open; it is ended with its agent.
    let bytes = floods("setsid sleep 600 &");
    assert!(bytes > 0);
}
