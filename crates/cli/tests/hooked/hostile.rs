//! Whatever comes in, no host is harmed: never exit 2, never a block, never a panic, and one line that says why.

use serde_json::{Value, json};

use super::{Session, project, told};

type Case = (String, Vec<u8>);

/// Fields that a prompt or a turn may have in any shape: answered or not, but never with harm.
fn odd(session: &Session<'_>) -> Vec<Case> {
    let shapes = || {
        let long = json!("x".repeat(1 << 20));
        let deep =
            serde_json::from_str::<Value>(&format!("{}1{}", "[".repeat(100), "]".repeat(100))).unwrap();
        vec![
            json!(null),
            json!(7),
            json!(""),
            json!([]),
            json!({}),
            json!("\0\u{1b}[2J"),
            long,
            deep,
            json!("/"),
            json!("//"),
        ]
    };
    let mut cases = Vec::new();
    for event in ["Stop", "SubagentStop", "PreCompact", "PostToolUse"] {
        let fields = [
            "last_assistant_message",
            "transcript_path",
            "tool_name",
            "agent_id",
            "timestamp",
            "stop_hook_active",
            "trigger",
            "effort",
        ];
        for field in fields {
            for shape in shapes() {
                let told = session.event(event, json!({ field: shape })).to_string();
                cases.push((format!("{event}.{field}"), told.into_bytes()));
            }
        }
    }
    for path in ["/dev/zero", "/dev/stdin", "/proc/self/mem", "/", "/etc/shadow", "/dev/tty"] {
        let told = session.event("Stop", json!({ "transcript_path": path })).to_string();
        cases.push(("transcript".to_owned(), told.into_bytes()));
    }
    cases
}

#[test]
fn fields_in_any_shape_are_answered_or_not_but_never_with_harm() {
    let project = project();
    let living = Session::of(&project, "ses-1");
    living.types("/ralph fix it --max-iterations 100000");
    // Of a session without a loop, so that none of it can be right.
    for (class, case) in odd(&Session::of(&project, "ses-2")) {
        let out = told(project.command(&["hook", "claude", "--within", "60"]), &case);
        assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(0), &b""[..]), "{class}");
    }
    assert_eq!(living.stands(), (1, "running".to_owned()));
    for (class, case) in odd(&living) {
        let out = told(project.command(&["hook", "claude", "--within", "60"]), &case);
        assert_eq!(out.status.code(), Some(0), "{class}: {}", String::from_utf8_lossy(&out.stderr));
        assert!(!String::from_utf8_lossy(&out.stderr).contains("panicked"), "{class}");
    }
}

#[test]
fn arguments_that_are_none_stop_no_host() {
    let project = project();
    for rest in [&["--within"][..], &["--within", "x"], &["--within", "-1"], &["what", "--else"]] {
        let args: Vec<&str> = ["hook", "claude"].into_iter().chain(rest.iter().copied()).collect();
        assert_eq!(told(project.command(&args), b"{}").status.code(), Some(1), "{rest:?}");
    }
}

#[test]
fn a_store_that_cannot_be_read_stops_no_host() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    std::fs::write(project.database(), "not a database at all, but longer than a header of one would be")
        .unwrap();
    for event in ["Stop", "UserPromptSubmit", "SessionStart", "PostToolUse", "SessionEnd"] {
        let event = session.event(event, json!({ "prompt": "x" })).to_string();
        let out = told(project.command(&["hook", "claude"]), event.as_bytes());
        assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]));
        assert_eq!(String::from_utf8_lossy(&out.stderr).lines().count(), 1);
    }
}
