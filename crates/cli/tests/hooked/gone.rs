//! Loops whose session does not exist any more.

use serde_json::json;

use super::{Session, project};

#[test]
fn a_loop_is_cleared_when_the_file_of_its_session_was_deleted_and_not_before() {
    let project = project();
    let orphan = Session::of(&project, "s-1");
    orphan.types("/ralph fix it");
    let other = Session::of(&project, "s-2");
    other.stops("x");
    // It was never seen to be there, so nothing is known.
    assert_eq!(orphan.stands(), (1, "running".to_owned()));
    orphan.write(&json!({ "type": "user" }));
    orphan.tell("PostToolUse", json!({ "tool_name": "Bash" }));
    other.stops("y");
    assert_eq!(orphan.stands(), (1, "running".to_owned()));
    std::fs::remove_file(orphan.transcript()).unwrap();
    // Only the end of a turn and the beginning of a session look.
    other.tell("PostToolUse", json!({ "tool_name": "Bash" }));
    assert_eq!(orphan.stands(), (1, "running".to_owned()));
    other.stops("z");
    assert_eq!(orphan.stands(), (1, "aborted".to_owned()));
}

#[test]
fn what_cannot_be_looked_at_is_left_alone() {
    let project = project();
    let away = project.base().join("away");
    std::fs::create_dir(&away).unwrap();
    let path = away.join("t.jsonl");
    std::fs::write(&path, "").unwrap();
    let orphan = Session::of(&project, "s-1");
    orphan.types("/ralph fix it");
    orphan.tell("PostToolUse", json!({ "tool_name": "Bash", "transcript_path": path }));
    // A disk that is not there takes the folder with it.
    std::fs::remove_dir_all(&away).unwrap();
    Session::of(&project, "s-2").tell("SessionStart", json!({ "source": "startup" }));
    assert_eq!(orphan.stands(), (1, "running".to_owned()));
}

#[test]
fn hosts_that_may_move_their_files_are_not_asked() {
    let project = project();
    let path = project.base().join("rollout.jsonl");
    std::fs::write(&path, "").unwrap();
    let tell = |id: &str, name: &str| {
        let event = json!({ "session_id": id, "hook_event_name": name, "cwd": project.tree(),
            "transcript_path": path, "prompt": "/ralph fix it", "last_assistant_message": "x" });
        let out = super::told(project.command(&["hook", "codex"]), event.to_string().as_bytes());
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    };
    tell("s-1", "UserPromptSubmit");
    std::fs::remove_file(&path).unwrap();
    tell("s-2", "Stop");
    let ran = project.ralph(&["loop", "status", "--host", "codex", "--session", "s-1"]);
    assert!(ran.out.contains("running"), "{ran:?}");
}
