//! `ralph mcp` in a person's own session of a host, with a loop of ralph's in it.

use std::io::Write;
use std::process::Stdio;

use ralph_testkit::Project;
use serde_json::{Value, json};

use crate::{call, is_error, play, project, text};

const CLAUDE: &str = "CLAUDE_CODE_SESSION_ID";

/// Something happens in a session of a host, told as that host does.
fn told(project: &Project, host: &str, session: &str, event: &str, more: Value) -> Value {
    let mut told = json!({ "session_id": session, "hook_event_name": event, "cwd": project.tree() });
    for (key, value) in more.as_object().unwrap() {
        told[key] = value.clone();
    }
    let mut hook = project.command(&["hook", host, "--within", "60"]);
    let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(told.to_string().as_bytes()).unwrap();
    let out = hook.wait_with_output().unwrap();
    assert!(out.status.success());
    serde_json::from_slice(&out.stdout).unwrap_or(Value::Null)
}

/// A loop that ends when the tool is called, in a session of a host.
fn looping(host: &str, prompts: &str, sessions: &[&str]) -> Project {
    let project = project();
    std::fs::write(project.user_config(), "[completion]\nrequire = [\"tool\"]\n").unwrap();
    for session in sessions {
        told(
            &project,
            host,
            session,
            prompts,
            json!({ "prompt": format!("/ralph mend the roof of {session}") }),
        );
    }
    project
}

fn status(project: &Project, session: &str) -> Value {
    let ran = project.ralph(&["loop", "status", "--session", session, "--json"]);
    serde_json::from_str(&ran.out).unwrap_or(Value::Null)
}

fn steps(meta: &Value) -> Vec<Value> {
    let step = |name: &str, arguments: Value| {
        let mut step = call(name, arguments);
        if !meta.is_null() {
            step["meta"] = meta.clone();
        }
        step
    };
    vec![
        step("task", json!({})),
        step("remember", json!({ "kind": "discovery", "content": "the roof leaks in the north" })),
        step("memory_search", json!({ "query": "roof leaks" })),
        step("ask", json!({ "question": "Which tiles?" })),
        step("task_complete", json!({ "summary": "it is mended" })),
    ]
}

fn answers_for_its_session(project: &Project, host: &str, stops: &str, answers: &[Value]) {
    for answer in answers {
        assert!(!is_error(answer), "{host}: {answer}");
    }
    let task = &answers[0]["structuredContent"];
    let run = status(project, "s-1")["run"].clone();
    assert_eq!((&task["run"], &task["body"]), (&run, &json!("mend the roof of s-1")), "{host}");
    assert_eq!((&task["iteration"], &task["require"]), (&json!(1), &json!(["tool"])), "{host}");
    assert!(text(&answers[1]).contains("It is remembered as"), "{host}: {}", text(&answers[1]));
    assert!(text(&answers[2]).contains("the roof leaks in the north"), "{host}: {}", text(&answers[2]));
    let left = project.ralph(&["memory", "search", "roof leaks", "--scope", "all", "--json"]);
    let left: Value = serde_json::from_str(&left.out).unwrap();
    let note = &left["results"][0]["note"];
    assert_eq!((&note["source"]["run"], &note["source"]["iteration"]), (&run, &json!(1)), "{host}");
    assert_eq!(note["scope"]["scope"].as_str().or(note["scope"].as_str()), Some("task"), "{host}: {note}");
    // A server's word alone moves nothing: only the host knows whose session it was.
    told(project, host, "s-1", stops, json!({ "last_assistant_message": "one" }));
    assert_eq!(status(project, "s-1")["iteration"], 2, "{host}");
    let used =
        json!({ "tool_name": "mcp__ralph__task_complete", "tool_input": {}, "tool_response": answers[4] });
    told(project, host, "s-1", "PostToolUse", used);
    told(project, host, "s-1", stops, json!({ "last_assistant_message": "two" }));
    assert_eq!(status(project, "s-1")["stop_reason"], "completed", "{host}");
    assert_eq!(status(project, "s-2")["stop_reason"], Value::Null, "{host}");
}

#[test]
fn in_claude_code_the_session_that_the_server_was_started_for_has_its_task() {
    let project = looping("claude", "UserPromptSubmit", &["s-1", "s-2"]).with(CLAUDE, "s-1");
    let answers = play(&project, &["mcp"], &steps(&Value::Null));
    answers_for_its_session(&project, "claude", "Stop", &answers);
}

#[test]
fn in_codex_the_session_that_is_named_with_the_call_has_its_task() {
    let project = looping("codex", "UserPromptSubmit", &["s-1", "s-2"]);
    let answers = play(&project, &["mcp"], &steps(&json!({ "sessionId": "s-1" })));
    answers_for_its_session(&project, "codex", "Stop", &answers);
}

fn refused(answers: &[Value], why: &str) {
    for at in [0, 1, 3, 4] {
        assert!(is_error(&answers[at]) && text(&answers[at]).contains(why), "{at}: {}", answers[at]);
    }
    assert!(!is_error(&answers[2]) && !text(&answers[2]).contains("north"), "{}", answers[2]);
}

#[test]
fn a_session_without_a_loop_or_with_a_name_that_is_none_gets_a_sentence() {
    let mut project = looping("claude", "UserPromptSubmit", &["s-1"]);
    told(&project, "codex", "c-1", "UserPromptSubmit", json!({ "prompt": "/ralph mend it" }));
    // One that waits for its host is nobody's before a host presents it.
    assert_eq!(project.ralph(&["loop", "start", "--session", "s-3", "--", "wait"]).code, Some(0));
    for named in ["s-2", "s-3", "c-1", "", "../s-1", "a b"] {
        project = project.with(CLAUDE, named);
        refused(&play(&project, &["mcp"], &steps(&Value::Null)), "no task of ralph");
    }
    for named in [json!("s-1"), json!("c-2"), json!(""), json!("x/../y"), json!(7), json!(["c-1"])] {
        refused(&play(&project, &["mcp"], &steps(&json!({ "sessionId": named }))), "no task of ralph");
    }
    assert_eq!(status(&project, "s-3")["host"], Value::Null);
    assert_eq!(
        (&status(&project, "s-1")["iteration"], &status(&project, "c-1")["iteration"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_server_that_outlives_its_session_leaves_it_to_the_host_whose_word_it_is() {
    let project = looping("claude", "UserPromptSubmit", &["s-1"]).with(CLAUDE, "s-1");
    assert!(!is_error(&play(&project, &["mcp"], &steps(&Value::Null)[..1])[0]));
    told(&project, "claude", "s-1", "SessionEnd", json!({ "reason": "resume" }));
    let answers = play(&project, &["mcp"], &steps(&Value::Null));
    for at in [0, 1] {
        assert!(is_error(&answers[at]) && text(&answers[at]).contains("does not tell"), "{}", answers[at]);
    }
    for at in [3, 4] {
        assert!(text(&answers[at]).contains("if a ralph loop lives in yours"), "{}", answers[at]);
    }
    told(&project, "claude", "s-1", "SessionStart", json!({ "source": "resume" }));
    assert!(!is_error(&play(&project, &["mcp"], &steps(&Value::Null)[..1])[0]));
    assert_eq!(project.ralph(&["loop", "cancel", "--session", "s-1"]).code, Some(0));
    told(&project, "claude", "s-1", "SessionEnd", json!({ "reason": "clear" }));
    refused(&play(&project, &["mcp"], &steps(&Value::Null)), "is over");
}

#[test]
fn where_a_host_names_no_session_its_event_alone_says_whose_word_it_is() {
    let project = looping("gemini", "BeforeAgent", &["s-1", "s-2"]);
    let answers = play(&project, &["mcp"], &steps(&Value::Null));
    for at in [0, 1] {
        let told = text(&answers[at]);
        assert!(
            is_error(&answers[at]) && told.contains("does not tell this server which of its sessions"),
            "{told}"
        );
    }
    for at in [3, 4] {
        assert!(
            !is_error(&answers[at]) && text(&answers[at]).contains("if a ralph loop lives in yours"),
            "{at}"
        );
    }
    let used =
        json!({ "tool_name": "mcp_ralph_task_complete", "tool_input": {}, "tool_response": answers[4] });
    told(&project, "gemini", "s-1", "AfterTool", used);
    for session in ["s-1", "s-2"] {
        told(&project, "gemini", session, "AfterAgent", json!({ "timestamp": "a" }));
    }
    assert_eq!(status(&project, "s-1")["stop_reason"], "completed");
    assert_eq!(
        (&status(&project, "s-2")["iteration"], &status(&project, "s-2")["stop_reason"]),
        (&json!(2), &Value::Null)
    );
}

#[test]
fn an_agent_that_ralph_drives_has_no_task_of_a_session() {
    let project = looping("claude", "UserPromptSubmit", &["s-1"]).with(CLAUDE, "s-1");
    let project = project.with("RALPH_RUN", "1nfp5fwmjrxv");
    let answers = play(&project, &["mcp"], &steps(&Value::Null)[..1]);
    assert!(is_error(&answers[0]) && text(&answers[0]).contains("no task of ralph"), "{}", answers[0]);
}

#[test]
fn an_agent_that_asks_is_told_whether_anybody_is_waited_for() {
    for (config, said) in [
        ("", "nobody is waited for"),
        ("[agent]\nanswer_deadline = \"10m\"\n", "the answer comes with your next brief"),
    ] {
        let project = project().with(CLAUDE, "s-1");
        std::fs::write(project.user_config(), config).unwrap();
        told(&project, "claude", "s-1", "UserPromptSubmit", json!({ "prompt": "/ralph mend the roof" }));
        let answers = play(&project, &["mcp"], &[call("ask", json!({ "question": "Which tiles?" }))]);
        assert!(text(&answers[0]).contains(said), "{config}: {}", text(&answers[0]));
    }
}
