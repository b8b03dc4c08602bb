//! How a loop begins, goes on and ends.

use serde_json::json;

use super::{Session, project};

#[test]
fn a_loop_goes_on_until_the_promise_is_given() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    let begun = session.command("fix the parser --max-iterations 5");
    assert_eq!(begun.kinds(), ["prompt", "toast"]);
    assert!(begun.prompt().contains("fix the parser") && begun.prompt().contains("iteration 1 of 5"));
    assert!(!begun.prompt().contains("--max-iterations"));
    assert_eq!(begun.toast(), ("info", "ralph: loop started"));
    assert_eq!(begun.get("toast")["duration_ms"], 3000);
    let put_off = session.idle_once("m1", "I looked around.");
    assert_eq!(put_off.kinds(), ["due"]);
    let delay = put_off.get("due")["after_ms"].as_u64().unwrap();
    assert!((1..=20).contains(&delay), "{delay}");
    std::thread::sleep(std::time::Duration::from_millis(delay));
    let next = session.due();
    assert_eq!(next.kinds(), ["toast", "prompt"]);
    assert!(next.prompt().contains("iteration 2 of 5"), "{next:?}");
    assert_eq!(next.toast(), ("info", "ralph"));
    assert_eq!(session.idle("m1", "I looked around.").kinds(), [""; 0]);
    let done = session.idle("m2", &session.promise());
    assert_eq!((done.kinds(), done.toast()), (vec!["toast"], ("success", "ralph: loop complete")));
    assert_eq!(session.stands(), (2, "completed".to_owned()));
    assert_eq!(session.idle("m3", "more").kinds(), [""; 0]);
}

#[test]
fn a_loop_stops_at_its_limit_and_another_may_begin() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("start fix it --max-iterations=2");
    session.idle("m1", "one");
    let last = session.idle("m2", "two");
    assert_eq!((last.kinds(), last.toast()), (vec!["toast"], ("warning", "ralph: limit reached")));
    assert_eq!(session.stands(), (2, "max_iterations".to_owned()));
    assert!(session.command("fix it again").prompt().contains("fix it again"));
    assert_eq!(session.stands(), (1, "running".to_owned()));
}

#[test]
fn cancelling_ends_it_at_once_in_every_spelling() {
    let project = project();
    let spellings = [("cancel-ralph", ""), ("ralph", "stop"), ("ralph-loop", "cancel")];
    for (n, (command, arguments)) in spellings.into_iter().enumerate() {
        let session = Session::of(&project, &format!("ses_{n}"));
        session.command("fix it");
        let cancelled = session.tell("command", json!({ "command": command, "arguments": arguments }));
        assert_eq!(cancelled.toast(), ("info", "ralph: loop cancelled"));
        assert!(cancelled.prompt().contains("cancelled"), "{cancelled:?}");
        assert_eq!(session.stands(), (1, "aborted".to_owned()));
        assert_eq!(session.idle("m1", "the turn that was under way").kinds(), [""; 0]);
        let again = session.tell("command", json!({ "command": command, "arguments": arguments }));
        assert_eq!(again.toast(), ("info", "ralph: no active loop"));
    }
}

#[test]
fn a_second_loop_is_refused_with_the_first_ones_iteration_unless_it_replaces_it() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("the first");
    session.idle("m1", "x");
    let refused = session.command("the second");
    assert_eq!(refused.toast(), ("error", "ralph: failed"));
    assert!(refused.prompt().contains("at iteration 2"), "{refused:?}");
    // The turn that was under way counts, whatever its last words were about.
    assert!(session.idle("m2", "as you say").prompt().contains("the first"));
    assert_eq!(session.stands(), (3, "running".to_owned()));
    let ran = project.ralph(&["loop", "start", "--session", "ses_1", "--", "the third"]);
    assert_eq!((ran.code, ran.err.contains("at iteration 3")), (Some(2), true), "{ran:?}");
    assert!(session.command("--replace the fourth").prompt().contains("the fourth"));
    assert_eq!(session.status()["description"], "the fourth");
}

#[test]
fn what_cannot_be_begun_says_why_and_begins_nothing() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    for (arguments, told) in [
        ("", "`/ralph TASK [--criteria CRITERION]"),
        ("start", "`/ralph stop`, `/ralph status` and `/ralph rollback`"),
        ("x --max-iterations 0", "0"),
        ("x --max-iterations many", "many"),
        ("x --completion-promise=''", "needs a value"),
        ("x --strategy fresh", "not a strategy"),
        ("x --unlimited --max-duration 1h", "--unlimited is not for a loop in a session"),
        ("x --completion-promise \"ALL DONE", "has no end"),
        ("x --criteria test_pass", "no command for test_pass"),
    ] {
        let refused = session.command(arguments);
        assert_eq!(refused.toast().0, "error", "{arguments}");
        assert!(refused.prompt().contains(told), "{arguments}: {refused:?}");
        assert_eq!(session.stands(), (0, "none".to_owned()), "{arguments}");
    }
    assert!(!session.command("x --max-iterations 0").prompt().contains("unlimited"));
    let ran = project.ralph(&["loop", "start", "--session", "ses_1", "--max-iterations", "0", "--", "x"]);
    assert_eq!((ran.code, ran.err.contains("unlimited")), (Some(2), false), "{ran:?}");
}

#[test]
fn a_loop_that_is_started_from_outside_is_told_with_the_first_message() {
    let project = project();
    let args = ["loop", "start", "--session", "ses_1", "--max-iterations", "3", "--no-nonce"];
    let more = ["--completion-promise", "FERTIG", "--description", "a line", "--json", "--", "fix", "it"];
    let ran = project.ralph(&[&args[..], &more[..]].concat());
    let view: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&view["promise"], &view["description"]), (&json!("FERTIG"), &json!("a line")));
    assert_eq!((&view["prompt"], &view["host_session"]), (&json!("fix it"), &json!("ses_1")));
    let session = Session::of(&project, "ses_1");
    let message = json!({ "message": { "text": "please begin" }, "first": true });
    let first = session.tell("message", message.clone());
    assert_eq!(first.kinds(), ["append"]);
    assert!(first.get("append")["text"].as_str().unwrap().contains("FERTIG"));
    assert_eq!(session.tell("message", message).kinds(), [""; 0]);
    assert!(session.idle("m1", "half").prompt().contains("fix it"));
    assert_eq!(session.idle("m2", "<promise>fertig</promise>").toast().0, "success");
    let ran = project.ralph(&["loop", "cancel", "--session", "ses_1"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "no loop goes on in session ses_1\n"));
}

#[test]
fn a_loop_whose_agent_was_never_told_gives_its_first_brief_after_the_turn() {
    let project = project();
    project.ralph(&["loop", "start", "--session", "ses_1", "--", "fix it"]);
    let session = Session::of(&project, "ses_1");
    let told = session.idle("m1", "a turn about something else");
    assert!(told.prompt().contains("iteration 1 of 100"), "{told:?}");
    assert_eq!(session.idle("m1", "a turn about something else").kinds(), [""; 0]);
    assert_eq!(session.stands(), (1, "running".to_owned()));
}

#[test]
fn a_run_beside_a_loop_has_to_be_forced_and_a_paused_loop_goes_on_with_a_turn() {
    let project =
        project().agent("word=$(grep -o 'DONE-[0-9a-f]*' | tail -1); echo \"<promise>$word</promise>\"");
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let refused = project.ralph(&["run", "x"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("ses_1") && refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(project.ralph(&["run", "x", "--force"]).code, Some(0));
    let run = session.status()["run"].as_str().unwrap().to_owned();
    let paused = project.ralph(&["pause", &run]);
    assert!(paused.out.contains("pauses when the turn in session ses_1 of opencode ends"), "{paused:?}");
    let paused = session.idle("m1", "one");
    assert_eq!((paused.kinds(), paused.toast()), (vec!["toast"], ("warning", "ralph: loop paused")));
    assert!(paused.get("toast")["message"].as_str().unwrap().contains(&format!("ralph resume {run}")));
    assert_eq!(session.stands(), (1, "paused".to_owned()));
    let resumed = project.ralph(&["resume", &run]);
    assert!(resumed.out.contains("next turn in session ses_1"), "{resumed:?}");
    assert!(session.idle("m2", "two").prompt().contains("iteration 2"));
    project.ralph(&["stop", &run]);
    assert_eq!(session.idle("m3", "three").kinds(), [""; 0]);
    assert!(project.ralph(&["resume", &run]).out.contains("has ended"));
}
