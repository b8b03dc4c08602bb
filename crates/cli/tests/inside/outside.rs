//! What people ask of a loop from outside of its session.

use serde_json::{Value, json};

use super::{Session, project};

#[test]
fn a_stop_ends_a_loop_at_once_and_says_so() {
    for now in [&[][..], &["--now"]] {
        let project = project();
        let session = Session::of(&project, "ses_1");
        session.command("fix it");
        let run = session.run();
        let stopped = project.ralph(&[&["stop", run.as_str()], now].concat());
        assert_eq!(stopped.code, Some(0));
        assert!(
            stopped.out.contains("is stopped; a turn in session ses_1 of opencode ends by itself"),
            "{stopped:?}"
        );
        assert!(!stopped.out.contains("interrupted") && !stopped.out.contains("resume"), "{stopped:?}");
        assert_eq!(session.idle("m1", "the turn that was under way").kinds(), [""; 0]);
        let how = if now.is_empty() { "stopped" } else { "aborted" };
        assert_eq!(session.stands(), (1, how.to_owned()));
        assert!(project.ralph(&["stop", &run]).out.contains("already ended"));
    }
}

#[test]
fn a_loop_is_alive_as_long_as_it_goes_on() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let run = session.run();
    let status = |run: &str| -> Value {
        serde_json::from_str(&project.ralph(&["status", run, "--json"]).out).unwrap()
    };
    assert_eq!((&status(&run)["alive"], &status(&run)["resumable"]), (&json!(true), &json!(false)));
    let shown = project.ralph(&["status", &run]).out;
    assert!(shown.contains("session   ses_1 of opencode") && !shown.contains("interrupted"), "{shown}");
    let unnamed = project.ralph(&["status"]);
    assert_eq!((unnamed.code, unnamed.err.contains(&run)), (Some(4), true), "{unnamed:?}");
    session.idle_once("m1", "one");
    let paused = project.ralph(&["pause", &run]);
    assert!(paused.out.contains(&format!("is paused; `ralph resume {run}` goes on")), "{paused:?}");
    assert_eq!((&status(&run)["status"], &status(&run)["resumable"]), (&json!("paused"), &json!(true)));
    project.ralph(&["resume", &run]);
    assert_eq!(status(&run)["status"], "running");
    project.ralph(&["stop", &run]);
    assert_eq!((&status(&run)["alive"], &status(&run)["resumable"]), (&json!(false), &json!(false)));
}

#[test]
fn a_loop_that_has_ended_is_looked_at_without_a_name_where_there_is_no_other_run() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle_once("m1", "one");
    session.command("stop");
    let run = session.run();
    for command in ["status", "why", "logs", "snapshots", "replay"] {
        let shown = project.ralph(&[command]);
        assert_eq!((shown.code, shown.err.as_str()), (Some(0), ""), "{command}");
    }
    let refused = project.ralph(&["rollback", "--yes"]);
    let told = format!(
        "the newest that has ended, in session ses_1 of opencode: {run}; `ralph status {run}` shows it"
    );
    assert_eq!((refused.code, refused.err.contains(&told)), (Some(4), true), "{refused:?}");
    let other = Session::of(&project, "ses_2");
    other.command("paint it");
    let unnamed = project.ralph(&["status"]);
    assert_eq!((unnamed.code, unnamed.err.contains(&told)), (Some(4), true), "{unnamed:?}");
    assert!(
        unnamed.err.contains(&format!("name the loop in session ses_2 of opencode: {}", other.run())),
        "{unnamed:?}"
    );
}

#[test]
fn a_loop_is_followed_from_turn_to_turn_until_it_ends() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let run = session.run();
    let mut followed = project.command(&["logs", &run, "--follow"]);
    let followed = followed.stdout(std::process::Stdio::piped()).spawn().unwrap();
    session.idle("m1", "one");
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    session.idle("m2", &session.promise());
    let out = followed.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains("completed") && !text.contains("no process is driving"), "{text}");
}

#[test]
fn without_a_session_the_newest_loop_that_goes_on_is_shown() {
    let project = project();
    let none = project.ralph(&["loop", "status"]);
    assert_eq!((none.code, none.err.contains("no loop goes on in a session of any host")), (Some(4), true));
    let none = project.ralph(&["loop", "status", "--host", "opencode"]);
    assert_eq!((none.code, none.err.contains("no loop goes on in a session of opencode")), (Some(4), true));
    let (first, second) = (Session::of(&project, "ses_1"), Session::of(&project, "ses_2"));
    first.command("the first");
    second.command("the second");
    assert!(project.ralph(&["loop", "status"]).out.contains("in session ses_2"));
    second.command("stop");
    let shown: Value = serde_json::from_str(&project.ralph(&["loop", "status", "--json"]).out).unwrap();
    assert_eq!((&shown["description"], &shown["host_session"]), (&json!("the first"), &json!("ses_1")));
}

#[test]
fn a_loop_that_begins_in_a_session_is_in_the_register_of_all_runs() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let register = ralph_store::Register::open(&project.state_home().join("ralph")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let all = runtime.block_on(register.list()).unwrap();
    let runs: Vec<String> = all.iter().map(|one| one.run.to_string()).collect();
    assert_eq!(runs, [session.run()]);
}

#[test]
fn files_are_not_put_back_under_an_agent_that_is_at_work() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    std::fs::write(project.tree().join("made"), "half").unwrap();
    let refused = session.command("rollback");
    assert_eq!(refused.toast(), ("error", "ralph: failed"));
    assert!(refused.prompt().contains("not put back"), "{refused:?}");
    let ran = project.ralph(&["rollback", "--yes", "--run", &session.run()]);
    assert_eq!(
        (ran.code, ran.err.contains("at work in session ses_1 of opencode")),
        (Some(2), true),
        "{ran:?}"
    );
    assert_eq!(session.stands(), (1, "running".to_owned()));
    assert!(project.tree().join("made").exists());
    session.error("MessageAbortedError");
    assert!(session.command("rollback").prompt().contains("as they were before"));
    assert!(!project.tree().join("made").exists());
}

#[test]
fn a_turn_that_outlasts_its_loop_holds_a_rollback_back() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    std::fs::write(project.tree().join("made"), "half").unwrap();
    session.command("stop");
    let roll_back = |busy: bool| json!({ "command": "ralph", "arguments": "rollback", "busy": busy });
    let refused = session.tell("command", roll_back(true));
    assert!(refused.prompt().contains("not put back"), "{refused:?}");
    assert!(project.tree().join("made").exists());
    assert!(session.tell("command", roll_back(false)).prompt().contains("as they were before"));
    assert!(!project.tree().join("made").exists());
}
