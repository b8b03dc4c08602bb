//! Every way in which a run ends now, with its exit code.

use ralph_testkit::{PATIENCE, Project};

use crate::agents::{DONE, FAILS, HELD, NEVER};
use crate::project;

/// The exit code, the reason in the journal, and what the evidence says.
#[track_caller]
fn check(project: &Project, args: &[&str], code: i32, reason: &str, evidence: &str) {
    let ran = project.start(&[&["run", "do it"], args].concat()).end(PATIENCE);
    assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
    let status = project.status().unwrap();
    assert_eq!(status["stop_reason"], reason, "{status}");
    let found = status["evidence"].as_str().unwrap();
    assert!(found.contains(evidence), "{evidence:?} in {found:?}");
    let last = project.journal().pop().unwrap();
    assert_eq!((&last["type"], &last["exit_code"]), (&"run_stopped".into(), &code.into()), "{last}");
    let again = project.ralph(&["resume"]);
    let is_resumable = status["resumable"] == true;
    assert!(is_resumable || again.code == Some(code), "a finished run ends again as it did: {again:?}");
    assert!(is_resumable || again.out.contains(reason), "{again:?}");
}

#[test]
fn a_promise_completes() {
    check(&project().agent(DONE), &[], 0, "completed", "the promise was given");
}

#[test]
fn a_promise_on_the_last_iteration_completes() {
    check(&project().agent(DONE), &["--max-iterations", "1"], 0, "completed", "iteration 1");
}

#[test]
fn iterations_run_out() {
    let project = project().agent(NEVER);
    check(&project, &["--max-iterations=3"], 3, "max_iterations", "3 of 3");
    assert_eq!(project.events().iter().filter(|event| *event == "iteration_started").count(), 3);
}

#[test]
fn a_clean_exit_is_never_completion() {
    check(&project().agent("exit 0"), &["--max-iterations", "2"], 3, "max_iterations", "without completion");
}

#[test]
fn time_runs_out_in_the_middle_of_an_attempt() {
    let project = project().agent(HELD);
    check(&project, &["--max-duration", "500ms"], 3, "max_duration", "time");
}

#[test]
fn failures_in_a_row_end_the_run() {
    let project = project().agent(FAILS);
    check(&project, &["--max-consecutive-failures", "3"], 1, "failed", "exit code 7");
    assert_eq!(project.events().iter().filter(|event| *event == "attempt_started").count(), 3);
    assert_eq!(project.events().iter().filter(|event| *event == "iteration_started").count(), 1);
}

#[test]
fn an_agent_that_a_signal_ended_has_failed() {
    let args = ["--max-consecutive-failures", "2"];
    check(&project().agent(&format!("{DONE}\nkill -9 $$")), &args, 1, "failed", "signal 9");
}

#[test]
fn a_failure_with_a_promise_is_no_completion() {
    let args = ["--max-consecutive-failures", "1"];
    check(&project().agent(&format!("{DONE}\nexit 3")), &args, 1, "failed", "exit code 3");
}

#[test]
fn an_attempt_that_takes_too_long_has_failed() {
    let args = ["--total-timeout", "300ms", "--max-consecutive-failures", "1"];
    check(&project().agent(HELD), &args, 1, "failed", "took longer");
}

#[test]
fn an_agent_that_never_begins_has_failed() {
    let args = ["--start-timeout", "300ms", "--max-consecutive-failures", "1"];
    check(&project().agent("sleep 60"), &args, 1, "failed", "start deadline");
}

#[test]
fn a_missing_program_is_told_before_anything_begins() {
    let project = project();
    let ran = project.ralph(&["run", "do it", "--agent-command", "/no/such/agent"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("/no/such/agent"), "{}", ran.err);
    assert_eq!(project.ralph(&["status"]).code, Some(4));
}

#[test]
fn a_run_needs_an_agent_and_a_prompt() {
    for args in [&["run", ""][..], &["run"], &["run", "x", "--max-iterations", "0"]] {
        let ran = project().ralph(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
        assert!(!ran.err.is_empty(), "{args:?}");
    }
    let ran = project().with("PATH", "/nowhere").ralph(&["run", "do it"]);
    assert_eq!(ran.code, Some(5), "none is given and none is installed: {}", ran.err);
}

#[test]
fn without_a_run_there_is_nothing_to_do() {
    for args in [&["resume"][..], &["status"], &["logs"], &["stop"], &["pause"], &["replay"], &["steer", "x"]]
    {
        let ran = project().ralph(args);
        assert_eq!(ran.code, Some(4), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("no run"), "{args:?}: {}", ran.err);
    }
}
