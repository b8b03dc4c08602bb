//! The user's hooks: told once, asked in time, never in the way.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use ralph_testkit::{PATIENCE, Project, send, survivors, until};
use serde_json::Value;

use crate::agents::{DONE, HELD, begun, let_go};
use crate::project;

/// Writes the user's configuration: one hook and whatever else is said of it.
fn hook(project: &Project, on: &str, command: &str, more: &str) {
    let text =
        format!("[[hook]]\nname = \"told\"\non = [{on}]\ncommand = ['sh', '-c', '''{command}''']\n{more}\n");
    fs::write(project.user_config(), text).unwrap();
}

fn told(project: &Project) -> Vec<Value> {
    let lines = fs::read_to_string(project.base().join("told")).unwrap_or_default();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn is_delivered(project: &Project) -> bool {
    project.rows("outbox WHERE state = 'waiting'") == 0
}

fn names(told: &[Value]) -> Vec<&str> {
    told.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[test]
fn every_event_is_told_once_and_in_order() {
    let project = project().agent(DONE);
    let all =
        "'run_started', 'iteration_started', 'attempt_ended', 'verdict', 'task_completed', 'run_stopped'";
    hook(&project, all, "cat >> ../told", "");
    let ran = project.start(&["run", "do it"]).end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let told = told(&project);
    let expected =
        ["run_started", "iteration_started", "attempt_ended", "verdict", "task_completed", "run_stopped"];
    assert_eq!(names(&told), expected);
    let id = project.run_id().unwrap();
    for event in &told {
        assert_eq!((event["run"].as_str(), event["root"].as_str()), (Some(&*id), project.tree().to_str()));
    }
}

#[test]
fn a_crash_neither_loses_nor_repeats_a_call() {
    let project = project().agent(HELD);
    hook(
        &project,
        "'iteration_started', 'run_resumed', 'iteration_ended', 'run_stopped'",
        "cat >> ../told",
        "",
    );
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    // A call that is under way when ralph dies is made again: only what is written down as delivered is not.
    until(PATIENCE, "the first call", || (told(&project).len() == 1 && is_delivered(&project)).then_some(()));
    run.kill();
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    let told = told(&project);
    let expected = [
        "iteration_started",
        "run_resumed",
        "iteration_ended",
        "iteration_started",
        "iteration_ended",
        "run_stopped",
    ];
    assert_eq!(names(&told), expected);
}

#[test]
fn a_veto_on_an_iteration_stops_the_run() {
    let project = project().agent(DONE);
    let says = r#"echo "{\"veto\": true, \"reason\": \"not on a sunday\"}""#;
    hook(&project, "'iteration_started'", says, "veto = true");
    let ran = project.start(&["run", "do it"]).end(PATIENCE);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    let status = project.status().unwrap();
    assert!(status["evidence"].as_str().unwrap().contains("not on a sunday"), "{status}");
    assert!(!project.events().contains(&"attempt_started".to_owned()));
}

#[test]
fn a_veto_on_a_verdict_asks_for_another_iteration() {
    let project = project().agent(DONE);
    let says = r#"[ -e once ] || echo "{\"veto\": true, \"reason\": \"the docs are missing\"}"; touch once"#;
    hook(&project, "'verdict'", says, "veto = true");
    let ran = project.start(&["run", "do it"]).end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(project.status().unwrap()["iteration"], 2);
    assert!(project.brief(2, 1).contains("the docs are missing"));
}

#[test]
fn a_hook_that_hangs_is_ended_and_the_run_goes_on() {
    let project = project().agent(DONE);
    hook(&project, "'iteration_started'", "touch hung; sleep 600", "timeout = '500ms'");
    let start = Instant::now();
    let ran = project.start(&["run", "do it"]).end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(project.tree().join("hung").exists());
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert_eq!(survivors(&project.run_id().unwrap()), []);
}

#[test]
fn a_hook_that_fails_does_not_fail_the_run() {
    let project = project().agent(DONE);
    hook(&project, "'iteration_started', 'run_stopped'", "exit 9", "veto = false");
    assert_eq!(project.start(&["run", "do it"]).end(PATIENCE).code, Some(0));
}

#[test]
fn a_projects_hook_runs_only_once_it_is_trusted() {
    let project = project().agent(DONE);
    fs::create_dir(project.tree().join(".ralph")).unwrap();
    let text = "[[hook]]\nname = \"told\"\non = [\"run_stopped\"]\ncommand = \"cat >> ../told\"\n";
    fs::write(project.tree().join(".ralph/config.toml"), text).unwrap();
    let refused = project.ralph(&["run", "do it"]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("ralph trust"), "{}", refused.err);
    assert!(!project.base().join("told").exists());

    let trusted = project.ralph(&["trust", "--yes"]);
    assert_eq!(trusted.code, Some(0), "{}", trusted.err);
    assert_eq!(project.start(&["run", "do it"]).end(PATIENCE).code, Some(0));
    assert_eq!(names(&told(&project)), ["run_stopped"]);

    fs::write(project.tree().join(".ralph/config.toml"), text.replace("told\"\n", "told; true\"\n")).unwrap();
    assert_eq!(project.ralph(&["run", "do it"]).code, Some(2), "what has changed is asked for again");
}

/// Hears nothing but `kill -9`, for ten minutes.
const HANGS: &str = "touch asked; trap : INT TERM HUP; for i in $(seq 6000); do sleep 0.1; done";

fn asked(project: &Project) {
    let mark = project.tree().join("asked");
    until(PATIENCE, "a hook that was called", || mark.exists().then_some(()));
}

#[test]
fn a_hook_that_hangs_does_not_keep_a_signal_from_ending_the_run() {
    let project = project().agent(HELD);
    hook(&project, "'iteration_started', 'run_stopped'", HANGS, "timeout = '10m'");
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    asked(&project);
    let id = project.run_id().unwrap();
    let start = Instant::now();
    send(run.pid(), Signal::SIGINT);
    let ran = run.end(PATIENCE);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert_eq!(project.status().unwrap()["stop_reason"], "aborted");
    until(Duration::from_secs(6), "nothing left of the hook", || survivors(&id).is_empty().then_some(()));
}

#[test]
fn while_a_hook_is_asked_a_signal_ends_the_run_before_the_agent_is_started() {
    let project = project().agent("touch started");
    hook(&project, "'iteration_started'", HANGS, "timeout = '10m'\nveto = true");
    let mut run = project.start(&["run", "do it"]);
    asked(&project);
    let id = project.run_id().unwrap();
    let start = Instant::now();
    send(run.pid(), Signal::SIGINT);
    let ran = run.end(PATIENCE);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert_eq!(project.status().unwrap()["stop_reason"], "aborted");
    let events = project.events();
    let begun = ["attempt_started", "agent_spawned"].map(|event| events.contains(&event.to_owned()));
    assert_eq!((begun, project.tree().join("started").exists()), ([false; 2], false), "{events:?}");
    until(Duration::from_secs(6), "nothing left of the hook", || survivors(&id).is_empty().then_some(()));
}

#[test]
fn a_call_that_another_run_left_over_names_that_run() {
    let project = project().agent(HELD);
    hook(&project, "'iteration_started'", HANGS, "timeout = '10m'");
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    asked(&project);
    let old = project.run_id().unwrap();
    run.kill();
    until(PATIENCE, "nothing left of the old run", || survivors(&old).is_empty().then_some(()));
    assert!(!is_delivered(&project), "killed before it was delivered");

    hook(&project, "'iteration_started'", "cat >> ../told", "");
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    let ran = project.start(&["run", "do something else", "--new"]).end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let new = project.run_id().unwrap();
    assert_ne!(old, new);
    let told = told(&project);
    let whose: Vec<_> = told.iter().map(|event| event["run"].as_str().unwrap()).collect();
    assert_eq!(whose, [old.as_str(), &new, &new]);
    let iterations: Vec<_> = told.iter().map(|event| event["iteration"].as_u64().unwrap()).collect();
    assert_eq!(iterations, [1, 1, 2]);
}
