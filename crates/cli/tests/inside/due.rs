//! What is put off is asked for again when it is time, and what people decided until then comes first.

use std::time::Duration;

use super::{Session, project};

const LATER: Duration = Duration::from_millis(30);

#[test]
fn a_brief_that_was_put_off_is_not_given_once_a_person_decided_otherwise() {
    for (asked, how) in [("stop", "stopped"), ("cancel", "aborted"), ("pause", "paused")] {
        let project = project();
        let session = Session::of(&project, "ses_1");
        session.command("fix it");
        let run = session.run();
        assert_eq!(session.idle_once("m1", "one").kinds(), ["due"], "{asked}");
        let ran = match asked {
            "cancel" => project.ralph(&["loop", "cancel", "--session", "ses_1"]),
            _ => project.ralph(&[asked, &run]),
        };
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(session.stands(), (1, how.to_owned()), "{asked}");
        std::thread::sleep(LATER);
        assert_eq!(session.due().kinds(), [""; 0], "{asked}");
        assert_eq!(session.stands(), (1, how.to_owned()), "{asked}");
        if asked == "pause" {
            assert!(project.ralph(&["resume", &run]).out.contains("next turn in session ses_1 of opencode"));
            assert!(session.idle("m2", "two").prompt().contains("iteration 2"));
        }
    }
}

#[test]
fn a_host_that_comes_back_too_late_gets_the_brief_with_the_next_turn_and_only_then() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle_once("m1", "one");
    std::thread::sleep(LATER);
    let told = session.idle_once("m2", "a turn about something else");
    assert!(told.prompt().contains("iteration 2 of 100"), "{told:?}");
    assert_eq!(session.due().kinds(), [""; 0]);
    assert_eq!(session.idle_once("m2", "a turn about something else").kinds(), [""; 0]);
    assert_eq!(session.stands(), (2, "running".to_owned()));
}

#[test]
fn whoever_asks_too_early_is_told_when_to_ask_again() {
    let project = project().with("RALPH_SET_LIMITS__ITERATION_DELAY", "5s");
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle_once("m1", "one");
    let again = session.due();
    assert_eq!(again.kinds(), ["due"]);
    assert!((1..5_000).contains(&again.get("due")["after_ms"].as_u64().unwrap()), "{again:?}");
    assert_eq!(session.stands(), (1, "running".to_owned()));
}

#[test]
fn what_is_said_to_a_loop_is_in_the_brief_that_was_put_off() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle_once("m1", "one");
    let said = project.ralph(&["steer", "leave the public API as it is", &session.run()]);
    assert!(said.out.contains("next brief"), "{said:?}");
    std::thread::sleep(LATER);
    assert!(session.due().prompt().contains("leave the public API as it is"));
}

#[test]
fn a_session_that_had_an_error_meanwhile_is_left_alone() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle_once("m1", "one");
    assert_eq!(session.error("APIError").kinds(), ["toast", "recheck"]);
    std::thread::sleep(LATER);
    assert_eq!(session.due().kinds(), [""; 0]);
}
