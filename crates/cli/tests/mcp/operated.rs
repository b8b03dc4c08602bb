//! An operator's loops, runs and controls.

use std::fs;

use ralph_testkit::{PATIENCE, until};
use serde_json::{Value, json};

use crate::{call, is_error, list, names, play, project, text};

const TOOLS: [&str; 11] = [
    "loop_start",
    "loop_cancel",
    "loop_state",
    "loop_is_active",
    "runs",
    "status",
    "stop",
    "pause",
    "resume",
    "steer",
    "skip",
];

fn data(answer: &Value) -> &Value {
    assert!(!is_error(answer), "{}", text(answer));
    &answer["structuredContent"]
}

#[test]
fn a_loop_is_started_looked_at_and_cancelled() {
    let project = project();
    let seat = json!({ "session": "ses_1" });
    let start = json!({
        "session": "ses_1", "prompt": "Fix it", "max_iterations": 7, "criteria": ["custom=test -e made.txt"],
        "strategy": "reset", "completion_promise": "READY", "no_nonce": true, "description": "the fix"
    });
    let answers = play(
        &project,
        &["mcp", "--operator"],
        &[
            list(),
            call("loop_is_active", seat.clone()),
            call("loop_start", start.clone()),
            call("loop_is_active", seat.clone()),
            call("loop_start", start),
            call("loop_state", seat.clone()),
            call("loop_state", json!({})),
            call("loop_state", json!({ "session": "ses_2" })),
            call("loop_is_active", json!({ "session": "ses_1", "host": "claude" })),
            call("loop_cancel", seat.clone()),
            call("loop_cancel", seat),
        ],
    );
    assert_eq!(names(&answers[0]), TOOLS);
    assert_eq!(data(&answers[1])["active"], false);
    assert_eq!(data(&answers[2])["started"], true);
    assert_eq!(data(&answers[3])["active"], true);
    assert_eq!(data(&answers[4])["started"], false);
    let state = &data(&answers[5])["loop"];
    assert_eq!((&state["description"], &state["promise"]), (&json!("the fix"), &json!("READY")));
    assert_eq!((&state["max_iterations"], &state["host_session"]), (&json!(7), &json!("ses_1")));
    assert_eq!(state["criteria"].as_array().unwrap().len(), 1);
    assert_eq!(data(&answers[6])["loop"]["run"], state["run"]);
    assert_eq!(data(&answers[7])["loop"], Value::Null);
    assert_eq!(data(&answers[8])["active"], false);
    assert_eq!(data(&answers[9])["cancelled"], true);
    assert_eq!(data(&answers[10])["cancelled"], false);
}

/// An event as Claude Code tells it.
fn told(project: &ralph_testkit::Project, session: &str) {
    use std::io::Write;
    let event = json!({ "session_id": session, "hook_event_name": "SessionStart", "cwd": project.tree() });
    let mut hook = project.command(&["hook", "claude"]);
    let mut hook =
        hook.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    assert!(hook.wait().unwrap().success());
}

#[test]
fn a_loop_that_names_no_host_is_found_whichever_host_it_falls_to() {
    let project = project();
    let seat = || json!({ "session": "s-1" });
    let of_claude = || json!({ "session": "s-1", "host": "claude" });
    let start = json!({ "session": "s-1", "prompt": "Fix it" });
    let before = play(
        &project,
        &["mcp", "--operator"],
        &[call("loop_start", start), call("loop_state", seat()), call("loop_is_active", of_claude())],
    );
    assert_eq!(
        (data(&before[0])["started"].clone(), &data(&before[1])["loop"]["host"]),
        (json!(true), &Value::Null)
    );
    assert_eq!(data(&before[2])["active"], false);
    told(&project, "s-1");
    let after = play(
        &project,
        &["mcp", "--operator"],
        &[
            call("loop_state", seat()),
            call("loop_state", json!({})),
            call("loop_is_active", of_claude()),
            call("loop_is_active", json!({ "session": "s-1", "host": "opencode" })),
            call("loop_cancel", seat()),
            call("loop_is_active", of_claude()),
        ],
    );
    for state in &after[..2] {
        assert_eq!(data(state)["loop"]["host"], "claude");
    }
    let active: Vec<&Value> = [2, 3, 5].map(|at| &data(&after[at])["active"]).into();
    assert_eq!(active, [&json!(true), &json!(false), &json!(false)]);
    assert_eq!(data(&after[4])["cancelled"], true);
}

#[test]
fn a_run_is_looked_at_and_controlled() {
    let project = project().agent("cat > /dev/null\nuntil [ -e ../go ]; do sleep 0.05; done");
    let mut live = project.start(&["run", "Wait for it", "--max-iterations", "9"]);
    let id = until(PATIENCE, "a run", || project.run_id());
    until(PATIENCE, "its agent", || (project.status()?["doing"]["at"] == "attempt").then_some(()));
    let answers = play(
        &project,
        &["mcp", "--operator"],
        &[
            call("runs", json!({})),
            call("status", json!({ "run": id })),
            call("steer", json!({ "text": "Mind the gap." })),
            call("skip", json!({})),
            call("skip", json!({ "task": "no such/../id" })),
            call("pause", json!({})),
            call("resume", json!({})),
            call("stop", json!({ "run": "zzzz" })),
            call("stop", json!({})),
        ],
    );
    assert_eq!(data(&answers[0])["runs"][0]["run"], json!(id));
    assert_eq!(data(&answers[1])["alive"], true);
    assert_eq!(text(&answers[2]), format!("run {id} says so in its next brief"));
    for refused in [3, 4, 7] {
        assert!(is_error(&answers[refused]), "{}", answers[refused]);
    }
    for done in [5, 6, 8] {
        assert!(!is_error(&answers[done]), "{}", answers[done]);
    }
    fs::write(project.base().join("go"), "").unwrap();
    let ran = live.end(PATIENCE);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let asked = project.journal();
    let controls: Vec<&str> = asked.iter().filter_map(|entry| entry["control"].as_str()).collect();
    assert_eq!(controls, ["steer", "pause", "resume", "stop"]);
    let after = play(&project, &["mcp", "--operator"], &[call("resume", json!({})), call("stop", json!({}))]);
    assert!(is_error(&after[0]) && text(&after[0]).contains("no process drives this run"), "{}", after[0]);
}

#[test]
fn no_role_reaches_the_tools_of_the_other() {
    let project = project();
    let of_agents = ["task_complete", "ask", "task"];
    for (args, others) in [(&["mcp"][..], &TOOLS[..]), (&["mcp", "--operator"], &of_agents)] {
        let steps: Vec<Value> =
            others.iter().map(|name| call(name, json!({ "session": "s", "prompt": "p" }))).collect();
        for (name, answer) in others.iter().zip(play(&project, args, &steps)) {
            assert_eq!(answer["refused"]["code"], -32602, "{name}: {answer}");
        }
    }
    let driven = project.with("RALPH_RUN", "1nfp5fwmjrxv");
    let refused = driven.ralph(&["mcp", "--operator"]);
    assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""));
    assert!(refused.err.contains("an agent that ralph drives is no operator"), "{}", refused.err);
}

#[test]
fn a_host_that_there_is_not_has_no_loop_to_cancel_or_to_look_at() {
    let project = project();
    let seat = json!({ "session": "s-1", "host": "cluade" });
    let asked =
        [call("loop_cancel", seat.clone()), call("loop_state", seat.clone()), call("loop_is_active", seat)];
    for answer in play(&project, &["mcp", "--operator"], &asked) {
        assert!(is_error(&answer) && text(&answer).contains("did you mean `claude`?"), "{answer}");
    }
}

#[test]
fn where_there_is_no_run_an_operator_hears_what_there_is_instead() {
    let project = project();
    let nothing = play(&project, &["mcp", "--operator"], &[call("runs", json!({}))]);
    assert_eq!(data(&nothing[0])["runs"], json!([]));
    let start = json!({ "session": "s-1", "host": "claude", "prompt": "Fix it" });
    let answers = play(
        &project,
        &["mcp", "--operator"],
        &[call("loop_start", start), call("status", json!({})), call("pause", json!({}))],
    );
    let run = data(&answers[0])["loop"]["run"].as_str().unwrap().to_owned();
    for answer in &answers[1..] {
        let hint = format!("name the loop in session s-1 of claude: {run}");
        assert!(is_error(answer) && text(answer).contains(&hint), "{answer}");
    }
    let after = play(
        &project,
        &["mcp", "--operator"],
        &[call("stop", json!({ "run": run })), call("resume", json!({ "run": run }))],
    );
    assert!(!is_error(&after[0]), "{}", after[0]);
    let told = text(&after[1]);
    assert!(is_error(&after[1]) && told.contains("has ended") && told.contains("loop_start"), "{told}");
    assert!(!told.contains("ralph resume"), "{told}");
}
