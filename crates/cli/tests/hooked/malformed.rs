//! Events that are none: whichever host they come from, no loop is moved, nobody is blocked, and one line says why.

mod corpus;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Session, project, told};
use corpus::{Shape, classes};

/// A whole event of each host, about a session in which a loop lives where the host is Claude Code.
fn shapes(living: &Session<'_>) -> Vec<Shape> {
    let hooked = |host, stop: &str, prompt: &str, said: Value| {
        let mut event = living.event(stop, said);
        event["session_id"] = json!("ses-1");
        let mut typed = living.event(prompt, json!({ "prompt": "@@" }));
        typed["session_id"] = json!("ses-1");
        Shape { host, event, typed, name: "hook_event_name", session: "session_id", directory: "cwd" }
    };
    let said = || json!({ "last_assistant_message": "@@" });
    let directory = living.project.tree();
    vec![
        hooked("claude", "Stop", "UserPromptSubmit", said()),
        hooked("codex", "Stop", "UserPromptSubmit", said()),
        hooked("gemini", "AfterAgent", "BeforeAgent", json!({ "prompt_response": "@@" })),
        hooked("qwen", "Stop", "UserPromptSubmit", said()),
        Shape {
            host: "opencode",
            event: json!({ "v": 1, "event": "idle", "session": "ses-1", "directory": directory,
                           "message": { "id": "m1", "text": "@@" } }),
            typed: json!({ "v": 1, "event": "command", "session": "ses-1", "directory": directory,
                           "command": "@@" }),
            name: "event",
            session: "session",
            directory: "directory",
        },
    ]
}

/// What is wrong with how a hook took an event, if anything.
fn harm(living: &Session<'_>, host: &str, case: &[u8]) -> Option<String> {
    let out = told(living.project.command(&["hook", host, "--within", "60"]), case);
    let why = String::from_utf8_lossy(&out.stderr).into_owned();
    let is_let_go = (out.status.code(), out.stdout.as_slice()) == (Some(1), &b""[..]);
    let is_one_line = why.lines().count() == 1 && why.starts_with("ralph: ") && why.len() < 4_100;
    let is_plain = !why.contains("panicked") && !why.trim_end().chars().any(char::is_control);
    (!(is_let_go && is_one_line && is_plain)).then(|| format!("{:?} {:?}", out.status, out))
}

#[test]
fn a_turn_whose_last_words_were_cut_inside_a_character_counts() {
    let project = project();
    let living = Session::of(&project, "ses-1");
    living.types("/ralph fix it");
    let stop = |words: &str| {
        let event = living.event("Stop", json!({ "last_assistant_message": words }));
        let cut = event.to_string().replace("HALF", "\\ud83d");
        told(living.project.command(&["hook", "claude", "--within", "60"]), cut.as_bytes())
    };
    assert_eq!(stop("I saw: abcHALF").status.code(), Some(0));
    assert_eq!(living.stands(), (2, "running".to_owned()));
    stop(&format!("I saw: HALF\n{}", living.promise()));
    assert_eq!(living.stands(), (2, "completed".to_owned()));
}

#[test]
fn five_hundred_malformed_events_harm_no_host() {
    let project = project();
    let living = Session::of(&project, "ses-1");
    living.types("/ralph fix it --max-iterations 100000");
    let mut cases: Vec<(&str, &str, Vec<u8>)> = Vec::new();
    for shape in shapes(&living) {
        for (class, own) in classes(&shape) {
            assert!(own.len() >= 5, "{class} of {}", shape.host);
            cases.extend(own.into_iter().map(|case| (class, shape.host, case)));
        }
    }
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    cases.iter().for_each(|(class, _, _)| *counted.entry(class).or_default() += 1);
    println!("{} malformed events in {} classes: {counted:?}", cases.len(), counted.len());
    assert!(cases.len() >= 500 && counted.len() >= 15);
    let living = &living;
    let harmed: Vec<String> = std::thread::scope(|scope| {
        let try_all = |part: &[(&str, &str, Vec<u8>)]| -> Vec<String> {
            let tried = part.iter().filter_map(|(class, host, case)| {
                let shown = String::from_utf8_lossy(&case[..case.len().min(120)]).into_owned();
                Some(format!("{host}, {class}: {shown}: {}", harm(living, host, case)?))
            });
            tried.collect()
        };
        let parts = cases.chunks(cases.len().div_ceil(4));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || try_all(part))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(harmed.is_empty(), "{} of {}: {:#?}", harmed.len(), cases.len(), &harmed[..harmed.len().min(9)]);
    assert_eq!(living.stands(), (1, "running".to_owned()), "no malformed event moved the loop");
}
