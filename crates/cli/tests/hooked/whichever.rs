//! Loops that were started without naming a host: they are that host's which first tells of their session.

use ralph_testkit::Project;
use serde_json::{Value, json};

use super::{Session, answer, context, note, project, reason, told};

/// What each host calls the words of a person and the end of a turn.
const HOSTS: [(&str, &str, &str); 4] = [
    ("claude", "UserPromptSubmit", "Stop"),
    ("codex", "UserPromptSubmit", "Stop"),
    ("gemini", "BeforeAgent", "AfterAgent"),
    ("qwen", "UserPromptSubmit", "Stop"),
];

fn tell(session: &Session<'_>, host: &str, event: &str, more: Value) -> Value {
    session.tell_with(session.project.command(&["hook", host, "--within", "60"]), event, more)
}

fn start(project: &Project, session: &str, more: &[&str]) {
    let ran = project.ralph(&[&["loop", "start", "--session", session], more, &["--", "fix it"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// The loop of a session, whoever has it.
fn status(project: &Project, session: &str) -> Value {
    let ran = project.ralph(&["loop", "status", "--session", session, "--json"]);
    serde_json::from_str(&ran.out).unwrap_or(Value::Null)
}

fn is_said(answer: &Value) -> bool {
    context(answer).contains("fix it") || answer["decision"].is_string()
}

#[test]
fn a_loop_without_a_host_is_driven_by_the_first_that_tells_of_its_session() {
    for (at, (host, prompts, stops)) in HOSTS.into_iter().enumerate() {
        let project = project();
        start(&project, "s-1", &[]);
        let before = status(&project, "s-1");
        assert_eq!((&before["host"], &before["host_session"]), (&Value::Null, &json!("s-1")));
        let shown = project.ralph(&["loop", "status", "--session", "s-1"]).out;
        assert!(shown.contains("in session s-1 of no host yet: iteration 1"), "{shown}");
        let (session, (other, others_prompt, others_stop)) =
            (Session::of(&project, "s-1"), HOSTS[(at + 1) % HOSTS.len()]);
        // The session of another name is none of its business.
        let stranger = Session::of(&project, "s-2");
        assert_eq!(tell(&stranger, host, prompts, json!({ "prompt": "go on" })), Value::Null);
        assert_eq!(status(&project, "s-1")["host"], Value::Null);
        assert!(is_said(&tell(&session, host, prompts, json!({ "prompt": "go on" }))), "{host}");
        let bound = status(&project, "s-1");
        assert_eq!((&bound["host"], &bound["agent"]), (&json!(host), &json!(host)));
        // Whoever comes second is not answered, and moves nothing.
        let said = json!({ "last_assistant_message": session_promise(&project), "prompt": "mine" });
        assert_eq!(tell(&session, other, others_prompt, said.clone()), Value::Null, "{other}");
        assert_eq!(tell(&session, other, others_stop, said), Value::Null, "{other}");
        assert_eq!(status(&project, "s-1")["iteration"], 1);
        let next =
            tell(&session, host, stops, json!({ "last_assistant_message": "not yet", "timestamp": "a" }));
        assert!(
            next["reason"].as_str().unwrap_or_default().contains("This is iteration 2"),
            "{host}: {next}"
        );
        let said = json!({ "last_assistant_message": session_promise(&project), "timestamp": "b" });
        tell(&session, host, stops, said);
        assert_eq!(status(&project, "s-1")["stop_reason"], "completed", "{host}");
        let id = bound["run"].as_str().unwrap();
        let journal = project.ralph(&["logs", id, "--json"]).out;
        assert_eq!(journal.matches("\"session_presented\"").count(), 1, "{journal}");
        assert!(project.ralph(&["status", id]).out.contains(&format!("session   s-1 of {host}\n")));
    }
}

fn session_promise(project: &Project) -> String {
    format!("<promise>{}</promise>", status(project, "s-1")["promise"].as_str().unwrap())
}

#[test]
fn any_event_presents_a_session_even_that_of_a_tool() {
    let project = project();
    for (at, event) in ["SessionStart", "PostToolUse", "SubagentStop", "PreCompact"].into_iter().enumerate() {
        let session = Session::of(&project, &format!("s-{at}"));
        start(&project, &session.id, &[]);
        session.tell(event, json!({ "tool_name": "Bash", "source": "startup" }));
        assert_eq!(status(&project, &session.id)["host"], "claude", "{event}");
        assert!(context(&session.types("go on")).contains("fix it"), "{event}");
    }
}

#[test]
fn a_loop_is_found_and_ended_without_its_host() {
    let project = project();
    let session = Session::of(&project, "s-1");
    session.types("/ralph fix it");
    assert_eq!(status(&project, "s-1")["host"], "claude");
    let newest = project.ralph(&["loop", "status"]).out;
    assert!(newest.contains("in session s-1 of claude: iteration 1"), "{newest}");
    let refused = project.ralph(&["loop", "start", "--session", "s-1", "--", "another"]);
    assert_eq!((refused.code, refused.err.contains("at iteration 1")), (Some(2), true), "{refused:?}");
    let others = project.ralph(&["loop", "cancel", "--session", "s-1", "--host", "codex"]);
    assert!(others.out.contains("no loop goes on"), "{others:?}");
    for what in ["cancel", "status"] {
        let nobodys = project.ralph(&["loop", what, "--session", "s-1", "--host", "cluade"]);
        assert_eq!(
            (nobodys.code, nobodys.err.contains("did you mean `claude`?")),
            (Some(2), true),
            "{nobodys:?}"
        );
    }
    let cancelled = project.ralph(&["loop", "cancel", "--session", "s-1"]);
    assert!(cancelled.out.contains("is cancelled"), "{cancelled:?}");
    assert_eq!(session.stands(), (1, "aborted".to_owned()));
    // One that waits for its host is ended as well, and then no host has it.
    start(&project, "s-1", &[]);
    let named = project.ralph(&["loop", "start", "--session", "s-1", "--host", "claude", "--", "another"]);
    assert_eq!((named.code, named.err.contains("at iteration 1")), (Some(2), true), "{named:?}");
    assert!(project.ralph(&["run", "x", "--agent-command", "true"]).err.contains("of no host yet"));
    assert!(project.ralph(&["loop", "cancel", "--session", "s-1"]).out.contains("is cancelled"));
    assert_eq!(session.types("go on"), Value::Null);
    let nobody = project.ralph(&["loop", "status"]);
    assert_eq!((nobody.code, nobody.err.contains("session of any host")), (Some(4), true), "{nobody:?}");
}

#[test]
fn what_a_host_cannot_do_ends_the_loop_when_that_host_presents_the_session() {
    let project = project();
    start(&project, "s-1", &["--strategy", "reset"]);
    let session = Session::of(&project, "s-1");
    let answer = session.types("go on");
    assert!(note(&answer).contains("cannot put a new session in place of one"), "{answer}");
    assert_eq!(context(&answer), "");
    let ended = status(&project, "s-1");
    assert_eq!((&ended["host"], &ended["stop_reason"]), (&json!("claude"), &json!("aborted")));
    assert!(ended["evidence"].as_str().unwrap().contains("`--strategy reset`"), "{ended}");
    assert_eq!(reason(&session.stops("done")), "");
    std::fs::write(project.user_config(), "[completion]\nrequire = [\"promise\", \"todo\"]\n").unwrap();
    start(&project, "s-2", &[]);
    let answer = Session::of(&project, "s-2").tell("SessionStart", json!({ "source": "startup" }));
    assert!(note(&answer).contains("never tells ralph of the signal `todo`"), "{answer}");
    assert_eq!(status(&project, "s-2")["stop_reason"], "aborted");
}

#[test]
fn an_agent_that_ralph_drives_presents_nothing() {
    let project = project();
    start(&project, "s-1", &[]);
    let session = Session::of(&project, "s-1");
    let mut command = project.command(&["hook", "claude", "--within", "60"]);
    command.env("RALPH_RUN", "1nfp5fwmjrxv");
    let out =
        told(command, session.event("UserPromptSubmit", json!({ "prompt": "x" })).to_string().as_bytes());
    assert_eq!((out.status.code(), answer(&out)), (Some(0), Value::Null));
    assert_eq!(status(&project, "s-1")["host"], Value::Null);
}

#[test]
fn a_prompt_that_codex_tells_twice_is_heard_once() {
    let project = project();
    let session = Session::of(&project, "s-1");
    let says = |turn: &str, prompt: &str| {
        let more = json!({ "turn_id": turn, "prompt": prompt });
        session.tell_with(project.command(&["hook", "codex"]), "UserPromptSubmit", more)
    };
    assert!(context(&says("t-1", "ralph: fix it")).contains("fix it"));
    assert_eq!(says("t-1", "ralph: fix it"), Value::Null);
    let status = || project.ralph(&["loop", "status", "--host", "codex", "--session", "s-1"]).out;
    assert!(status().contains("running"), "{}", status());
    says("t-2", "something else");
    assert!(status().contains("aborted"), "{}", status());
}

#[test]
fn people_are_told_what_their_host_takes() {
    let project = project();
    let session = Session::of(&project, "s-1");
    let says = |prompt: &str| tell(&session, "codex", "UserPromptSubmit", json!({ "prompt": prompt }));
    let usage = says("ralph:");
    assert!(
        reason(&usage).contains("`ralph: TASK [--criteria") && !reason(&usage).contains("strategy"),
        "{usage}"
    );
    assert!(reason(&says("ralph: x --strategy fresh")).contains("not a strategy: continue"), "{usage}");
    says("ralph: fix it");
    let second = says("ralph: fix that");
    assert!(reason(&second).contains("`ralph: stop` ends it"), "{second}");
    let again = tell(&session, "codex", "SessionStart", json!({ "source": "resume" }));
    assert!(context(&again).contains("`ralph: stop` ends it"), "{again}");
}
