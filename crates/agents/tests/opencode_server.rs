//! A recorded turn of an OpenCode server, over connections that lose, repeat and mix up what is told: the outcome is the
//! same, and the prompt is sent once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ralph_agents::acp::Permissions;
use ralph_agents::opencode::{Address, Begin, Line, Patience, Place, Task, relay};
use ralph_testkit::opencode::{Fault, Replay, recorded_events};

/// What the relay printed, with its exit code.
fn relayed(replay: &Replay) -> (u8, Vec<Line>) {
    let patience = Patience {
        settle: Duration::from_millis(600),
        back: Duration::from_secs(5),
        look: Duration::from_millis(300),
        ..Patience::default()
    };
    let task = Task {
        place: Place::Adopted(Address { url: replay.url(), login: None }),
        brief: "Do it.".to_owned(),
        dir: "/project".into(),
        title: "prompt: Do it.".to_owned(),
        begin: Begin::Fresh,
        model: None,
        effort: None,
        files: Vec::new(),
        permissions: Permissions::Allow,
        is_looking: false,
        with_tool: false,
        patience,
    };
    let lines = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&lines);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let tell = move |line: Line| told.lock().expect("nobody panics").push(line);
    let code = runtime.block_on(relay(task, tell, std::future::pending()));
    let lines = lines.lock().expect("nobody panics").clone();
    (code, lines)
}

fn last(lines: &[Line]) -> &Line {
    lines.last().expect("a last line")
}

/// The parts that were shown, in any order.
fn shown(lines: &[Line]) -> Vec<String> {
    let is_part = |line: &&Line| matches!(line, Line::Text(_) | Line::ToolUse(_) | Line::StepFinish(_));
    let mut parts: Vec<String> = lines.iter().filter(is_part).map(Line::text).collect();
    parts.sort();
    parts
}

/// The name of the error that it ended with.
fn error(lines: &[Line]) -> String {
    match last(lines) {
        Line::Error(failed) => failed.error["name"].as_str().unwrap_or_default().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_turn_comes_out_the_same_whatever_becomes_of_one_event() {
    let undisturbed = Replay::start(Fault::None).unwrap();
    let (code, expected) = relayed(&undisturbed);
    assert_eq!((code, undisturbed.prompts(), undisturbed.aborted()), (0, (1, 1), 0));
    let Line::End(end) = last(&expected) else { panic!("{expected:?}") };
    assert!(end.reason == "stop" && end.text.contains("<promise>"), "{end:?}");
    assert_eq!((end.tokens.input, end.tokens.cache.read, end.tokens.output), (1400.0, 600.0, 100.0));
    assert_eq!(shown(&expected).len(), 5, "two texts, a tool and two steps: {expected:?}");
    let places = 0..recorded_events();
    let faults: Vec<Fault> =
        places.flat_map(|at| [Fault::Cut(at), Fault::Twice(at), Fault::Late(at), Fault::Idle(at)]).collect();
    let left = Mutex::new(faults.into_iter());
    // Most of the time is spent waiting for a connection that was cut.
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                loop {
                    let Some(fault) = left.lock().unwrap().next() else { return };
                    let replay = Replay::start(fault).unwrap();
                    let (code, lines) = relayed(&replay);
                    assert_eq!((code, last(&lines)), (0, last(&expected)), "{fault:?}");
                    assert_eq!(shown(&lines), shown(&expected), "{fault:?}");
                    assert_eq!(replay.prompts(), (1, 1), "{fault:?}");
                }
            });
        }
    });
}

#[test]
fn a_prompt_whose_answer_is_lost_is_not_sent_again_to_a_session_that_has_it() {
    let taken = Replay::start(Fault::PromptUnanswered).unwrap();
    let (code, lines) = relayed(&taken);
    assert_eq!((code, taken.prompts()), (0, (1, 1)), "{lines:?}");
    let lost = Replay::start(Fault::PromptLost).unwrap();
    let (code, lines) = relayed(&lost);
    assert_eq!((code, lost.prompts()), (0, (2, 1)), "{lines:?}");
}

#[test]
fn a_turn_that_is_never_finished_is_a_server_that_lost_it() {
    let replay = Replay::start(Fault::Unfinished).unwrap();
    let (code, lines) = relayed(&replay);
    assert_eq!((code, error(&lines).as_str()), (1, "ServerGone"), "{lines:?}");
    assert_eq!(replay.aborted(), 1, "whatever may still go on there is to end");
}

#[test]
fn a_server_that_cannot_be_trusted_or_is_none_gets_no_prompt() {
    for (fault, name) in [(Fault::Old, "ServerTooOld"), (Fault::Html, "NotOpencode")] {
        let replay = Replay::start(fault).unwrap();
        let (code, lines) = relayed(&replay);
        assert_eq!((code, error(&lines).as_str()), (1, name), "{lines:?}");
        assert_eq!(replay.prompts(), (0, 0));
    }
}
