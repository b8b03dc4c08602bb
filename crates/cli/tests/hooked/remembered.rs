//! Sessions of hosts that start a command at each event, as they are remembered and gone on with.

use std::process::Command;

use ralph_store::{Notes, SqliteStore};
use ralph_testkit::Project;
use serde_json::{Value, json};

use super::{Session, answer, context, project, told};

fn read(project: &Project, args: &[&str]) -> Value {
    let ran = project.ralph(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.out).unwrap()
}

fn shown(project: &Project, id: &str) -> Value {
    read(project, &["sessions", "show", id, "--json"])
}

/// Lets this much time pass since the last checkpoint of every session.
fn ages(project: &Project, seconds: i64) {
    let age = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); \
               c.execute('UPDATE sessions SET checkpoint_at = checkpoint_at - '+sys.argv[2]); c.commit()";
    let nanos = (seconds * 1_000_000_000).to_string();
    let aged = Command::new("python3").args(["-c", age]).arg(project.database()).arg(nanos).status();
    assert!(aged.expect("there is a python3").success());
}

fn memory_log(project: &Project) -> Vec<Value> {
    let store = SqliteStore::open_existing(&project.state()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let log = runtime.block_on(store.memory_log(0, 1_000)).unwrap();
    log.into_iter().map(|line| serde_json::to_value(line.event).unwrap()).collect()
}

#[test]
fn nothing_is_remembered_where_ralph_was_never_used() {
    let project = project();
    let session = Session::of(&project, "s-1");
    session.types("hello");
    session.tell("PostToolUse", json!({ "tool_name": "Bash" }));
    assert!(!project.state_home().join("ralph").exists());
}

#[test]
fn what_is_said_and_used_is_remembered_with_and_without_a_loop() {
    let project = project().with("SHOP_API_TOKEN", "s3cr3t-value-1234");
    Session::of(&project, "other").types("/ralph fix it");
    let session = Session::of(&project, "s-1");
    session.tell("SessionStart", json!({ "source": "startup" }));
    assert_eq!(shown(&project, "s-1")["state"], "active");
    session.tell("UserPromptSubmit", json!({ "prompt": "is s3cr3t-value-1234 the key?", "prompt_id": "p1" }));
    session.tell("UserPromptSubmit", json!({ "prompt": "is s3cr3t-value-1234 the key?", "prompt_id": "p1" }));
    session.tell("PostToolUse", json!({ "tool_name": "Read" }));
    session.tell("PostToolUseFailure", json!({ "tool_name": "Bash", "error": "Exit code 3" }));
    session.stops("It is.");
    let seen = shown(&project, "s-1");
    let said: Vec<(&Value, &Value, &Value)> = seen["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["role"], &one["content"], &one["tools"]))
        .collect();
    assert_eq!(said.len(), 2, "{seen}");
    assert_eq!((said[1].1, said[1].2), (&json!("It is."), &json!(["Read", "Bash"])));
    assert!(!seen.to_string().contains("s3cr3t"), "{seen}");
    assert_eq!((&seen["context"]["tool"], &seen["run"]), (&json!("Bash"), &Value::Null));
    session.tell("StopFailure", json!({ "error": "rate_limit" }));
    let failed = shown(&project, "s-1");
    assert_eq!((&failed["state"], &failed["context"]["error"]), (&json!("failed"), &json!("rate_limit")));
    session.tell("SessionEnd", json!({ "reason": "other" }));
    assert_eq!(shown(&project, "s-1")["state"], "completed");
}

#[test]
fn a_session_goes_on_with_what_was_said_and_after_half_an_hour_with_its_task() {
    let project = project();
    let session = Session::of(&project, "s-1");
    session.types("/ralph mend the roof");
    for number in 0..12 {
        session.stops(&format!("step {number}"));
    }
    session.tell("SessionEnd", json!({ "reason": "other" }));
    ages(&project, 29 * 60);
    let kept = session.tell("SessionStart", json!({ "source": "resume" }));
    let text = context(&kept);
    assert!(
        text.contains("Last asked: /ralph mend the roof") && text.contains("A ralph loop lives"),
        "{text}"
    );
    assert!(text.contains("- agent: step 2\n") && text.contains("- agent: step 11"), "{text}");
    assert!(!text.contains("step 1\n"), "the last ten: {text}");
    let now = shown(&project, "s-1");
    assert_eq!(now["state"], "active");
    ages(&project, 31 * 60);
    let anew = session.tell("SessionStart", json!({ "source": "resume" }));
    let text = context(&anew);
    assert!(text.contains("Its task:\n\nmend the roof") && !text.contains("step 11"), "{text}");
    // That was a checkpoint.
    let again = session.tell("SessionStart", json!({ "source": "resume" }));
    assert!(context(&again).contains("step 11"), "{again}");
    let ran = project.ralph(&["sessions", "resume", "s-1"]);
    assert!(ran.out.contains("- agent: step 11") && ran.out.contains("Last asked"), "{}", ran.out);
    let unknown = Session::of(&project, "s-2").tell("SessionStart", json!({ "source": "resume" }));
    assert_eq!(unknown, Value::Null);
}

#[test]
fn a_session_without_a_loop_goes_on_with_what_was_asked_after_half_an_hour() {
    let project = project();
    Session::of(&project, "other").types("/ralph fix it");
    let session = Session::of(&project, "s-1");
    session.types("how old is the roof?");
    ages(&project, 31 * 60);
    let ran = project.ralph(&["sessions", "resume", "s-1"]);
    let told = "which is too long to go by what was said. Last asked: how old is the roof?";
    assert!(ran.out.contains(told), "{}", ran.out);
    let bare = Session::of(&project, "s-2");
    bare.tell("SessionStart", json!({ "source": "startup" }));
    ages(&project, 31 * 60);
    let ran = project.ralph(&["sessions", "resume", "s-2"]);
    assert!(ran.out.contains("what was said. Nothing else is known of it."), "{}", ran.out);
}

#[test]
fn however_long_the_constitution_is_the_task_and_the_promise_are_shown() {
    let project = project();
    let ours = project.tree().join(".ralph");
    std::fs::create_dir_all(&ours).unwrap();
    let constitution = format!("# Task\n\n{}", "Whatever is changed has a test.\n".repeat(375));
    std::fs::write(ours.join("constitution.md"), &constitution).unwrap();
    let session = Session::of(&project, "s-1");
    let begun = session.types("/ralph mend the roof");
    let compacted = session.tell("SessionStart", json!({ "source": "compact" }));
    let word = session.status()["promise"].as_str().unwrap().to_owned();
    for told in [&begun, &compacted] {
        let text = context(told);
        assert_eq!(text.matches("# What holds here").count(), 1, "{text}");
        assert!(text.contains(constitution.trim()), "{text}");
        let shown = &text[..9_000];
        assert!(shown.contains("# Task\n\nmend the roof") && shown.contains(&word), "{shown}");
    }
    session.tell("SessionEnd", json!({ "reason": "other" }));
    ages(&project, 31 * 60);
    let again = session.tell("SessionStart", json!({ "source": "resume" }));
    let text = context(&again);
    assert!(text.starts_with("A ralph loop lives") && text.contains("# What holds here"), "{text}");
}

#[test]
fn a_tool_used_for_a_loop_is_remembered_with_its_run_and_iteration() {
    let project = project().with("SHOP_API_TOKEN", "s3cr3t-value-1234");
    let session = Session::of(&project, "s-1");
    session.types("/ralph fix it --max-iterations 9");
    let run = session.status()["run"].clone();
    let command = "curl -H s3cr3t-value-1234 localhost";
    let failed =
        json!({ "tool_name": "Bash", "tool_input": { "command": command }, "error": "Exit code 7\nno" });
    session.tell("PostToolUseFailure", failed);
    session.stops("one");
    let file = project.tree().join("src/a.rs");
    session.tell("PostToolUse", json!({ "tool_name": "Edit", "tool_input": { "file_path": file } }));
    // That of a session without a loop is none.
    Session::of(&project, "s-2").tell("PostToolUse", json!({ "tool_name": "Bash" }));
    let log: Vec<Value> = memory_log(&project);
    assert_eq!(log.len(), 2, "{log:?}");
    let drafts: Vec<&Value> = log.iter().map(|line| &line["draft"]).collect();
    for (draft, iteration) in drafts.iter().zip([1, 2]) {
        assert_eq!(
            (&draft["source"]["run"], &draft["source"]["iteration"]),
            (&run, &json!(iteration)),
            "{draft}"
        );
        assert_eq!((&draft["source"]["session"], &draft["origin"]), (&json!("s-1"), &json!("tool")));
        assert_eq!(draft["scope"], "task");
    }
    let content = drafts[0]["content"].as_str().unwrap();
    assert!(content.starts_with("Bash: curl -H") && content.contains("exit code 7"), "{content}");
    assert!(!log[0].to_string().contains("s3cr3t"), "{}", log[0]);
    assert_eq!(
        (&drafts[1]["content"], &drafts[1]["files"]),
        (&json!("Edit: src/a.rs"), &json!(["src/a.rs"]))
    );
    // The turn that was judged in between has made a note of the first; a tool's event makes none.
    assert_eq!(project.rows("notes"), 1);
}

#[test]
fn an_agent_that_is_driven_from_outside_is_not_remembered_as_a_session() {
    let project = project();
    Session::of(&project, "s-1").types("/ralph fix it");
    let run = Session::of(&project, "s-1").status()["run"].as_str().unwrap().to_owned();
    let driven = Session::of(&project, "s-2");
    let mut command = project.command(&["hook", "claude"]);
    command.env("RALPH_RUN", &run);
    driven.tell_with(command, "PostToolUse", json!({ "tool_name": "Bash" }));
    assert_eq!(project.ralph(&["sessions", "show", "s-2"]).code, Some(2));
}

#[test]
fn the_other_hosts_are_remembered_as_well() {
    let project = project();
    Session::of(&project, "s-0").types("/ralph fix it");
    let told_by = |host: &str, event: &Value| {
        let out = told(project.command(&["hook", host]), event.to_string().as_bytes());
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        answer(&out)
    };
    for (host, prompt, tool, stop) in [
        ("codex", "UserPromptSubmit", "PostToolUse", "Stop"),
        ("gemini", "BeforeAgent", "AfterTool", "AfterAgent"),
        ("qwen", "UserPromptSubmit", "PostToolUse", "Stop"),
    ] {
        let id = format!("s-{host}");
        let event = |name: &str| {
            json!({ "session_id": id, "hook_event_name": name, "cwd": project.tree(),
            "prompt": "go", "tool_name": "Shell", "last_assistant_message": "done" })
        };
        for name in [prompt, tool, stop] {
            told_by(host, &event(name));
        }
        let seen = shown(&project, &id);
        assert_eq!((&seen["host"], &seen["messages"][0]["content"]), (&json!(host), &json!("go")), "{seen}");
        assert_eq!(seen["messages"][1]["tools"], json!(["Shell"]), "{seen}");
    }
}
