//! What other events do to a loop, and what they do not.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Answer, Session, project, told};

#[test]
fn an_abort_clears_the_loop() {
    for name in ["MessageAbortedError", "AbortError"] {
        let project = project();
        let session = Session::of(&project, "ses_1");
        session.command("fix it");
        assert_eq!(session.error(name).toast(), ("info", "ralph: loop cancelled"), "{name}");
        assert_eq!(session.idle("m1", "cut sh").kinds(), [""; 0], "{name}");
        assert_eq!(session.stands(), (1, "aborted".to_owned()), "{name}");
    }
    // While OpenCode waits to try again there is no error, only a message without an end.
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let ended = session.tell("idle", json!({ "message": { "id": "m1", "text": "" } }));
    assert_eq!(ended.toast().1, "ralph: loop cancelled");
}

#[test]
fn another_error_is_waited_out_and_then_the_loop_goes_on() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let error = session.error("APIError");
    let begun = Instant::now();
    assert_eq!((error.kinds(), &error.get("recheck")["after_ms"]), (vec!["toast", "recheck"], &json!(5000)));
    assert_eq!(error.toast(), ("warning", "ralph: loop paused"));
    assert!(error.get("toast")["message"].as_str().unwrap().contains("APIError: because"), "{error:?}");
    let message = json!({ "id": "m1", "text": "", "error": { "name": "APIError", "message": "because" } });
    let idle = || session.tell("idle", json!({ "message": message }));
    assert_eq!(idle().kinds(), ["recheck"]);
    assert_eq!(session.stands(), (1, "running".to_owned()));
    std::thread::sleep(Duration::from_millis(5_050).saturating_sub(begun.elapsed()));
    let again = idle();
    assert!(again.prompt().contains("attempt 2"), "{again:?}");
    assert_eq!(idle().kinds(), [""; 0]);
    assert_eq!(session.stands(), (1, "running".to_owned()));
}

#[test]
fn another_session_neither_has_the_loop_nor_moves_it() {
    let project = project();
    let (session, other) = (Session::of(&project, "ses_1"), Session::of(&project, "ses_2"));
    session.command("fix it");
    let promise = session.promise();
    let asked = other.idle("m1", &promise);
    assert_eq!(asked.kinds(), ["recheck"]);
    let recheck = asked.get("recheck");
    assert_eq!((&recheck["session"], &recheck["only_existence"]), (&json!("ses_1"), &json!(true)));
    assert_eq!(other.error("MessageAbortedError").kinds(), [""; 0]);
    assert_eq!(other.tell("deleted", json!({})).kinds(), [""; 0]);
    assert_eq!(other.tell("tool", json!({ "tool": "bash" })).kinds(), [""; 0]);
    assert_eq!(other.tell("command", json!({ "command": "review", "arguments": "x" })).kinds(), [""; 0]);
    assert_eq!(session.stands(), (1, "running".to_owned()));
    other.command("something else");
    assert_eq!((session.stands().0, other.stands().0), (1, 1));
    session.idle("m1", "x");
    assert_eq!((session.stands().0, other.stands().0), (2, 1));
}

#[test]
fn a_loop_whose_session_is_known_to_be_gone_is_cleared_and_a_look_that_failed_clears_nothing() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    assert_eq!(session.tell("deleted", json!({ "exists": true })).kinds(), [""; 0]);
    assert_eq!(session.stands(), (1, "running".to_owned()));
    session.tell("deleted", json!({ "exists": false }));
    assert_eq!(session.stands(), (1, "aborted".to_owned()));
    assert_eq!(Session::of(&project, "ses_2").idle("m1", "x").kinds(), [""; 0]);
}

#[test]
fn a_session_that_ralph_replaces_takes_its_loop_along() {
    for (strategy, kinds) in
        [("reset", vec!["toast", "new_session"]), ("compact", vec!["toast", "summarise", "new_session"])]
    {
        let project = project();
        let (old, new) = (Session::of(&project, "ses_1"), Session::of(&project, "ses_2"));
        old.command(&format!("fix it --strategy {strategy}"));
        assert_eq!(old.idle("m1", "one").kinds(), kinds);
        // The summary ends a turn of its own, which is none of the loop's.
        assert_eq!(old.idle("m2", "in short: nothing").kinds(), [""; 0]);
        let moved = old.tell("replaced", json!({ "replaced_by": "ses_2", "summary": "in short: nothing" }));
        assert_eq!((moved.kinds(), &moved.get("prompt")["session"]), (vec!["prompt"], &json!("ses_2")));
        assert!(moved.prompt().contains("in short: nothing") && moved.prompt().contains("iteration 2"));
        assert_eq!(old.tell("deleted", json!({})).kinds(), [""; 0]);
        assert_eq!(new.stands(), (2, "running".to_owned()));
        assert_eq!(new.status()["host_session"], "ses_2");
        assert_eq!(new.idle("m1", &new.promise()).toast().0, "success");
    }
}

#[test]
fn a_brief_that_could_not_be_given_is_given_again_and_in_the_end_given_up() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle("m1", "one");
    let failed = json!({ "failed": { "action": "prompt", "error": "no connection" } });
    for attempt in 2..=4 {
        let again = session.tell("failed", failed.clone());
        assert_eq!(again.toast().0, "error");
        assert!(again.prompt().contains(&format!("attempt {attempt}")), "{again:?}");
    }
    let given_up = session.tell("failed", failed);
    assert_eq!(given_up.kinds(), ["toast", "toast"]);
    assert_eq!(session.stands(), (2, "failed".to_owned()));
}

#[test]
fn of_hooks_that_run_at_once_for_one_turn_a_single_one_answers() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    for turn in 1..=5 {
        let message = json!({ "id": format!("m{turn}"), "text": format!("turn {turn}"), "finish": "stop" });
        let event = session.event("idle", json!({ "message": message })).to_string();
        let ask = || Answer::of(&told(project.command(&["hook", "opencode"]), event.as_bytes()));
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let asked: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        std::thread::sleep(Duration::from_millis(20));
        let due = || session.due();
        let briefs: Vec<Answer> = std::thread::scope(|scope| {
            let asked: Vec<_> = (0..4).map(|_| scope.spawn(due)).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        // A hook that comes so late that it is time already gives the brief itself.
        let prompts =
            answers.iter().chain(&briefs).filter(|answer| answer.kinds().contains(&"prompt")).count();
        assert_eq!((prompts, session.stands().0), (1, turn + 1), "{answers:?} {briefs:?}");
    }
}

#[test]
fn a_turn_that_status_was_asked_in_counts_and_its_promise_as_well() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    assert!(session.command("status").prompt().contains("No ralph loop"));
    session.command("fix it");
    session.idle("m1", "one");
    assert!(session.command("status").prompt().contains("iteration 2 of 100; it goes on"));
    assert!(session.idle("m2", "iteration 2, it goes on").prompt().contains("iteration 3 of 100"));
    session.command("status");
    let promise = session.promise();
    assert_eq!(session.idle("m3", &promise).toast().0, "success");
}

#[test]
fn what_is_asked_between_two_turns_counts_for_nothing() {
    let project = project().with("RALPH_SET_LIMITS__ITERATION_DELAY", "2s");
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle_once("m1", "one");
    session.command("status");
    let put_off = session.idle_once("m2", "iteration 1, it goes on");
    assert_eq!((put_off.kinds(), session.stands().0), (vec!["due"], 1));
    std::thread::sleep(super::wait(put_off.get("due")));
    assert!(session.due().prompt().contains("iteration 2 of 100"));
}
