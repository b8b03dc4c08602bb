//! An agent behind the Agent Client Protocol, good and bad: whatever it does, there is a clear end and nothing is left.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use ralph_testkit::{PATIENCE, Project, Ran, send, survivors};

use crate::agents::begun;
use crate::project;

const AGENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/proof/acp_agent.py");

fn command(part: &str) -> String {
    format!("python3 {} {part}", shell_words::quote(AGENT))
}

fn run(project: &Project, part: &str, more: &[&str]) -> Ran {
    let command = command(part);
    let args = ["run", "do it", "--agent", "acp", "--agent-command", &command, "--max-iterations", "2"];
    project.start(&[&args[..], more].concat()).end(PATIENCE)
}

/// How the latest attempt ended.
fn exit(project: &Project) -> serde_json::Value {
    let journal = project.journal();
    let ended = journal.iter().rev().find(|entry| entry["type"] == "attempt_ended");
    ended.expect("an attempt has ended")["ending"]["reported"]["exit"].clone()
}

fn told(project: &Project) -> String {
    std::fs::read_to_string(project.tree().join("told")).unwrap()
}

#[test]
fn an_agent_is_given_its_brief_and_believed_its_promise() {
    let project = project();
    let ran = run(&project, "good", &["--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let status = project.status().unwrap();
    assert_eq!((&status["iteration"], &status["stop_reason"]), (&1.into(), &"completed".into()));
    assert_eq!(status["usage"]["output_tokens"], 3);
    let brief = std::fs::read_to_string(project.tree().join("brief.txt")).unwrap();
    assert_eq!(brief, project.brief(1, 1));
    assert_eq!(told(&project).trim(), project.tree().canonicalize().unwrap().to_string_lossy());
    assert!(ran.out.contains("\"text\":\"All is done."), "{}", ran.out);
}

#[test]
fn what_is_not_the_protocol_does_no_harm() {
    for part in ["garbage", "huge"] {
        let project = project();
        let ran = run(&project, part, &[]);
        assert_eq!(ran.code, Some(0), "{part}: {}{}", ran.out, ran.err);
        assert_eq!(project.status().unwrap()["iteration"], 1, "{part}");
    }
}

#[test]
fn a_promise_before_a_tool_is_none() {
    let project = project();
    let ran = run(&project, "early", &[]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
}

#[test]
fn an_agent_that_dies_has_failed() {
    let project = project();
    let ran = run(&project, "dies", &["--max-consecutive-failures", "2"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    let exit = exit(&project);
    assert_eq!(exit["kind"], "failed", "{exit}");
    let what = exit["what"].as_str().unwrap();
    assert_eq!(what, "the agent ended (exit status: 7) before it answered session/prompt");
    assert_eq!(project.status().unwrap()["attempts"], 2);
}

#[test]
fn an_agent_that_does_not_answer_is_not_waited_for() {
    for (part, expected) in [("mute", "start_timeout"), ("closes", "failed")] {
        let project = project();
        let ran = run(&project, part, &["--max-consecutive-failures", "1", "--start-timeout", "4s"]);
        assert_eq!(ran.code, Some(1), "{part}: {}{}", ran.out, ran.err);
        assert_eq!(exit(&project)["kind"], expected, "{part}");
        assert_eq!(survivors(&project.run_id().unwrap()), [], "{part}");
    }
}

#[test]
fn what_a_person_must_mend_stops_the_run_at_once() {
    for (part, more, kind, word) in [
        ("auth", &[][..], "unauthenticated", "scripted login"),
        ("version", &[], "misconfigured", "peer negotiated 2"),
        ("good", &["--model", "medium"], "misconfigured", "it offers small, large"),
    ] {
        let project = project();
        let ran = run(&project, part, more);
        assert_eq!(ran.code, Some(1), "{part}: {}{}", ran.out, ran.err);
        assert_eq!(exit(&project)["kind"], kind, "{part}");
        assert!(ran.out.contains(word), "{part}: {}", ran.out);
        assert_eq!(project.status().unwrap()["attempts"], 1, "{part}");
    }
}

#[test]
fn a_program_that_does_not_speak_the_protocol_is_found_out() {
    let project = project();
    let args = ["run", "do it", "--agent", "acp", "--agent-command", "echo hello"];
    let ran = project.ralph(&[&args[..], &["--max-consecutive-failures", "1"]].concat());
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    let what = exit(&project)["what"].as_str().unwrap().to_owned();
    assert_eq!(what, "the agent ended (exit status: 0) before it answered initialize");
    let refused = project.ralph(&["run", "do it", "--new", "--agent", "acp"]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("--agent-command"), "{}", refused.err);
    let refused = project.ralph(&["run", "do it", "--new", "--agent", "claude", "--acp"]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("opencode"), "{}", refused.err);
}

#[test]
fn a_limit_is_waited_out_and_a_refusal_is_a_failure() {
    let project = crate::project();
    let ran = run(&project, "limited", &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let status = project.status().unwrap();
    assert_eq!((&status["iteration"], &status["attempts"]), (&1.into(), &2.into()));
    let project = crate::project();
    let ran = run(&project, "refuses", &["--max-consecutive-failures", "1"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert_eq!(exit(&project)["what"], "it stopped for the reason refusal");
}

#[test]
fn a_model_is_chosen_where_the_agent_offers_it() {
    let project = project();
    let ran = run(&project, "good", &["--model", "large"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(told(&project).contains("model large\n"));
}

#[test]
fn permission_is_answered_by_policy() {
    for (policy, answer) in [(None, "once"), (Some("deny"), "no"), (Some("ask"), "no")] {
        let mut project = project();
        if let Some(policy) = policy {
            project = project.with("RALPH_SET_AGENT__PERMISSIONS", policy);
        }
        let ran = run(&project, "asks", &["--json"]);
        assert_eq!(ran.code, Some(0), "{policy:?}: {}{}", ran.out, ran.err);
        assert_eq!(told(&project).lines().last(), Some(answer), "{policy:?}");
        assert!(ran.out.contains("Removing everything"), "{policy:?}: {}", ran.out);
    }
}

#[test]
fn an_abort_cancels_the_turn_and_leaves_nothing() {
    for part in ["works", "deaf"] {
        let project = project();
        let command = command(part);
        let args = ["run", "do it", "--agent", "acp", "--agent-command", &command];
        let mut live = project.start(&args);
        begun(&project, 1, 1);
        let id = project.run_id().unwrap();
        let start = Instant::now();
        send(live.pid(), Signal::SIGINT);
        let ran = live.end(PATIENCE);
        assert_eq!(ran.code, Some(130), "{part}: {}{}", ran.out, ran.err);
        assert!(start.elapsed() < Duration::from_secs(6), "{part}: {:?}", start.elapsed());
        assert_eq!(survivors(&id), [], "{part}");
        assert_eq!(told(&project).contains("cancelled"), part == "works");
    }
}
