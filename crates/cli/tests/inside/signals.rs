//! What ends a hook ends no loop.

use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use ralph_testkit::until;
use serde_json::json;

use super::{Session, project};

const SOON: Duration = Duration::from_secs(20);

/// A hook that hears of the end of a turn, and its standard input as long as it is open.
fn hook(session: &Session<'_>) -> Child {
    let message = json!({ "message": { "id": "m1", "text": "x", "finish": "stop" } });
    let mut command = session.project.command(&["hook", "opencode"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(session.event("idle", message).to_string().as_bytes()).unwrap();
    child
}

/// Begins a loop whose check does not end from now on, unless there is a file `green`; says how its process is found.
fn under_way<'a>(session: &'a Session<'_>) -> impl Fn() -> Pid + 'a {
    let base = session.project.base();
    let (begun, green) = (base.join("begun"), base.join("green"));
    std::fs::write(&green, "").unwrap();
    let check = format!("test -e {0} || {{ echo $$ > {1}; sleep 300; }}", green.display(), begun.display());
    session.command(&format!("make it --criteria custom='{check}'"));
    std::fs::remove_file(&green).unwrap();
    move || {
        until(SOON, "the check runs", || {
            std::fs::read_to_string(&begun).ok()?.trim().parse::<i32>().ok().map(Pid::from_raw)
        })
    }
}

#[test]
fn a_signal_in_the_middle_of_the_checks_leaves_the_loop_where_it_was() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let project = project();
        let session = Session::of(&project, "ses_1");
        let pid = under_way(&session);
        let child = hook(&session);
        let pid = pid();
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stdout.as_slice()), (Some(1), &b""[..]), "{signal}");
        assert_eq!(String::from_utf8_lossy(&ended.stderr).lines().count(), 1, "{signal}");
        until(SOON, "the check is gone", || kill(pid, None).is_err().then_some(()));
        assert_eq!(session.stands(), (1, "running".to_owned()), "{signal}");
        std::fs::write(project.base().join("green"), "").unwrap();
        let next = session.idle("m1", "x");
        assert!(next.prompt().contains("iteration 2 of 100"), "{signal}: {next:?}");
        assert_eq!(session.stands(), (2, "running".to_owned()), "{signal}");
    }
}

#[test]
fn a_stop_from_outside_ends_the_checks_that_a_hook_runs() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    let pid = under_way(&session);
    let child = hook(&session);
    let pid = pid();
    let stopped = project.ralph(&["stop", &session.run()]);
    assert!(stopped.out.contains("is stopped"), "{stopped:?}");
    assert_eq!(session.stands(), (1, "stopped".to_owned()));
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!((ended.status.code(), ended.stdout.as_slice()), (Some(0), &b""[..]), "{told}");
    until(SOON, "the check is gone", || kill(pid, None).is_err().then_some(()));
    assert_eq!(session.stands(), (1, "stopped".to_owned()));
}

#[test]
fn a_brief_that_nobody_took_is_given_with_the_next_turn() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    session.idle_once("m1", "one");
    std::thread::sleep(Duration::from_millis(30));
    let mut command = project.command(&["hook", "opencode"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(session.event("due", json!({})).to_string().as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(session.stands(), (2, "running".to_owned()));
    let told = session.idle("m2", "a turn about something else");
    assert!(told.prompt().contains("iteration 2 of 100"), "{told:?}");
    assert_eq!(session.stands(), (2, "running".to_owned()));
}

#[test]
fn a_check_that_takes_its_time_is_given_it() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    let green = project.base().join("green");
    std::fs::write(&green, "").unwrap();
    session.command(&format!("make it --criteria custom='test -e {} || sleep 32'", green.display()));
    std::fs::remove_file(&green).unwrap();
    let promise = session.promise();
    assert_eq!(session.idle("m1", &promise).toast().0, "success");
}

#[test]
fn a_hook_that_is_stuck_ends_by_itself() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let mut child = session.project.command(&["hook", "opencode"]);
    let mut child = child.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    let kept_open = child.stdin.take().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    assert!((25..60).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    assert_eq!(String::from_utf8_lossy(&ended.stderr).lines().count(), 1);
    drop(kept_open);
    assert_eq!(session.stands(), (1, "running".to_owned()));
}
