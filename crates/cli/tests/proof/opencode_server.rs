//! An OpenCode server that was adopted, as a recorded turn is played back: what ralph makes of it, and what it refuses.

use ralph_testkit::opencode::{Fault, Replay};
use ralph_testkit::{PATIENCE, Project, Ran, survivors, until};
use serde_json::Value;

use crate::project;

/// The word that was given in the recording.
const WORD: &str = "DONE-4c7f";

fn run(project: &Project, replay: &Replay, more: &[&str]) -> Ran {
    let args =
        ["run", "do it", "--agent", "opencode-server", "--attach", &replay.url(), "--max-iterations", "1"];
    let args = [&args[..], &["--promise", WORD, "--no-nonce"], more].concat();
    project.start(&args).end(PATIENCE)
}

/// How the latest attempt ended.
fn exit(project: &Project) -> Value {
    let journal = project.journal();
    let ended = journal.iter().rev().find(|entry| entry["type"] == "attempt_ended");
    ended.expect("an attempt has ended")["ending"]["reported"]["exit"].clone()
}

#[test]
fn a_turn_is_shown_counted_and_believed_and_its_screen_is_told() {
    let (project, replay) = (project(), Replay::start(Fault::None).unwrap());
    let project = project.with("OPENCODE_SERVER_PASSWORD", "hunter2hunter2");
    let ran = run(&project, &replay, &["--verbose"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("→ write") && ran.out.contains("I write the file."), "{}", ran.out);
    let status = project.status().unwrap();
    assert_eq!(
        (&status["usage"]["input_tokens"], &status["usage"]["output_tokens"]),
        (&2000.into(), &100.into())
    );
    let toasts: Vec<(String, String)> = replay
        .toasts()
        .iter()
        .map(|toast| {
            (toast["variant"].as_str().unwrap().to_owned(), toast["message"].as_str().unwrap().to_owned())
        })
        .collect();
    let begins =
        |at: usize, variant: &str, text: &str| toasts[at].0 == variant && toasts[at].1.starts_with(text);
    assert!(begins(0, "info", "started: do it; at most 1 iteration,"), "{toasts:?}");
    assert!(begins(1, "info", "iteration 1/1"), "{toasts:?}");
    assert!(begins(2, "success", "the loop is complete"), "{toasts:?}");
    assert_eq!(replay.prompts(), (1, 1));
    let kept = std::process::Command::new("grep")
        .args(["-rl", "hunter2"])
        .arg(project.state_home())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&kept.stdout), "", "the password is in no file of ralph's");
}

#[test]
fn a_stop_aborts_the_session_before_it_ends_the_relay() {
    let (project, replay) = (project(), Replay::start(Fault::Endless).unwrap());
    let url = replay.url();
    let mut live = project.start(&["run", "do it", "--agent", "opencode-server", "--attach", &url]);
    until(PATIENCE, "a prompt", || (replay.prompts().1 == 1).then_some(()));
    assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    assert_eq!(live.end(PATIENCE).code, Some(130));
    assert_eq!(replay.aborted(), 1);
    assert_eq!(survivors(&project.run_id().unwrap()), []);
    assert_eq!(replay.toasts().last().unwrap()["message"].as_str().map(|text| &text[..9]), Some("cancelled"));
}

#[test]
fn a_server_that_must_be_mended_stops_the_run_at_once() {
    for (fault, word) in [(Fault::Old, "opencode upgrade"), (Fault::Html, "look at the address")] {
        let (project, replay) = (project(), Replay::start(fault).unwrap());
        let ran = run(&project, &replay, &[]);
        assert_eq!((ran.code, &exit(&project)["kind"]), (Some(1), &"misconfigured".into()), "{}", ran.out);
        assert!(ran.out.contains(word), "{fault:?}: {}", ran.out);
        assert_eq!(replay.prompts(), (0, 0), "{fault:?}");
    }
}

#[test]
fn a_server_that_is_not_there_is_tried_again() {
    let project = project();
    let gone = "http://127.0.0.1:9";
    let args =
        ["run", "do it", "--agent", "opencode-server", "--attach", gone, "--max-consecutive-failures", "2"];
    let ran = project.start(&args).end(PATIENCE);
    assert_eq!((ran.code, &exit(&project)["kind"]), (Some(1), &"network".into()), "{}", ran.out);
    assert_eq!(project.status().unwrap()["attempts"], 2);
}

#[test]
fn what_cannot_be_had_is_refused_before_the_run() {
    let replay = Replay::start(Fault::None).unwrap();
    let url = replay.url();
    let refused = |args: &[&str], word: &str| {
        let project = project().agent("true");
        let ran = project.ralph(&[&["run", "do it"], args].concat());
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(word), "{args:?}: {}", ran.err);
    };
    let server = |more: &[&'static str]| [&["--agent", "opencode-server"], more].concat();
    refused(&["--require", "tool"], "has no means to show `tool`");
    refused(&["--require", "todo"], "opencode-server");
    refused(&["--agent", "opencode-server", "--attach", &url, "--sandbox"], "outside of any sandbox");
    refused(&server(&["--attach", "http://me:secret@127.0.0.1:4096"]), "OPENCODE_SERVER_PASSWORD");
    refused(&server(&["--attach", "127.0.0.1:4096"]), "http://HOST:PORT");
    refused(&server(&["--session-mode", "once"]), "\"compact\"");
    refused(&["--agent", "opencode-server", "--attach", &url, "--model", "sonnet"], "provider/model");
    assert_eq!(replay.prompts(), (0, 0));
}
