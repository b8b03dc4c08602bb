//! Ctrl-C, and what comes after it.

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
        project.status().filter(|status| status["alive"] == true)?["run"].as_str().map(str::to_owned)
    });
    send(again.pid(), Signal::SIGTERM);
    assert_eq!(again.end(PATIENCE).code, Some(130), "the other signals count");
    assert_eq!(survivors(&id), []);
}
