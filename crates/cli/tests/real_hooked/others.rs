//! Codex, Gemini and Qwen, as far as their hooks go.

use ralph_testkit::models::{Script, Turn};
use ralph_testkit::programs::Program;

use super::host::Host;
use super::steps;

fn script() -> Script {
    steps(Script::default(), 3, 7)
        .on("This is iteration 1 of 2.", [Turn::say("One.")])
        .on("This is iteration 2 of 2.", [Turn::say("Two.")])
        .on("task calm", [Turn::say("Calm.")])
}

fn obeys(program: Program) {
    let host = Host::new(program, script());
    let id = |number: u32| format!("00000000-0000-4000-8000-{number:012}");
    host.says(&id(1), "/ralph task \"finish\"; $(touch pwned) --max-iterations=7");
    host.stood(&id(1), 3, "completed");
    host.says(&id(2), "/ralph task limit --max-iterations 2");
    host.stood(&id(2), 2, "max_iterations");
    host.says(&id(3), "task calm");
    host.stood(&id(3), 0, "none");
    let before = host.models.seen().len();
    host.says(&id(4), "/ralph status");
    let asked = host.models.seen();
    let asked: Vec<_> =
        asked[before..].iter().filter(|seen| seen.last_user_text.contains("status")).collect();
    assert!(asked.is_empty(), "a command is no turn: {asked:?}");
    assert!(!host.project.tree().join("pwned").exists());
}

#[test]
fn a_loop_in_gemini_obeys_its_promise_and_its_limit() {
    obeys(Program::Gemini);
}

#[test]
fn a_loop_in_qwen_obeys_its_promise_and_its_limit() {
    obeys(Program::Qwen);
}

#[test]
fn a_loop_in_codex_obeys_its_promise_and_its_limit() {
    let host = Host::new(Program::Codex, script());
    let thread = |out: &str| {
        let line = out.lines().find(|line| line.contains("thread.started")).unwrap();
        serde_json::from_str::<serde_json::Value>(line).unwrap()["thread_id"].as_str().unwrap().to_owned()
    };
    let finish = thread(&host.says("", "/ralph task \"finish\"; $(touch pwned) --max-iterations=7"));
    host.stood(&finish, 3, "completed");
    let limit = thread(&host.says("", "/ralph task limit --max-iterations 2"));
    host.stood(&limit, 2, "max_iterations");
    host.stood(&thread(&host.says("", "task calm")), 0, "none");
    let before = host.models.seen().len();
    host.says("", "/ralph status");
    assert!(host.models.seen()[before..].iter().all(|seen| !seen.last_user_text.contains("status")));
    assert!(!host.project.tree().join("pwned").exists());
}
