//! The user's own hooks hear of what happens in a host.

use ralph_testkit::Project;
use serde_json::{Value, json};

use super::{Session, project};

fn listening(on: &str, command: &str) -> Project {
    let project = project().with("SHOP_API_TOKEN", "s3cr3t-value-1234");
    let hook = format!("[[hook]]\nname = \"h\"\non = {on}\ntimeout = \"2s\"\ncommand = \"{command}\"\n");
    std::fs::write(project.user_config(), hook).unwrap();
    project
}

fn heard(project: &Project) -> Vec<Value> {
    let text = std::fs::read_to_string(project.tree().join("heard")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn hooks_are_told_of_the_events_that_they_name() {
    let all = "[\"session_start\", \"user_prompt_submit\", \"post_tool_use\", \"stop\", \"session_end\"]";
    let project = listening(all, "cat >> heard");
    let session = Session::of(&project, "s-1");
    session.types("/ralph fix it");
    session.tell("SessionStart", json!({ "source": "compact" }));
    let input = json!({ "command": "echo s3cr3t-value-1234" });
    session.tell("PostToolUse", json!({ "tool_name": "Bash", "tool_input": input }));
    session.stops("one");
    session.tell("SubagentStop", json!({}));
    session.tell("SessionEnd", json!({ "reason": "other" }));
    let heard = heard(&project);
    let names: Vec<&str> = heard.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(names, ["user_prompt_submit", "session_start", "post_tool_use", "stop", "session_end"]);
    assert_eq!((&heard[0]["prompt"], &heard[0]["host"]), (&json!("/ralph fix it"), &json!("claude")));
    assert_eq!((&heard[2]["tool"], &heard[2]["session"]), (&json!("Bash"), &json!("s-1")));
    assert_eq!((&heard[2]["run"], &heard[3]["message"]), (&session.status()["run"], &json!("one")));
    assert!(!heard[2].to_string().contains("s3cr3t"), "{}", heard[2]);
}

#[test]
fn a_hook_that_fails_or_hangs_is_no_objection() {
    for command in ["exit 2", "sleep 60"] {
        let project = listening("[\"stop\"]", command);
        let session = Session::of(&project, "s-1");
        session.types("/ralph fix it");
        assert!(super::reason(&session.stops("one")).contains("This is iteration 2"), "{command}");
    }
}

#[test]
fn what_a_hook_starts_is_not_told_to_it_again() {
    let project = listening("[\"session_start\"]", "printenv RALPH_RUN >> ran");
    Session::of(&project, "s-0").types("/ralph fix it");
    Session::of(&project, "s-1").tell("SessionStart", json!({ "source": "startup" }));
    let ran = std::fs::read_to_string(project.tree().join("ran")).unwrap();
    assert!(ran.starts_with("hook-"), "{ran}");
}

#[test]
fn commands_that_begin_pause_and_end_a_loop_are_told_of() {
    let project = listening("[\"run_started\", \"paused\", \"run_stopped\"]", "cat >> heard");
    let ralph = |args: &[&str]| {
        let ran = project.ralph(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    };
    let seat = ["--host", "claude", "--session", "s-1"];
    ralph(&[&["loop", "start"], &seat[..], &["--", "fix it"]].concat());
    let run = Session::of(&project, "s-1").status()["run"].as_str().unwrap().to_owned();
    ralph(&["pause", &run]);
    ralph(&[&["loop", "cancel"], &seat[..]].concat());
    let heard = heard(&project);
    let told: Vec<(&str, &str)> =
        heard.iter().map(|event| (event["type"].as_str().unwrap(), event["run"].as_str().unwrap())).collect();
    assert_eq!(told, ["run_started", "paused", "run_stopped"].map(|name| (name, run.as_str())));
}
