//! Ctrl-C, and what comes after it.

#[cfg(feature = "failpoints")]
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use ralph_testkit::{PATIENCE, send, survivors};

use crate::agents::{HELD, begun, let_go};
use crate::project;

/// Hears nothing but `kill -9`.
const DEAF: &str = r#"
trap '' INT TERM HUP
echo "$RALPH_RUN" > run
touch "begun-$RALPH_ITERATION-$RALPH_ATTEMPT"
while :; do sleep 0.1; done
"#;

#[test]
fn the_first_signal_aborts_and_the_run_is_resumable() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let project = project().agent(HELD);
        let mut run = project.start(&["run", "do it"]);
        begun(&project, 1, 1);
        send(run.pid(), signal);
        let ran = run.end(PATIENCE);
        assert_eq!(ran.code, Some(130), "{signal}: {}", ran.err);
        let status = project.status().unwrap();
        assert_eq!((&status["stop_reason"], &status["resumable"]), (&"aborted".into(), &true.into()));
        (1..=2).for_each(|iteration| let_go(&project, iteration));
        assert_eq!(project.ralph(&["resume"]).code, Some(0), "{signal}");
    }
}

#[test]
fn a_deaf_agent_is_gone_within_five_seconds() {
    let project = project().agent(DEAF);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let id = project.run_id().unwrap();
    let start = Instant::now();
    send(run.pid(), Signal::SIGINT);
    assert_eq!(run.end(PATIENCE).code, Some(130));
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    assert_eq!(survivors(&id), []);
}

#[test]
fn the_second_signal_kills_at_once() {
    let project = project().agent(DEAF);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let id = project.run_id().unwrap();
    send(run.pid(), Signal::SIGINT);
    // Two signals at once would be one: the first must have been seen.
    ralph_testkit::until(PATIENCE, "the first signal to be journalled", || {
        project.events().contains(&"control_applied".to_owned()).then_some(())
    });
    let start = Instant::now();
    send(run.pid(), Signal::SIGINT);
    assert_eq!(run.end(PATIENCE).code, Some(130));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(survivors(&id), []);
}

#[test]
fn under_nohup_the_end_of_the_session_ends_nothing() {
    let project = project().agent(HELD);
    let mut run = project.start_through("nohup", &["run", "do it"]);
    begun(&project, 1, 1);
    send(run.pid(), Signal::SIGHUP);
    // A whole iteration for the signal to be heard in.
    let_go(&project, 1);
    begun(&project, 2, 1);
    send(run.pid(), Signal::SIGHUP);
    let_go(&project, 2);
    let ran = run.end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!project.events().contains(&"control_applied".to_owned()));

    let mut again = project.start_through("nohup", &["run", "do it"]);
    std::fs::remove_file(project.base().join("go-1")).unwrap();
    let id = ralph_testkit::until(PATIENCE, "another run", || {
        let status = project.status().filter(|status| status["alive"] == true && status["attempts"] == 1)?;
        status["run"].as_str().map(str::to_owned)
    });
    send(again.pid(), Signal::SIGTERM);
    assert_eq!(again.end(PATIENCE).code, Some(130), "the other signals count");
    assert_eq!(survivors(&id), []);
}

/// Long before the agent begins, somebody else is at work in the vault, and a signal is heard all the same.
#[test]
fn a_vault_that_others_hold_keeps_nobody_waiting() {
    let project = project().agent("cat > /dev/null");
    assert_eq!(project.ralph(&["run", "x", "--max-iterations", "1"]).code, Some(3));
    let held = std::fs::File::open(project.state().join("snapshots/lock")).unwrap();
    held.lock().unwrap();
    let before = project.run_id();
    let mut run = project.start(&["run", "do it", "--max-iterations", "1"]);
    ralph_testkit::until(PATIENCE, "the run to begin", || {
        project.run_id().filter(|id| Some(id) != before.as_ref())
    });
    // It comes to the vault, and waits there.
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    send(run.pid(), Signal::SIGINT);
    let ran = run.end(PATIENCE);
    assert_eq!(ran.code, Some(130), "{}{}", ran.out, ran.err);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let status = project.status().unwrap();
    assert_eq!((&status["stop_reason"], &status["resumable"]), (&"aborted".into(), &true.into()));
    assert!(!project.events().contains(&"agent_spawned".to_owned()), "{:?}", project.events());
    drop(held);
    assert_eq!(project.ralph(&["resume"]).code, Some(3));
}

#[cfg(feature = "failpoints")]
#[test]
fn the_second_signal_does_not_wait_for_a_vault_either() {
    let project = project().agent("cat > /dev/null");
    let log = project.base().join("log");
    let mut command = project.command(&["run", "do it", "--max-iterations", "1"]);
    command.env("FAILPOINTS", "snapshot.take.begun=sleep(60000)").env("FAILPOINTS_LOG", &log);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = || std::fs::read_to_string(&log).is_ok_and(|log| log.contains("snapshot.take.begun"));
    ralph_testkit::until(PATIENCE, "the vault to be at work", || begun().then_some(()));
    send(run.id(), Signal::SIGINT);
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    send(run.id(), Signal::SIGINT);
    let ended = ralph_testkit::until(PATIENCE, "the run to end", || run.try_wait().unwrap());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(ended.code(), Some(130));
    assert_eq!(project.status().unwrap()["resumable"], true);
    assert_eq!(project.ralph(&["resume"]).code, Some(3));
}
