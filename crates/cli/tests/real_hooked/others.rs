//! Codex, Gemini and Qwen, as far as their hooks go.

use ralph_testkit::kill_group_nine;
use ralph_testkit::models::{Call, Script, Seen, Turn};
use ralph_testkit::programs::Program;

use super::host::Host;
use super::{done, slow, steps};

fn session(number: u32) -> String {
    // Gemini calls its transcripts by the first digits: two sessions of one minute have to differ there.
    format!("{number:08}-0000-4000-8000-000000000000")
}

/// The promise and the limit end a loop; another session in the directory is never touched.
fn obeys(program: Program) {
    let script = steps(Script::default(), 3, 7)
        .on("This is iteration 1 of 2.", [Turn::say("One.")])
        .on("This is iteration 2 of 2.", [Turn::say("Two.")])
        .on("task calm", [Turn::say("Calm.")]);
    let host = Host::new(program, script);
    let mut loops = host.begins(&session(1), "/ralph task \"finish\"; $(touch pwned) --max-iterations=7");
    let calm = host.converses(&session(2), "task calm");
    assert!(loops.wait().unwrap().success());
    assert_eq!(host.newest(), (3, "completed".to_owned()));
    host.stood(&calm, 0, "none");
    let calm = host.models.seen().iter().filter(|seen| seen.last_user_text.contains("task calm")).count();
    assert_eq!(calm, 1, "nothing more was asked there");
    let limit = host.converses(&session(3), "/ralph task limit --max-iterations 2");
    host.stood(&limit, 2, "max_iterations");
    let before = host.models.seen().len();
    host.says(&session(4), "/ralph status");
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
    obeys(Program::Codex);
}

/// A promise alone lets nobody go, and checks that outlast the hook's time pause the loop.
fn is_checked(program: Program) {
    let shell = |command: &str| Turn::call("At it.", Call::Shell(command.to_owned()));
    let script = Script::default()
        .on("This is iteration 2 of 9.", [shell("touch ready"), done()])
        .on("task check --max-iterations", [done()])
        .on("task slow --max-iterations", [shell("rm ready"), done()]);
    let host = Host::new(program, script);
    let checks =
        "[[check]]\nname = \"c\"\ncommand = \"test -e ready || { test -e slow && sleep 90; false; }\"\n";
    std::fs::write(host.project.user_config(), checks).unwrap();
    let check = host.converses(&session(1), "/ralph task check --max-iterations 9");
    host.stood(&check, 2, "completed");
    std::fs::write(host.project.tree().join("slow"), "").unwrap();
    host.hurries(4);
    let slow = host.converses(&session(2), "/ralph task slow --max-iterations 8");
    host.stood(&slow, 1, "paused");
}

#[test]
fn in_gemini_a_promise_counts_only_with_the_checks() {
    is_checked(Program::Gemini);
}

#[test]
fn in_qwen_a_promise_counts_only_with_the_checks() {
    is_checked(Program::Qwen);
}

#[test]
fn in_codex_a_promise_counts_only_with_the_checks() {
    is_checked(Program::Codex);
}

/// The program is killed in the middle of a turn, and its session goes on later.
fn outlives(program: Program, stands: (u64, String)) {
    let script = Script::default()
        .on("go on with it now", [Turn::say("On it again.")])
        .on("This is iteration 1 of 5.", [Turn::say("Step 1.")])
        .on("This is iteration 2 of 5.", [slow()])
        .on("This is iteration 3 of 5.", [done()]);
    let host = Host::new(program, script);
    let mut child = host.begins(&session(1), "/ralph task restart --max-iterations 5");
    host.wait_until_asked("This is iteration 2 of 5.", 1);
    kill_group_nine(child.id());
    child.wait().unwrap();
    assert_eq!(host.newest(), (2, "running".to_owned()));
    host.goes_on(&session(1), "go on with it now");
    assert_eq!(host.newest(), stands, "{}", host.newest_status());
    let told = host.models.seen().iter().any(|seen| seen.user_text.contains("task restart"));
    assert!(told, "the agent knows its task");
}

#[test]
fn a_loop_in_gemini_goes_on_when_its_session_does() {
    outlives(Program::Gemini, (3, "completed".to_owned()));
}

/// Without a screen Qwen tells of no beginning of a session, so nothing says that it was killed and not interrupted.
#[test]
fn in_qwen_without_a_screen_whoever_resumes_a_session_takes_over() {
    outlives(Program::Qwen, (2, "aborted".to_owned()));
}

#[test]
fn a_loop_in_codex_goes_on_when_its_session_does() {
    outlives(Program::Codex, (3, "completed".to_owned()));
}

/// What `ralph run` drives in a project with the hooks is asked once for each iteration.
fn is_driven_once(program: Program) {
    let script = Script::default()
        .on("This is iteration 2 of 4", [done()])
        .on("This is iteration 1 of 4", [Turn::say("A step.")]);
    let host = Host::new(program, script);
    let ran = host.is_driven(&["task driven", "--max-iterations", "4"]);
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(host.newest(), (2, "completed".to_owned()));
    let is_prolonged = |seen: &Seen| {
        let told = |number: u32| seen.user_text.contains(&format!("This is iteration {number} of 4"));
        told(1) && told(2)
    };
    assert!(!host.models.seen().iter().any(is_prolonged), "a hook prolonged what is driven from outside");
}

#[test]
fn what_ralph_drives_in_gemini_is_not_driven_twice() {
    is_driven_once(Program::Gemini);
}

#[test]
fn what_ralph_drives_in_qwen_is_not_driven_twice() {
    is_driven_once(Program::Qwen);
}

#[test]
fn what_ralph_drives_in_codex_is_not_driven_twice() {
    is_driven_once(Program::Codex);
}
