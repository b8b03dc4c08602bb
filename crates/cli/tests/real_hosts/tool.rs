//! What completes a loop beside the promise, and what of a session is none of the agent's turn.

use ralph_testkit::models::{Call, Script, Seen, Turn};
use ralph_testkit::until;
use serde_json::json;

use super::said;
use super::serve::{PATIENCE, Serve};

/// One more than OpenCode gives at a time, with the others of the turn.
const STEPS: usize = 104;
const TOKENS_A_STEP: u64 = 700;

fn complete() -> Turn {
    Turn::call("I say so.", Call::Tool { name: "task_complete".to_owned(), arguments: json!({}) })
}

fn step() -> Turn {
    let todos = json!({ "todos": [{ "content": "it", "status": "pending", "priority": "high" }] });
    Turn::call("", Call::Tool { name: "todowrite".to_owned(), arguments: todos })
}

#[test]
fn the_tool_completes_a_loop_that_requires_it_and_is_shown_nowhere_else() {
    let long = std::iter::repeat_with(step).take(STEPS).chain([complete(), said()]);
    let script = Script::default()
        .on("This is iteration 2 of 4", [complete(), said()])
        .on("task tool", [said()])
        .on("task calm", [said()])
        .on("driven from outside", [said()])
        .on("task shell", [said()])
        .on("task long", long.collect::<Vec<_>>());
    let mut serve = Serve::prepare(script, None);
    let config = serve.project.tree().join(".ralph/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(config, "[completion]\nrequire = [\"tool\"]\n").unwrap();
    serve.project.ralph(&["trust", "--yes"]);
    serve.again();
    let is_shown = |text: &str| {
        let all = serve.models.seen();
        let mut meant = all.iter().filter(|seen: &&Seen| seen.last_user_text.contains(text));
        meant.next().unwrap().tools.iter().any(|tool| tool == "task_complete")
    };

    let toasts = serve.toasts();
    let (session, calm) = (serve.session(), serve.session());
    serve.say(&calm, "task calm");
    serve.command(&session, "ralph", "task tool --max-iterations=4");
    serve.wait(&session, 2, "completed");
    assert!(is_shown("task tool") && is_shown("This is iteration 2 of 4") && !is_shown("task calm"));
    // The plugin hears of the end a moment after the store has it, and shows it then.
    let is_heard = || toasts.lock().unwrap().iter().any(|toast| toast.contains("complete"));
    until(PATIENCE, "the plugin hears of the end", || is_heard().then_some(()));
    serve.say(&session, "task calm, after the loop");
    assert!(!is_shown("after the loop"));

    // What a person runs with `!` ends no turn of the agent.
    let shell = serve.session();
    serve.project.ralph(&["loop", "start", "--session", &shell, "--", "task shell"]);
    let body = json!({ "agent": "build", "command": "true" });
    assert_eq!(serve.ask("POST", &format!("/session/{shell}/shell"), Some(&body)).0, 200);
    serve.say(&shell, "task shell");
    assert!(is_shown("task shell"));
    assert_ne!(serve.stands(&shell).1, "aborted");
    serve.project.ralph(&["loop", "cancel", "--session", &shell]);

    let driven = serve.session_with(json!({ "metadata": { "ralph": "1" } }));
    serve.command(&driven, "ralph", "task driven");
    assert_eq!((serve.asked("driven from outside"), serve.stands(&driven)), (1, (0, "none".to_owned())));

    let long = serve.session();
    serve.command(&long, "ralph", "task long");
    serve.wait(&long, 1, "completed");
    let spent = serve.status(&long)["usage"]["input_tokens"].as_u64().unwrap();
    assert_eq!(spent, (STEPS as u64 + 2) * TOKENS_A_STEP);
}
