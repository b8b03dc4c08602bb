//! Whoever looks at a run: one that stands still holds nothing up, and one that follows is let go when it is over.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use ralph_testkit::{Live, PATIENCE, Project, send, survivors};

use crate::agents::{DONE, HELD, begun, let_go};
use crate::project;

/// Prints far more than a pipe holds, and is never done.
const CHATTY: &str = "touch begun-1-1; yes 'a line of some length, as a build prints it' | head -c 4000000";

#[track_caller]
fn ends(project: &Project, run: &mut Live, code: i32, reason: &str) {
    let id = project.run_id().unwrap();
    let ran = run.end(PATIENCE);
    assert_eq!(ran.code, Some(code), "{}", ran.err);
    assert_eq!(project.status().unwrap()["stop_reason"], reason);
    assert_eq!(survivors(&id), []);
}

#[test]
fn a_reader_that_stands_still_does_not_hold_up_the_run() {
    for show in ["--json", "--verbose"] {
        let project = project().agent(CHATTY);
        let mut run = project.start_unread(&["run", "x", show, "--max-iterations", "3"]);
        begun(&project, 1, 1);
        ends(&project, &mut run, 3, "max_iterations");
        let started = project.events().iter().filter(|event| *event == "iteration_started").count();
        assert_eq!(started, 3, "the journal has what nobody read");
    }
}

#[test]
fn a_reader_that_stands_still_does_not_keep_a_limit_from_holding() {
    let project = project().agent("touch begun-1-1; exec yes 'a line of some length, as a build prints it'");
    let start = Instant::now();
    let mut run = project.start_unread(&["run", "x", "--json", "--max-duration", "1s"]);
    begun(&project, 1, 1);
    let stopped = ralph_testkit::until(PATIENCE, "a stop in the journal", || {
        project.status().filter(|status| status["stop_reason"] == "max_duration").map(|_| start.elapsed())
    });
    assert!(stopped < Duration::from_secs(8), "{stopped:?}");
    ends(&project, &mut run, 3, "max_duration");
}

#[test]
fn a_reader_that_stands_still_does_not_keep_a_signal_from_being_heard() {
    let project = project().agent("touch begun-1-1; exec yes 'a line of some length, as a build prints it'");
    let mut run = project.start_unread(&["run", "x", "--json"]);
    begun(&project, 1, 1);
    send(run.pid(), Signal::SIGINT);
    let start = Instant::now();
    ends(&project, &mut run, 130, "aborted");
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
}

#[test]
fn following_ends_when_the_run_stops() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let mut logs = [project.start(&["logs", "--follow"]), project.start(&["logs", "--follow", "--json"])];
    for reader in &logs {
        ralph_testkit::until(PATIENCE, "the agent's words", || {
            reader.out().contains("working on 1").then_some(())
        });
    }
    assert_eq!(project.ralph(&["stop"]).code, Some(0));
    let_go(&project, 1);
    assert_eq!(run.end(PATIENCE).code, Some(130));
    for reader in &mut logs {
        let ran = reader.end(PATIENCE);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let last = ran.out.lines().next_back().unwrap();
        assert!(last.contains("stopped") && last.contains("asked to stop"), "{last}");
    }
}

#[test]
fn following_ends_when_the_run_dies() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let mut logs = [project.start(&["logs", "--follow"]), project.start(&["logs", "--follow", "--json"])];
    for reader in &logs {
        ralph_testkit::until(PATIENCE, "the agent's words", || {
            reader.out().contains("working on 1").then_some(())
        });
    }
    run.kill();
    let [people, json] = &mut logs;
    let ran = people.end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.trim_end().ends_with("`ralph resume` goes on with it"), "{}", ran.out);
    let ran = json.end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

#[test]
fn logs_of_a_run_by_flag_are_those_by_place_and_what_there_was_not_is_refused() {
    let project = project().agent(DONE);
    assert_eq!(project.ralph(&["run", "it"]).code, Some(0));
    let id = project.run_id().unwrap();
    let (by_place, by_flag) = (project.ralph(&["logs", &id]), project.ralph(&["logs", "--run", &id]));
    assert_eq!(by_place, by_flag);
    assert!(project.ralph(&["logs", "--iteration", "1"]).out.contains("iteration 1/"));
    let none = project.ralph(&["logs", "--iteration", "2"]);
    assert_eq!((none.code, none.out.as_str()), (Some(2), ""));
    assert!(
        none.err.contains("no iteration 2") && none.err.contains("it has had 1 iteration"),
        "{}",
        none.err
    );
}
