//! An agent that ralph drives, and what it says by ralph's tools.

use std::fs;

use ralph_testkit::{Project, Ran};
use serde_json::{Value, json};

use crate::{answers, call, client, is_error, list, names, project, script, text};

/// An agent that plays the steps of its iteration; `early` begins before them, with what the first one was told.
pub(crate) fn agent(project: &Project, iterations: &[&[Value]], early: &str) {
    for (at, steps) in iterations.iter().enumerate() {
        fs::write(project.base().join(format!("steps.{}", at + 1)), script(&["mcp"], steps)).unwrap();
    }
    let player = client().command("");
    let played: Vec<String> = player
        .get_args()
        .map(|arg| format!("'{}'", arg.to_string_lossy().replace('\'', r"'\''")))
        .filter(|arg| arg != "''")
        .collect();
    let (_, modules) = player.get_envs().find(|(name, _)| *name == "NODE_PATH").unwrap();
    let agent = project.script(
        "agent.sh",
        &format!(
            "cat > /dev/null\nbeside=${{0%/*}}\n{early}\nexport NODE_PATH='{}'\n\
             node {} \"$(cat \"$beside/steps.$RALPH_ITERATION\")\" > \"$beside/answers.$RALPH_ITERATION\" || exit 9\n\
             echo \"It is iteration $RALPH_ITERATION.\"",
            modules.unwrap().to_string_lossy(),
            played.join(" ")
        ),
    );
    let entry = json!({ "program": agent, "args": ["{mcp}"], "mcp": ["--given={command} {run} {mailbox}"] });
    let fields = entry.as_object().unwrap().iter().map(|(key, value)| format!("{key} = {value}\n"));
    fs::write(project.user_config(), format!("[agents.scripted]\n{}", fields.collect::<String>())).unwrap();
}

pub(crate) fn run(project: &Project, iterations: &str) -> Ran {
    let args = ["run", "Make it\nwith care", "--agent", "scripted", "--require", "tool", "--json"];
    project.ralph(&[&args[..], &["--max-iterations", iterations]].concat())
}

pub(crate) fn answered(project: &Project, iteration: u32) -> (Value, Vec<Value>) {
    answers(&fs::read(project.base().join(format!("answers.{iteration}"))).unwrap())
}

#[test]
fn an_agent_looks_at_its_task_asks_and_says_that_it_is_done() {
    let project = project();
    let first = [list(), call("task", json!({})), call("ask", json!({ "question": "Which port is it?" }))];
    let second = [call("task", json!({})), call("task_complete", json!({ "summary": "made" }))];
    agent(&project, &[&first, &second], "");
    let ran = run(&project, "3");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let status = project.status().unwrap();
    assert_eq!((&status["iteration"], &status["stop_reason"]), (&json!(2), &json!("completed")));
    let (server, first) = answered(&project, 1);
    assert_eq!((&server["name"], &server["version"]), (&json!("ralph"), &json!(env!("CARGO_PKG_VERSION"))));
    assert_eq!(names(&first[0])[..3], ["task_complete", "ask", "task"]);
    let task = &first[1]["structuredContent"];
    assert_eq!((&task["title"], &task["body"]), (&json!("Make it"), &json!("Make it\nwith care")));
    assert_eq!((&task["iteration"], &task["tried"]), (&json!(1), &json!([])));
    assert_eq!(task["require"], json!(["tool"]));
    assert!(!is_error(&first[2]), "{}", text(&first[2]));
    let inbox = project.ralph(&["inbox", "--all", "--json"]);
    assert!(inbox.out.contains("Which port is it?"), "{}", inbox.out);
    let (_, second) = answered(&project, 2);
    assert_eq!(second[0]["structuredContent"]["tried"].as_array().unwrap().len(), 1);
    assert!(!is_error(&second[1]), "{}", text(&second[1]));
    assert!(ran.out.contains("the agent called `task_complete`: made"), "{}", ran.out);
}

#[test]
fn no_call_counts_that_failed_or_that_is_not_of_this_attempt() {
    let project = project();
    let failed = [
        call("task_complete", json!({ "done": true })),
        call("task_complete", json!({ "summary": "x".repeat(9_000) })),
        call("task_complete", json!({ "summary": 7 })),
    ];
    let stale = [call("task_complete", json!({})), call("task", json!({}))];
    // The second says it in the name of the first.
    let early = "if [ $RALPH_ITERATION = 1 ]; then echo \"$RALPH_MAILBOX\" > \"$beside/box\"; fi\n\
                 if [ $RALPH_ITERATION = 2 ]; then export RALPH_MAILBOX=$(cat \"$beside/box\"); fi";
    agent(&project, &[&failed, &stale, &[call("task_complete", json!({}))]], early);
    let ran = run(&project, "5");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(project.status().unwrap()["iteration"], 3);
    for iteration in [1, 2] {
        let (_, answers) = answered(&project, iteration);
        assert!(answers.iter().all(is_error), "{answers:?}");
    }
    assert_eq!(ran.out.matches("the tool `task_complete` was not called").count(), 2, "{}", ran.out);
}

#[test]
fn what_an_agent_takes_back_by_asking_is_not_done() {
    let project = project();
    let first = [call("task_complete", json!({})), call("ask", json!({ "question": "Is it?" }))];
    agent(&project, &[&first, &[list()]], "");
    let ran = run(&project, "2");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(project.status().unwrap()["questions"][0]["text"], "Is it?");
}

#[test]
fn an_agent_that_takes_no_tools_is_refused_before_the_run() {
    let project = project().agent("true");
    let ran = project.ralph(&["run", "Do it", "--require", "tool"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("agent `command` has no means to show `tool`"), "{}", ran.err);
    assert!(ran.err.contains("claude, codex, opencode-server, qwen"), "{}", ran.err);
}
