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
    assert_eq!(first.toast(), ("info", "ralph: loop started"));
    assert!(first.get("toast")["message"].as_str().unwrap().contains("at most 2 iterations"), "{first:?}");
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
    let last = project.tree().join(".opencode/sessions/ses_2/ralph_summary.md");
    assert_eq!(fs::read_to_string(last).unwrap(), "<promise>FERTIG</promise>");
}

#[test]
fn it_is_found_upwards_to_the_root_of_the_repository_and_no_further() {
    let project = project();
    let deep = project.tree().join("a/b");
    fs::create_dir_all(deep.join(".opencode")).unwrap();
    fs::create_dir_all(project.tree().join("a/.git")).unwrap();
    let first = |id: &str| {
        let more = json!({ "message": { "text": "port it" }, "first": true, "directory": deep });
        Session::of(&project, id).tell("message", more).kinds().len()
    };
    fs::write(project.tree().join("opencode.json"), KEY).unwrap();
    assert_eq!(first("ses_1"), 0, "above the repository");
    fs::write(project.tree().join("a/opencode.jsonc"), KEY).unwrap();
    assert_eq!(first("ses_2"), 2);
    let user = project.base().join("config/opencode");
    fs::create_dir_all(&user).unwrap();
    fs::remove_file(project.tree().join("a/opencode.jsonc")).unwrap();
    fs::write(user.join("opencode.json"), KEY).unwrap();
    assert_eq!(first("ses_3"), 2, "the user's own");
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
    assert_eq!(begin(&session, json!({ "maxRetries": 2 }), true), 2);
    session.idle("m1", "one");
    session.tell("replaced", json!({ "replaced_by": "ses_2", "summary": "s" }));
    assert_eq!(Session::of(&project, "ses_2").idle("m2", "two").toast(), ("warning", "ralph: limit reached"));
    let calm = Session::of(&project, "ses_3");
    assert_eq!(begin(&calm, json!({ "autoRestart": false }), true), 2);
    assert_eq!(calm.idle("m1", "one").kinds(), ["toast"]);
    assert_eq!(calm.stands(), (1, "max_iterations".to_owned()));
    // Without a retry, the first turn without the word is the last.
    let once = Session::of(&project, "ses_4");
    assert_eq!(begin(&once, json!({ "maxRetries": 0 }), true), 2);
    assert_eq!(once.idle("m1", "one").toast(), ("warning", "ralph: limit reached"));
    assert_eq!(once.stands(), (1, "max_iterations".to_owned()));
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
