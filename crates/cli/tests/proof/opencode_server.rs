//! An OpenCode server that was adopted, as a recorded turn is played back: what ralph makes of it, and what it refuses.

use nix::sys::signal::Signal;
use ralph_testkit::opencode::{Fault, Replay};
use ralph_testkit::{Live, PATIENCE, Project, Ran, kill_nine, send, survivors, until};
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
    let (project, replay) = (project(), Replay::start(Fault::Slow).unwrap());
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
    assert_eq!(holding(&project, "hunter2"), "", "the password is in no file of ralph's");
}

/// The files of ralph's with this in them.
fn holding(project: &Project, text: &str) -> String {
    let found = std::process::Command::new("grep").args(["-rl", text]).arg(project.state_home()).output();
    String::from_utf8_lossy(&found.unwrap().stdout).into_owned()
}

#[test]
fn a_login_in_the_address_is_used_and_kept_nowhere() {
    let (name, token) = ("bWU6aHVudGVyMmh1bnRlcjI=", "?auth_token=bWU6aHVudGVyMmh1bnRlcjI%3D");
    for place in ["me:hunter2hunter2@", token] {
        let (project, replay) = (project(), Replay::start(Fault::None).unwrap());
        let bare = replay.url();
        let url = match place.starts_with('?') {
            true => format!("{bare}/{place}"),
            false => bare.replace("http://", &format!("http://{place}")),
        };
        let args = ["run", "do it", "--agent", "opencode-server", "--attach", &url, "--max-iterations", "1"];
        let ran = project.start(&[&args[..], &["--promise", WORD, "--no-nonce"]].concat()).end(PATIENCE);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        assert!(!replay.logins().is_empty());
        assert!(
            replay.logins().iter().all(|login| *login == format!("Basic {name}")),
            "{:?}",
            replay.logins()
        );
        for secret in ["hunter2", "aHVudGVyM", "auth_token"] {
            assert_eq!(holding(&project, secret), "", "{place}");
        }
    }
}

#[test]
fn the_password_of_a_server_reaches_neither_agents_nor_checks() {
    let project = project().agent("env > agent.env; touch done; echo '<promise>DONE</promise>'");
    let project = project.with("OPENCODE_SERVER_PASSWORD", "hunter2hunter2");
    let check = "custom=env > check.env; test -e done";
    let ran = project.ralph(&["run", "do it", "--criteria", check, "--max-iterations", "1"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    for file in ["agent.env", "check.env"] {
        let seen = std::fs::read_to_string(project.tree().join(file)).unwrap();
        assert!(seen.contains("PATH=") && !seen.contains("hunter2"), "{file}: {seen}");
    }
}

/// All of them at once, so that none can tell another.
fn kill_all(live: &mut Live, run: &str) {
    let mut all = vec![live.pid(), live.guard()];
    all.extend(survivors(run).into_iter().map(|(pid, _)| pid));
    all.iter().for_each(|pid| send(*pid, Signal::SIGSTOP));
    all.iter().for_each(|pid| kill_nine(*pid));
    live.kill();
}

#[test]
fn a_turn_that_was_left_at_work_is_aborted_before_the_run_goes_on() {
    for command in [&["resume"][..], &["stop"], &["run", "something else", "--new"]] {
        let (project, replay) = (project().agent("true"), Replay::start(Fault::Endless).unwrap());
        let url = replay.url();
        let mut live = project.start(&["run", "do it", "--agent", "opencode-server", "--attach", &url]);
        until(PATIENCE, "a prompt", || (replay.prompts().1 == 1).then_some(()));
        let run = project.run_id().unwrap();
        assert_eq!(replay.session().0["ralph"], run.as_str());
        kill_all(&mut live, &run);
        assert_eq!(replay.aborted(), 0, "nobody was there to do it");
        let mut next = project.start(command);
        until(PATIENCE, "an abort", || (replay.aborted() == 1 || next.is_over()).then_some(()));
        assert_eq!(replay.aborted(), 1, "{command:?}: {}{}", next.out(), next.err());
        if command == ["resume"] {
            until(PATIENCE, "the next prompt", || (replay.prompts().1 == 2).then_some(()));
            let told = project.journal().iter().any(|entry| entry.to_string().contains("had left at work"));
            assert!(told, "{:?}", project.events());
            assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
        }
        next.end(PATIENCE);
    }
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
    refused(&server(&["--attach", "http://me:hunter2hunter2@192.0.2.1:4096"]), "in the clear");
    refused(&server(&["--attach", "http://127.0.0.1:4096/?auth_token=!"]), "OPENCODE_SERVER_PASSWORD");
    refused(&["--agent", "opencode-server", "--attach", &url, "--require", "tool"], "ralph install opencode");
    refused(&server(&["--attach", "127.0.0.1:4096"]), "http://HOST:PORT");
    refused(&server(&["--session-mode", "once"]), "\"compact\"");
    refused(&["--agent", "opencode-server", "--attach", &url, "--model", "sonnet"], "provider/model");
    assert_eq!(replay.prompts(), (0, 0));
}

/// Stands where OpenCode would be started, starts the server that it is told of as OpenCode does, asks it one thing, and ends.
const STARTED: &str = r#"#!/usr/bin/env python3
import json, os, subprocess, sys
if "--version" in sys.argv:
    print("1.18.33")
    sys.exit(0)
told = json.loads(os.environ.get("OPENCODE_CONFIG_CONTENT") or "{}")
server = told.get("mcp", {}).get("ralph")
if not server:
    open("../answer", "w").write("no server")
    sys.exit(1)
clean = {name: value for name, value in os.environ.items() if not name.startswith("RALPH_")}
mcp = subprocess.Popen(server["command"], env={**clean, **server["environment"]}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(number, method, params):
    mcp.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    mcp.stdin.flush()
    return mcp.stdout.readline()
hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "opencode", "version": "1"}}
ask(1, "initialize", hello)
mcp.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
note = {"kind": "discovery", "content": "the flux capacitor needs 1.21 gigawatts"}
answer = ask(2, "tools/call", {"name": "task", "arguments": {}}) + ask(3, "tools/call", {"name": "remember", "arguments": note})
open("../answer", "w").write(answer)
mcp.stdin.close()
mcp.wait()
sys.exit(1)
"#;

#[test]
fn a_server_that_is_started_has_ralphs_tools_of_its_attempt_where_they_are_wanted() {
    for (wanted, parts) in [("true", &["make it fly", "isError\":false"][..]), ("false", &["no server"])] {
        let project = project();
        let program = project.base().join("opencode-stand-in");
        std::fs::write(&program, STARTED).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let config = format!("[agents.opencode-server]\nprogram = {:?}\n", program.to_string_lossy());
        std::fs::write(project.user_config(), config).unwrap();
        let project = project.with("RALPH_SET_MEMORY__TOOLS", wanted);
        let args = ["run", "make it fly", "--agent", "opencode-server", "--max-iterations", "1"];
        let ran = project.ralph(&[&args[..], &["--on-error", "abort"]].concat());
        let answer = std::fs::read_to_string(project.base().join("answer"));
        let answer = answer.unwrap_or_else(|error| panic!("{wanted}: {error}: {}{}", ran.out, ran.err));
        for part in parts {
            assert!(answer.contains(part), "{wanted}: {answer}");
        }
    }
}
