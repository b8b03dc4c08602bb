//! Sessions are remembered, with a loop and without, and gone on with.

use ralph_testkit::{Project, Ran};
use serde_json::{Value, json};

use super::{Session, project};

fn sessions(project: &Project, args: &[&str]) -> Ran {
    project.ralph(&[&["sessions"], args].concat())
}

fn read(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn a_session_is_listed_shown_and_resumed() {
    let project = project().with("SHOP_API_TOKEN", "s3cr3t-value-1234");
    let (looping, other) = (Session::of(&project, "ses_1"), Session::of(&project, "ses_2"));
    looping.command("fix the shop");
    other.tell("message", json!({ "message": { "id": "m1", "text": "is s3cr3t-value-1234 the key?" } }));
    other.tell("tool", json!({ "tool": "bash" }));
    other.idle("m2", "It is.");
    other.idle("m2", "It is.");
    looping.error("ApiError");
    let listed = read(&sessions(&project, &["list", "--json"]));
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|one| &one["session"]).collect();
    assert_eq!(names, ["ses_1", "ses_2"], "the one seen last first");
    assert_eq!((&listed[0]["state"], &listed[0]["mode"]), (&json!("failed"), &json!("agent")));
    assert_eq!(listed[0]["run"], looping.status()["run"]);
    assert_eq!((&listed[1]["state"], &listed[1]["run"]), (&json!("active"), &Value::Null));
    assert_eq!(listed[1]["context"]["tool"], "bash");
    let shown = read(&sessions(&project, &["show", "ses_2", "--json"]));
    let said: Vec<&Value> = shown["messages"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
    assert_eq!(said, ["user", "assistant"]);
    assert!(!shown.to_string().contains("s3cr3t"), "{shown}");
    let resumed = read(&sessions(&project, &["resume", "ses_1", "--json"]));
    assert_eq!((&resumed["hydration"], &resumed["state"]), (&json!("kept"), &json!("active")));
    assert_eq!(resumed["messages"][0]["content"], "/ralph fix the shop");
    assert_eq!(resumed["task"]["body"], "fix the shop");
    assert_eq!(read(&sessions(&project, &["show", "ses_1", "--json"]))["state"], "active");
    let told = sessions(&project, &["list"]);
    assert!(told.out.contains("ses_2") && told.out.contains("active"), "{}", told.out);
}

#[test]
fn an_unknown_session_and_a_name_of_several_are_told() {
    let project = project();
    let fresh = sessions(&project, &["list"]);
    assert_eq!((fresh.code, fresh.err.contains("`ralph install HOST`")), (Some(4), true), "{fresh:?}");
    Session::of(&project, "ses_1").command("fix it");
    Session::of(&project, "ses_2").tell("tool", json!({ "tool": "bash" }));
    for action in ["show", "resume"] {
        let unknown = sessions(&project, &[action, "ses_9"]);
        assert_eq!(unknown.code, Some(2));
        assert!(unknown.err.contains("no session `ses_9` was seen here"), "{}", unknown.err);
        let several = sessions(&project, &[action, "ses_"]);
        assert!(several.err.contains("several sessions"), "{}", several.err);
    }
}

#[test]
fn what_nobody_asked_ralph_about_makes_no_store() {
    let project = project();
    Session::of(&project, "ses_1").tell("tool", json!({ "tool": "bash" }));
    assert!(!project.state_home().join("ralph/projects").exists());
}
