//! The agent's own conversation, and what it says of itself while it waits.

use ralph_testkit::{PATIENCE, Project, until};

use crate::project;

/// Speaks as Claude does; `session` names its conversation.
const FAKE: &str = r#"
session=s-$RALPH_ITERATION
[ "$1" = --resume ] && session=$2
echo "$RALPH_ITERATION.$RALPH_ATTEMPT $*" >> calls
init() { printf '{"type":"system","subtype":"init","session_id":"%s","model":"m"}\n' "$session"; }
tell() {
  printf '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"%s","session_id":"%s","usage":{"input_tokens":10,"output_tokens":1}}\n' "$1" "$session"
}
wait_for() { printf '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":%s,"error_status":429,"error":"rate_limit","session_id":"%s"}\n' "$1" "$session"; }
"#;

fn fake(script: &str, more: &str) -> Project {
    let project = project();
    let path = project.script("fake", &format!("{FAKE}{script}"));
    let config = format!(
        "[agents.fake]\nprogram = \"{}\"\nformat = \"claude\"\nargs = [\"{{resume}}\"]\nresume = [\"--resume\", \
         \"{{value}}\"]\nreports_usage = true\n{more}",
        path.display()
    );
    std::fs::write(project.user_config(), config).unwrap();
    project
}

fn calls(project: &Project) -> Vec<String> {
    let calls = std::fs::read_to_string(project.tree().join("calls")).unwrap_or_default();
    calls.lines().map(|line| line.trim().to_owned()).collect()
}

#[track_caller]
fn run(project: &Project, args: &[&str], code: i32) -> String {
    let args = [&["run", "do it", "--agent", "fake"], args].concat();
    let ran = project.start(&args).end(PATIENCE);
    assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
    ran.out
}

#[test]
fn an_attempt_goes_on_with_the_session_of_the_one_before_where_that_is_asked_for() {
    let project = fake("init; tell 'not yet'", "");
    run(&project, &["--max-iterations", "3"], 3);
    assert_eq!(calls(&project), ["1.1", "2.1", "3.1"]);
    std::fs::remove_file(project.tree().join("calls")).unwrap();
    run(&project, &["--max-iterations", "3", "--session", "continue"], 3);
    assert_eq!(calls(&project), ["1.1", "2.1 --resume s-1", "3.1 --resume s-1"]);
    let status = project.status().unwrap();
    assert_eq!(status["usage"]["input_tokens"], 30, "each attempt counts once");
}

#[test]
fn a_session_that_is_gone_is_followed_by_a_fresh_one_at_once() {
    let gone = "if [ -n \"$2\" ] && [ ! -e was-gone ]; then touch was-gone; echo \"No conversation found: $2\" >&2; exit 1; fi\n\
                init; tell 'not yet'";
    let signal =
        "[[agents.fake.signals]]\nmeans = \"session_gone\"\nstderr = [\"No conversation found: *\"]\n";
    let project = fake(gone, signal);
    run(&project, &["--max-iterations", "3", "--session", "continue"], 3);
    assert_eq!(calls(&project), ["1.1", "2.1 --resume s-1", "2.2", "3.1 --resume s-2"]);
    assert!(!project.events().contains(&"waiting".to_owned()), "nobody failed, so nobody waits");
}

#[test]
fn a_resumed_run_goes_on_with_the_session() {
    let project = fake("init; tell 'not yet'", "");
    let mut live = project.start(&[
        "run",
        "do it",
        "--agent",
        "fake",
        "--session",
        "continue",
        "--iteration-delay",
        "1h",
    ]);
    until(PATIENCE, "the end of an iteration", || {
        (project.status()?["doing"]["at"] == "waiting").then_some(())
    });
    live.kill();
    assert_eq!(project.ralph(&["stop"]).code, Some(0));
    assert_eq!(project.ralph(&["set", "iterations", "2"]).code, Some(0));
    assert_eq!(project.ralph(&["resume"]).code, Some(3));
    assert_eq!(calls(&project), ["1.1", "2.1 --resume s-1"]);
}

#[test]
fn an_agent_that_cannot_go_on_with_a_session_is_refused_at_the_start() {
    let project = project().agent("true");
    let ran = project.ralph(&["run", "do it", "--session", "continue"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err.contains("cannot go on with a session") && ran.err.contains("--session fresh"),
        "{}",
        ran.err
    );
    let plain = fake("true", "");
    let config = std::fs::read_to_string(plain.user_config()).unwrap().replace("\"claude\"", "\"text\"");
    std::fs::write(plain.user_config(), config).unwrap();
    let ran = plain.ralph(&["run", "do it", "--agent", "fake", "--session", "continue"]);
    assert_eq!(ran.code, Some(2), "it never says what its session is called: {}", ran.err);
}

#[test]
fn an_agent_that_says_it_waits_is_not_silent_meanwhile() {
    let project = fake("init; wait_for 6000; sleep 3; tell \"<promise>$RALPH_PROMISE</promise>\"", "");
    let out = run(&project, &["--silence-timeout", "1s"], 0);
    assert!(out.contains("tries again in 6.0 s, attempt 1 of 10: rate_limit 429"), "{out}");
    assert_eq!(project.status().unwrap()["attempts"], 1);
}

#[test]
fn a_wait_that_is_over_excuses_no_longer() {
    let project = fake("init; wait_for 500; sleep 30", "");
    let started = std::time::Instant::now();
    run(&project, &["--silence-timeout", "1s", "--on-error", "skip"], 1);
    assert!(started.elapsed() < std::time::Duration::from_secs(15), "{:?}", started.elapsed());
    let evidence = project.status().unwrap()["evidence"].to_string();
    assert!(evidence.contains("silent for longer"), "{evidence}");
}
