//! Checks inside a hook, and files that are put back.

use std::fs;

use serde_json::{Value, json};

use super::{Session, project, told};

#[test]
fn criteria_are_run_in_the_hook_and_both_they_and_the_promise_must_hold() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    let begun = session.command("make it --criteria custom='test -f made'");
    assert!(begun.prompt().contains("test -f made"), "{begun:?}");
    let next = session.idle("m1", &session.promise());
    assert!(next.prompt().contains("iteration 2 of 100"), "{next:?}");
    fs::write(project.tree().join("made"), "").unwrap();
    let next = session.idle("m2", "I made it, and forgot to say so.");
    assert!(next.prompt().contains("iteration 3 of 100"), "{next:?}");
    assert_eq!(session.idle("m3", &session.promise()).toast().0, "success");
    let checks = session.status();
    assert_eq!(checks["checks"][0]["passed"], true, "{checks}");
}

#[test]
fn checks_that_are_green_already_need_the_promise_and_red_ones_are_told() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("make it --criteria custom='echo what is wrong; exit 3'");
    let next = session.idle("m1", "x");
    assert!(next.prompt().contains("what is wrong"), "{next:?}");
}

#[test]
fn what_the_projects_own_files_ask_to_run_needs_trust() {
    let project = project();
    fs::create_dir_all(project.tree().join(".ralph")).unwrap();
    let config = "[[check]]\nname = \"own\"\ncriterion = \"custom\"\ncommand = \"true\"\n";
    fs::write(project.tree().join(".ralph/config.toml"), config).unwrap();
    let session = Session::of(&project, "ses_1");
    let refused = session.command("make it");
    assert!(refused.prompt().contains("ralph trust"), "{refused:?}");
    let ran = project.ralph(&["loop", "start", "--session", "ses_1", "--", "make it"]);
    assert_eq!((ran.code, ran.err.contains("ralph trust")), (Some(2), true), "{ran:?}");
    assert_eq!(project.ralph(&["trust", "--yes"]).code, Some(0));
    assert!(session.command("make it").prompt().contains("own"));
}

#[test]
fn a_check_that_never_ends_is_ended_and_the_loop_goes_on() {
    let project = project().with("RALPH_SET_VERIFY__TIMEOUT", "1s");
    let session = Session::of(&project, "ses_1");
    session.command("make it --criteria custom='sleep 300'");
    let next = session.idle("m1", "x");
    assert!(next.prompt().contains("iteration 2"), "{next:?}");
}

#[test]
fn rolling_back_ends_the_loop_and_puts_the_files_back() {
    let project = project();
    let file = project.tree().join("kept");
    fs::write(&file, "before").unwrap();
    let session = Session::of(&project, "ses_1");
    assert!(session.command("rollback").prompt().contains("nothing to roll back"));
    session.command("make it");
    fs::write(&file, "after").unwrap();
    fs::write(project.tree().join("new"), "").unwrap();
    session.idle_once("m1", "done something");
    let back = session.command("rollback");
    let told = back.prompt();
    let undo = format!(
        "1 path changed, 1 path deleted. Deleted: new. `ralph rollback --undo --run {}`",
        session.run()
    );
    assert!(told.contains("as they were before") && told.contains(&undo), "{told}");
    assert_eq!(
        (fs::read_to_string(&file).unwrap().as_str(), project.tree().join("new").exists()),
        ("before", false)
    );
    assert_eq!(session.stands().1, "aborted");
    let shown = project.ralph(&["logs", &session.run()]);
    assert!(
        shown.out.contains(&format!("`ralph rollback --undo --run {}` takes", session.run())),
        "{shown:?}"
    );
    let undone = project.ralph(&["rollback", "--undo", "--yes", "--run", &session.run()]);
    assert!(
        undone.out.contains(&format!("`ralph rollback --undo --run {}` does it again", session.run())),
        "{undone:?}"
    );
    assert!(project.tree().join("new").exists());
}

#[test]
fn what_keeps_files_from_being_put_back_is_said_with_its_reason() {
    let project = project().with("RALPH_SET_SNAPSHOTS__ENABLED", "false");
    let session = Session::of(&project, "ses_1");
    session.command("make it");
    session.idle_once("m1", "done something");
    let told = session.command("rollback");
    let told = told.prompt();
    assert!(
        told.contains("could not be put back: nothing has been kept of this project (a run keeps"),
        "{told}"
    );
}

#[test]
fn what_the_settings_require_is_what_completes_a_loop() {
    let project = project().with("RALPH_SET_COMPLETION__REQUIRE", "tool,todo");
    let session = Session::of(&project, "ses_1");
    let begun = session.command("make it");
    assert!(begun.prompt().contains("task_complete") && !begun.prompt().contains("<promise>"), "{begun:?}");
    let turn = |id: &str, tools: &[&str], status: &str| {
        let message = json!({ "id": id, "text": "a step", "finish": "stop", "tools": tools });
        session.tell("idle", json!({ "message": message, "todo": [{ "content": "it", "status": status }] }))
    };
    assert!(turn("m1", &["bash"], "completed").prompt().contains("iteration 2"));
    assert!(turn("m2", &["task_complete"], "pending").prompt().contains("iteration 3"));
    assert_eq!(turn("m3", &["bash", "task_complete"], "completed").toast().0, "success");
    // A loop that begins with a message says the same there.
    project.ralph(&["loop", "start", "--session", "ses_2", "--", "make it"]);
    let first = json!({ "message": { "text": "begin" }, "first": true });
    let told = Session::of(&project, "ses_2").tell("message", first);
    assert!(told.get("append")["text"].as_str().unwrap().contains("task_complete"), "{told:?}");
}

#[test]
fn the_tool_is_offered_where_it_counts_and_only_while_the_loop_goes_on() {
    let offered = |project: &ralph_testkit::Project, event: Value| -> Value {
        let out = told(project.command(&["hook", "opencode"]), event.to_string().as_bytes());
        serde_json::from_slice::<Value>(&out.stdout).unwrap()["tool"].clone()
    };
    let start = json!({ "command": "ralph", "arguments": "make it" });
    let stop = json!({ "command": "ralph", "arguments": "stop" });
    let plain = project();
    assert_eq!(offered(&plain, Session::of(&plain, "ses_1").event("command", start.clone())), Value::Null);
    let project = project().with("RALPH_SET_COMPLETION__REQUIRE", "tool");
    let session = Session::of(&project, "ses_1");
    assert_eq!(offered(&project, session.event("command", start)), true);
    assert_eq!(offered(&project, session.event("command", stop)), Value::Null);
}

#[test]
fn what_could_never_be_shown_in_a_session_is_refused() {
    for (require, arguments, says) in [
        ("tracker", "x", "in no tracker"),
        ("promise,tracker", "x", "in no tracker"),
        ("criteria", "x", "there are none"),
        ("promise", "x --criteria custom=true", "criteria are not among"),
    ] {
        let project = project().with("RALPH_SET_COMPLETION__REQUIRE", require);
        let session = Session::of(&project, "ses_1");
        let refused = session.command(arguments);
        assert!(refused.toast().0 == "error" && refused.prompt().contains(says), "{require}: {refused:?}");
        assert_eq!(session.stands().1, "none", "{require}");
    }
}

#[test]
fn a_host_that_is_let_go_hears_that_the_loop_is_paused() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("make it");
    fs::create_dir_all(project.tree().join(".ralph")).unwrap();
    fs::write(project.tree().join(".ralph/config.toml"), "nonsense =").unwrap();
    let event = session.event("idle", json!({ "message": { "id": "m1", "text": "x", "finish": "stop" } }));
    let out = told(project.command(&["hook", "opencode"]), event.to_string().as_bytes());
    assert_eq!(out.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(answer["actions"][0]["title"], "ralph: loop paused", "{answer}");
    assert!(String::from_utf8_lossy(&out.stderr).contains("not valid TOML"), "{out:?}");
    fs::remove_file(project.tree().join(".ralph/config.toml")).unwrap();
    assert_eq!(session.stands(), (1, "paused".to_owned()));
}
