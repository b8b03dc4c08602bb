//! ralph inside the real OpenCode, over its server and in its own screen, against a scripted model on loopback.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod http;
mod moved;
mod screen;
mod serve;
mod tool;
mod trouble;

use std::time::{Duration, Instant};

use ralph_testkit::models::{Fault, Reply, Script, Turn};
use ralph_testkit::until;
use serde_json::json;
use serve::{PATIENCE, Serve};

fn done() -> Turn {
    Turn::say("Everything is done.\n\n<promise>{promise}</promise>")
}

/// An answer that takes half a minute.
fn slow() -> Turn {
    Turn::from(Reply { say: "on and on ".repeat(60), bytes_per_second: Some(40), ..Reply::default() })
}

/// An answer to every message; the script of a conversation begins anew with each.
fn said() -> Turn {
    Turn::say("A step is made.")
}

/// An error that OpenCode does not try to mend by itself, and that is nobody's account.
fn broken() -> Turn {
    Turn::fault(Fault::Status { code: 400, times: Fault::ALWAYS })
}

#[test]
fn a_loop_over_the_server_obeys_its_promise_its_limit_and_its_person() {
    let script = Script::default()
        .on("This is iteration 3 of 7", [done()])
        .on("task finish", [said()])
        .on("task limit", [said()])
        .on("task cancel", [slow()])
        .on("task abort", [slow()])
        .on("task gone", [slow()])
        .on("task calm", [said()]);
    let serve = Serve::start(script, None);

    let (finish, beside) = (serve.session(), serve.session());
    serve.command(&finish, "ralph", "task finish --max-iterations=7");
    serve.say(&beside, "task calm");
    serve.wait(&finish, 3, "completed");
    assert_eq!((serve.asked("task calm"), serve.stands(&beside)), (1, (0, "none".to_owned())));

    let limit = serve.session();
    serve.command(&limit, "ralph-loop", "task limit --max-iterations 2");
    serve.wait(&limit, 2, "max_iterations");
    assert_eq!(serve.asked("task limit"), 2);

    let [cancel, abort, gone] = [serve.session(), serve.session(), serve.session()];
    std::thread::scope(|scope| {
        scope.spawn(|| serve.command(&cancel, "ralph", "task cancel"));
        until(PATIENCE, "the slow answer begins", || (serve.asked("task cancel") == 1).then_some(()));
        let begun = Instant::now();
        scope.spawn(|| {
            let body = json!({ "command": "cancel-ralph", "arguments": "" });
            // What stands behind a turn that is aborted is sometimes never answered; the loop's end is what counts.
            let path = format!("/session/{cancel}/command");
            let answered = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                serve.ask("POST", &path, Some(&body))
            }));
            if let Ok((status, answer)) = answered {
                assert_eq!(status, 200, "{answer}");
            }
        });
        serve.wait(&cancel, 1, "aborted");
        assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
        serve.ask("POST", &format!("/session/{cancel}/abort"), None);

        scope.spawn(|| serve.command(&abort, "ralph", "task abort"));
        until(PATIENCE, "the slow answer begins", || (serve.asked("task abort") == 1).then_some(()));
        serve.ask("POST", &format!("/session/{abort}/abort"), None);
        serve.wait(&abort, 1, "aborted");

        scope.spawn(|| {
            let body = json!({ "command": "ralph", "arguments": "task gone" });
            // Nobody answers for a session that is deleted under way.
            let path = format!("/session/{gone}/command");
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                serve.ask("POST", &path, Some(&body))
            }));
        });
        until(PATIENCE, "the slow answer begins", || (serve.asked("task gone") == 1).then_some(()));
        serve.ask("DELETE", &format!("/session/{gone}"), None);
        serve.wait(&gone, 1, "aborted");
    });
    for task in ["task cancel", "task abort", "task gone"] {
        assert_eq!(serve.asked(task), 1, "{task}");
    }
}

#[test]
fn a_brief_that_waits_is_not_given_to_a_loop_that_is_over() {
    let script = Script::default().on("task late", [said()]).on("task on", [said()]);
    let mut serve = Serve::prepare(script, None);
    std::fs::write(serve.project.user_config(), "[limits]\niteration_delay = \"6s\"\n").unwrap();
    serve.again();
    let (late, on) = (serve.session(), serve.session());
    serve.command(&on, "ralph", "task on --max-iterations 2");
    serve.command(&late, "ralph", "task late --max-iterations 2");
    until(PATIENCE, "the brief waits", || (serve.status(&late)["doing"]["at"] == "waiting").then_some(()));
    let run = serve.status(&late)["run"].as_str().unwrap().to_owned();
    let stopped = serve.project.ralph(&["stop", &run]);
    assert!(stopped.out.contains("is stopped"), "{stopped:?}");
    serve.wait(&on, 2, "max_iterations");
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!((serve.asked("task late"), serve.asked("task on")), (1, 2));
    assert_eq!(serve.stands(&late), (1, "stopped".to_owned()));
}

#[test]
fn an_error_pauses_a_loop_and_neither_that_nor_a_restart_ends_it() {
    let failing = broken();
    let script = Script::default()
        .on("This is iteration 2 of 5", [done()])
        .on("iteration 1 of 5, attempt 2", [said()])
        .on("task error", [failing])
        .on("go on with it now", [said()])
        .on("This is iteration 2 of 3", [slow()])
        .on("task restart", [said()])
        .on("What happened so far", [done()])
        .on("task compact", [said()]);
    let mut serve = Serve::start(script, None);

    let error = serve.session();
    let begun = Instant::now();
    serve.command(&error, "ralph", "task error --max-iterations 5");
    assert_eq!(serve.stands(&error), (1, "running".to_owned()));
    serve.wait(&error, 2, "completed");
    assert!(begun.elapsed() > Duration::from_secs(5), "{:?}", begun.elapsed());

    let compact = serve.session();
    serve.command(&compact, "ralph", "task compact --strategy compact");
    let moved = until(PATIENCE, "a session takes its place", || {
        serve
            .sessions()
            .into_iter()
            .find(|id| serve.status(id)["description"] == "task compact")
            .filter(|id| *id != compact)
    });
    serve.wait(&moved, 2, "completed");
    until(PATIENCE, "the old session is deleted", || (!serve.sessions().contains(&compact)).then_some(()));

    let restart = serve.session();
    serve.command(&restart, "ralph", "task restart --max-iterations 3");
    serve.wait(&restart, 2, "running");
    serve.again();
    assert_eq!(serve.stands(&restart), (2, "running".to_owned()));
    serve.say(&restart, "go on with it now");
    serve.wait(&restart, 3, "max_iterations");
}

#[test]
fn the_original_plugins_configuration_alone_gives_its_behaviour() {
    let configuration = r#"{ "$schema": "https://opencode.ai/config.json", "plugin": ["ralph-loop"], "ralph-loop": { "promiseWord": "FERTIG", "maxRetries": 4 } }"#;
    let script = Script::default().on("What happened so far", [done()]).on("port it", [said()]);
    let serve = Serve::start(script, Some(configuration));
    // What ralph drives from outside, and what an agent began, is no person's session.
    let (driven, parent) = (serve.session_with(json!({ "metadata": { "ralph": "1" } })), serve.session());
    let child = serve.session_with(json!({ "parentID": parent }));
    for session in [&driven, &child] {
        serve.say(session, "port it for somebody");
        assert_eq!(serve.stands(session), (0, "none".to_owned()));
    }
    assert_eq!((serve.asked("port it for somebody"), serve.asked("the word FERTIG exactly")), (2, 0));

    let toasts = serve.toasts();
    let first = serve.session();
    serve.say(&first, "port it");
    assert_eq!(serve.asked("the word FERTIG exactly"), 1);
    let started = |toast: &String| toast.contains("loop started") && toast.contains("at most 4 iterations");
    assert!(toasts.lock().unwrap().iter().any(started));
    let moved = until(PATIENCE, "a session takes its place", || {
        let loops = serve.sessions().into_iter().filter(|id| *id != first && *id != driven && *id != child);
        loops.into_iter().find(|id| serve.status(id)["description"] == "port it")
    });
    serve.wait(&moved, 2, "completed");
    let summary = serve.project.tree().join(format!(".opencode/sessions/{first}/ralph_summary.md"));
    assert!(!std::fs::read_to_string(summary).unwrap().trim().is_empty());
    until(PATIENCE, "the old session is deleted", || (!serve.sessions().contains(&first)).then_some(()));
    let last = serve.project.tree().join(format!(".opencode/sessions/{moved}/ralph_summary.md"));
    assert!(std::fs::read_to_string(last).unwrap().contains("Everything is done."));
    assert_eq!(std::fs::read_to_string(serve.project.tree().join("opencode.json")).unwrap(), configuration);
}
