//! The configuration of the plugin that came before makes every session loop as that one did.

use std::fs;

use serde_json::json;

use super::{Session, project};

const KEY: &str =
    r#"{ "plugin": ["ralph-loop"], "ralph-loop": { "promiseWord": "FERTIG", "maxRetries": 2 } }"#;

#[test]
fn every_session_loops_from_its_first_message_and_leaves_a_summary() {
    let project = project();
    fs::write(project.tree().join("opencode.json"), KEY).unwrap();
    let (old, new) = (Session::of(&project, "ses_1"), Session::of(&project, "ses_2"));
    let first = old.tell("message", json!({ "message": { "text": "port it" }, "first": true }));
    assert!(first.get("append")["text"].as_str().unwrap().contains("the word FERTIG exactly"), "{first:?}");
    assert_eq!(old.idle("m1", "half").kinds(), ["toast", "summarise", "new_session"]);
    let moved = old.tell("replaced", json!({ "replaced_by": "ses_2", "summary": "half of it is ported" }));
    assert!(
        moved.prompt().contains("port it") && moved.prompt().contains("half of it is ported"),
        "{moved:?}"
    );
    let summary = project.tree().join(".opencode/sessions/ses_1/ralph_summary.md");
    assert_eq!(fs::read_to_string(summary).unwrap(), "half of it is ported");
    let done = new.idle("m1", "<promise>FERTIG</promise>");
    assert_eq!(done.toast().0, "success");
}

#[test]
fn its_options_end_it_and_without_them_nothing_begins() {
    let project = project();
    let begin = |session: &Session<'_>, options: serde_json::Value, first: bool| {
        let more = json!({ "message": { "text": "port it" }, "first": first, "options": options });
        session.tell("message", more).kinds().len()
    };
    let session = Session::of(&project, "ses_1");
    assert_eq!(begin(&session, json!({}), true), 0);
    assert!(!project.state_home().exists());
    assert_eq!(begin(&session, json!({ "maxRetries": 2 }), false), 0);
    assert_eq!(begin(&session, json!({ "maxRetries": 2 }), true), 1);
    session.idle("m1", "one");
    session.tell("replaced", json!({ "replaced_by": "ses_2", "summary": "s" }));
    assert_eq!(Session::of(&project, "ses_2").idle("m2", "two").toast(), ("warning", "ralph: limit reached"));
    let calm = Session::of(&project, "ses_3");
    assert_eq!(begin(&calm, json!({ "autoRestart": false }), true), 1);
    assert_eq!(calm.idle("m1", "one").kinds(), ["toast"]);
    assert_eq!(calm.stands(), (1, "max_iterations".to_owned()));
}

#[test]
fn a_summary_is_written_nowhere_but_in_the_project() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    let options = json!({ "summaryPath": "../outside" });
    session.tell("message", json!({ "message": { "text": "port it" }, "first": true, "options": options }));
    session.idle("m1", "half");
    let moved = session.tell("replaced", json!({ "replaced_by": "ses_2", "summary": "s" }));
    assert_eq!((moved.kinds(), moved.toast().0), (vec!["toast", "prompt"], "error"));
    assert!(!project.base().join("outside").exists());
}
