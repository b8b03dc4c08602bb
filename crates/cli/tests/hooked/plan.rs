//! A session in plan mode: its agent may only plan, so nothing is judged and no loop goes on.

use serde_json::{Value, json};

use super::{Session, context, note, project, reason};

#[test]
fn a_turn_in_plan_mode_is_not_judged_and_does_not_move_the_loop() {
    let project = project();
    let witness = project.tree().join("checked");
    let check = format!("[[check]]\nname = \"c\"\ncommand = \"echo x >> {}; false\"\n", witness.display());
    std::fs::write(project.user_config(), check).unwrap();
    let checked = || std::fs::read_to_string(&witness).unwrap_or_default().lines().count();
    let session = Session::of(&project, "s-1");
    session.types("/ralph fix it");
    let before = checked();
    let planned = json!({ "last_assistant_message": session.promise(), "permission_mode": "plan" });
    let told = session.tell("Stop", planned);
    assert!(reason(&told).is_empty() && note(&told).contains("plan mode"), "{told}");
    assert_eq!((session.stands(), checked()), ((1, "running".to_owned()), before));
    let listed = project.ralph(&["sessions", "list"]).out;
    assert!(listed.contains("plans"), "{listed}");
    // Who plans with the agent takes nothing over.
    let said = json!({ "prompt": "and the roof?", "permission_mode": "plan" });
    assert_eq!(session.tell("UserPromptSubmit", said), Value::Null);
    assert_eq!(session.stands(), (1, "running".to_owned()));
    assert!(context(&session.types("do it")).contains("fix it"));
    assert!(!project.ralph(&["sessions", "list"]).out.contains("plans"));
    assert!(reason(&session.stops("done")).contains("This is iteration 2"));
    assert_eq!(checked(), before + 1);
}

#[test]
fn no_loop_begins_in_plan_mode() {
    let project = project();
    let session = Session::of(&project, "s-1");
    let told =
        session.tell("UserPromptSubmit", json!({ "prompt": "/ralph fix it", "permission_mode": "plan" }));
    assert!(reason(&told).contains("plan mode"), "{told}");
    assert_eq!(session.stands(), (0, "none".to_owned()));
    let status =
        session.tell("UserPromptSubmit", json!({ "prompt": "/ralph status", "permission_mode": "plan" }));
    assert!(reason(&status).contains("No ralph loop"), "{status}");
}
