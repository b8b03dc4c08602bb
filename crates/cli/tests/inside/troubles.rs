//! What goes wrong: with the agent's provider, and with ralph itself.

use serde_json::{Value, json};

use super::{Answer, Session, project, told};

/// A turn that ended with an error of the provider.
fn failed(session: &Session<'_>, id: &str, error: &Value) -> Answer {
    session.tell("idle", json!({ "message": { "id": id, "text": "", "error": error } }))
}

#[test]
fn a_limit_of_the_provider_is_waited_for_and_is_nobodys_failure() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let error =
        json!({ "name": "APIError", "message": "slow down", "status": 429, "retry_after_ms": 90_000 });
    for attempt in 1..=3 {
        let id = format!("m{attempt}");
        let waits = failed(&session, &id, &error);
        assert_eq!((waits.kinds(), waits.toast()), (vec!["toast", "due"], ("warning", "ralph: waiting")));
        assert!(waits.get("toast")["message"].as_str().unwrap().contains("limited: slow down"), "{waits:?}");
        let after = waits.get("due")["after_ms"].as_u64().unwrap();
        assert!((80_000..=90_000).contains(&after), "{after}");
    }
    // It stands still, and no attempt has failed.
    assert_eq!(session.stands(), (1, "paused".to_owned()));
    assert!(session.command("status").prompt().contains("it waits until"));
    let early = session.due();
    assert_eq!(early.kinds(), ["toast", "due"]);
    let short = json!({ "name": "APIError", "message": "Rate limit exceeded", "retry_after_ms": 500 });
    let other = Session::of(&project, "ses_2");
    other.command("fix it");
    let again = failed(&other, "m1", &short);
    assert!(again.prompt().contains("attempt 2"), "{again:?}");
}

#[test]
fn a_missing_login_ends_the_loop_as_it_ends_a_run() {
    let cases = [
        json!({ "name": "APIError", "message": "who are you", "status": 401 }),
        json!({ "name": "ProviderAuthError", "message": "who are you" }),
    ];
    for error in cases {
        let project = project();
        let session = Session::of(&project, "ses_1");
        session.command("fix it");
        let ended = failed(&session, "m1", &error);
        assert_eq!((ended.kinds(), ended.toast()), (vec!["toast"], ("error", "ralph: failed")), "{error}");
        let told = ended.get("toast")["message"].as_str().unwrap().to_owned();
        assert!(
            told.contains("not logged in: who are you") && told.contains("opencode auth login"),
            "{told}"
        );
        assert_eq!(session.stands(), (1, "failed".to_owned()));
    }
}

#[test]
fn an_error_that_leaves_no_message_behind_means_the_same() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let error = json!({ "name": "APIError", "message": "who are you", "status": 401 });
    assert_eq!(session.tell("error", json!({ "error": error })).kinds(), ["toast", "recheck"]);
    std::thread::sleep(std::time::Duration::from_millis(5_050));
    session.tell("idle", json!({}));
    assert!(session.status()["evidence"].as_str().unwrap().contains("not logged in: who are you"));
}

#[test]
fn a_turn_that_cannot_be_judged_pauses_the_loop_and_the_person_is_told() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it --criteria custom='exit 1'");
    let run = session.run();
    // Where the output of the next check is to go, there is something else.
    let output = project.state().join("output").join(&run);
    std::fs::create_dir_all(output.join("1")).unwrap();
    let broken = break_config(&project);
    let message = json!({ "message": { "id": "m1", "text": "x", "finish": "stop" } });
    let out =
        told(project.command(&["hook", "opencode"]), session.event("idle", message).to_string().as_bytes());
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&out.stderr).lines().count(), 1);
    let answer = Answer::of(&out);
    assert_eq!((answer.kinds(), answer.toast()), (vec!["toast"], ("warning", "ralph: loop paused")));
    std::fs::remove_file(broken).unwrap();
    assert_eq!(session.stands(), (1, "paused".to_owned()));
    let journal = project.ralph(&["logs", &run]).out;
    assert!(journal.contains("the loop is paused"), "{journal}");
    project.ralph(&["resume", &run]);
    assert!(session.idle("m2", "x").prompt().contains("iteration 2"));
}

/// Settings that cannot be used.
fn break_config(project: &ralph_testkit::Project) -> std::path::PathBuf {
    let path = project.tree().join(".ralph/config.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "[limits]\nmax_iterations = \"many\"\n").unwrap();
    path
}

#[test]
fn what_an_agent_says_is_kept_without_its_secrets() {
    let project = project().with("SHOP_API_TOKEN", "s3cr3t-value-1234");
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle("m1", "The token is s3cr3t-value-1234. Shall I use it?");
    session.idle("m2", "It is still s3cr3t-value-1234.");
    let mut dirs = vec![project.state_home()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            if entry.path().is_dir() {
                dirs.push(entry.path());
            } else {
                let bytes = std::fs::read(entry.path()).unwrap();
                let found = bytes.windows(17).any(|window| window == b"s3cr3t-value-1234");
                assert!(!found, "{}", entry.path().display());
            }
        }
    }
}

#[test]
fn a_replacement_that_dies_with_its_host_is_made_up_for_after_a_restart() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it --strategy reset");
    assert!(session.idle("m1", "one").kinds().contains(&"new_session"));
    // OpenCode was closed before there was a new session; it is started again, and a person speaks.
    session.tell("message", json!({ "message": { "text": "go on" }, "first": false }));
    let next = session.idle("m2", "I am not sure what to do.");
    assert!(next.kinds().contains(&"new_session"), "{next:?}");
    assert_eq!(session.stands(), (2, "running".to_owned()));
}
