//! A recorded turn of an OpenCode server, over connections that lose, repeat and mix up what is told: the outcome is the
//! same, and the prompt is sent once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ralph_agents::acp::Permissions;
use ralph_agents::opencode::{Address, Begin, Line, Patience, Place, Task, relay};
use ralph_testkit::opencode::{Fault, LEFT_RUN, Replay, recorded_events};

/// What the relay printed, with its exit code.
fn relayed(replay: &Replay) -> (u8, Vec<Line>) {
    relayed_as(replay, Begin::Fresh, "run-1")
}

fn relayed_as(replay: &Replay, begin: Begin, run: &str) -> (u8, Vec<Line>) {
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
        run: run.to_owned(),
        begin,
        model: None,
        effort: None,
        files: Vec::new(),
        permissions: Permissions::Allow,
        is_looking: false,
        with_tool: false,
        tools: None,
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

/// Where among the calls this one is.
fn place(replay: &Replay, call: &str) -> Option<usize> {
    replay.calls().iter().position(|known| known == call)
}

/// The place of the prompt.
fn prompted(replay: &Replay) -> usize {
    replay.calls().iter().position(|call| call.ends_with("/prompt_async")).expect("a prompt")
}

#[test]
fn a_turn_that_the_run_left_at_work_ends_before_the_next_begins() {
    let replay = Replay::start(Fault::Left).unwrap();
    let (code, lines) = relayed_as(&replay, Begin::Fresh, LEFT_RUN);
    assert_eq!(code, 0, "{lines:?}");
    let aborted = place(&replay, "POST /session/ses_left/abort").expect("it was aborted");
    assert!(aborted < prompted(&replay), "{:?}", replay.calls());
    assert!(lines.contains(&Line::Left { session: "ses_left".to_owned() }), "{lines:?}");
    let others = Replay::start(Fault::Left).unwrap();
    assert_eq!(relayed(&others).0, 0);
    assert_eq!(place(&others, "POST /session/ses_left/abort"), None, "a turn of another's is none of ours");
}

#[test]
fn a_session_carries_the_run_s_mark() {
    let replay = Replay::start(Fault::None).unwrap();
    assert_eq!(relayed(&replay).0, 0);
    let title = "prompt: Do it.".to_owned();
    assert_eq!(replay.session(), (serde_json::json!({ "ralph": "run-1" }), title));
    let forgetful = Replay::start(Fault::Unmarked).unwrap();
    assert_eq!(relayed(&forgetful).0, 0);
    assert_eq!(forgetful.session().1, "prompt: Do it. (ralph run-1)");
}

#[test]
fn a_session_is_replaced_once_the_next_one_has_the_prompt() {
    let before = || Begin::Compact("ses_before".to_owned());
    let replay = Replay::start(Fault::None).unwrap();
    let (code, lines) = relayed_as(&replay, before(), "run-1");
    assert_eq!(code, 0, "{lines:?}");
    let aborted = place(&replay, "POST /session/ses_before/abort").expect("it was aborted");
    let deleted = place(&replay, "DELETE /session/ses_before").expect("it was deleted");
    assert!(prompted(&replay) < aborted && aborted < deleted, "{:?}", replay.calls());
    let refusing = Replay::start(Fault::PromptRefused).unwrap();
    let (code, lines) = relayed_as(&refusing, before(), "run-1");
    assert_eq!(code, 1, "{lines:?}");
    assert_eq!(place(&refusing, "DELETE /session/ses_before"), None, "it is still gone on with");
    let is_session = |line: &Line| matches!(line, Line::Session { .. });
    assert!(!lines.iter().any(is_session), "a session without the prompt is none to go on with: {lines:?}");
}

/// Whether the list of things to do counts.
fn todo(fault: Fault, begin: Begin) -> bool {
    let replay = Replay::start(fault).expect("a server");
    let (code, lines) = relayed_as(&replay, begin, "run-1");
    assert_eq!(code, 0, "{lines:?}");
    let Line::End(end) = last(&lines) else { panic!("{lines:?}") };
    end.todo
}

#[test]
fn a_list_counts_in_the_turn_that_it_was_written_in() {
    assert!(todo(Fault::List, Begin::Fresh));
    let session = recorded_session();
    assert!(!todo(Fault::List, Begin::Continue(session)), "it was so before the prompt");
    assert!(!todo(Fault::None, Begin::Fresh), "an empty list");
    assert!(!todo(Fault::NoList, Begin::Fresh), "one that cannot be read fails nothing");
}

fn recorded_session() -> String {
    let replay = Replay::start(Fault::None).expect("a server");
    let (_, lines) = relayed(&replay);
    lines
        .iter()
        .find_map(|line| if let Line::Session { session, .. } = line { Some(session.clone()) } else { None })
        .expect("a session")
}

#[test]
fn a_permission_whose_answer_was_not_taken_is_answered_again_and_told_once() {
    let replay = Replay::start(Fault::Asks).unwrap();
    let (code, lines) = relayed(&replay);
    assert_eq!(code, 0, "{lines:?}");
    let replies = replay.calls().iter().filter(|call| *call == "POST /permission/per_1/reply").count();
    assert_eq!(replies, 2);
    let told = lines.iter().filter(|line| matches!(line, Line::Permission { .. })).count();
    assert_eq!(told, 1, "{lines:?}");
}

#[test]
fn a_turn_of_hundreds_of_messages_is_read_to_its_beginning() {
    let replay = Replay::start(Fault::Long).unwrap();
    let (code, lines) = relayed(&replay);
    assert_eq!((code, replay.prompts()), (0, (1, 1)), "{lines:?}");
    let Line::End(end) = last(&lines) else { panic!("{lines:?}") };
    assert!(end.text.contains("<promise>"), "{end:?}");
}
