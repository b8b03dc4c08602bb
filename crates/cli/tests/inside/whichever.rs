//! A loop that was started without naming a host, in a session of OpenCode.

use serde_json::{Value, json};

use super::{Session, project, told};

#[test]
fn a_loop_without_a_host_is_opencodes_once_it_tells_of_the_session() {
    let project = project();
    let args = ["loop", "start", "--session", "ses_1", "--strategy", "reset", "--", "fix it"];
    assert_eq!(project.ralph(&args).code, Some(0));
    let session = Session::of(&project, "ses_1");
    assert_eq!(session.status()["host"], Value::Null);
    let begun = session.tell("message", json!({ "message": { "text": "fix it" }, "first": true }));
    assert_eq!(begun.kinds(), ["append"]);
    assert_eq!(session.status()["host"], "opencode");
    // Another host has nothing to do with it, whatever it tells.
    let event = json!({ "session_id": "ses_1", "hook_event_name": "SessionEnd", "reason": "clear", "cwd": project.tree() });
    let out = told(project.command(&["hook", "claude"]), event.to_string().as_bytes());
    assert_eq!((out.status.code(), out.stdout.len()), (Some(0), 0));
    assert_eq!(session.idle("m1", "not yet").kinds(), ["toast", "new_session"]);
    assert_eq!(session.stands(), (2, "running".to_owned()));
}

#[test]
fn a_session_that_is_deleted_before_anything_else_ends_its_loop() {
    let project = project();
    assert_eq!(project.ralph(&["loop", "start", "--session", "ses_1", "--", "fix it"]).code, Some(0));
    let session = Session::of(&project, "ses_1");
    session.tell("deleted", json!({}));
    assert_eq!(session.stands(), (1, "aborted".to_owned()));
}
