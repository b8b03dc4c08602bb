//! Sessions of hosts are remembered as they were seen.

use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Draft, Kind, MemoryEvent};
use ralph_core::sessions::{Context, Message, Mode, Role, Session, State, What};

use super::sample::{at, run, seat};
use super::{World, wait};
use crate::notes::Notes;
use crate::sessions::{Noted, Observation, Sessions};
use crate::store::Store;

fn said(id: Option<&str>, role: Role, content: &str) -> What {
    What::Said { id: id.map(str::to_owned), role, content: content.to_owned(), tools: Vec::new() }
}

fn seen(store: &impl Sessions, session: &str, what: What, at: Timestamp) {
    wait(store.observe(of(session, what, at))).unwrap();
}

fn of(session: &str, what: What, at: Timestamp) -> Observation {
    let (seat, directory) = (seat("opencode", session), "/p".to_owned());
    Observation { seat, directory, what, mode: None, transcript: None, noted: None, at }
}

fn only(store: &impl Sessions, named: &str) -> Session {
    let mut found = wait(store.find_sessions(named)).unwrap();
    assert_eq!(found.len(), 1, "{named}: {found:?}");
    found.remove(0)
}

pub fn a_session_is_read_back_as_it_was_seen(world: &impl World<Store: Sessions>) {
    let store = world.open();
    seen(&store, "ses_1", said(None, Role::User, "do it"), at(0));
    let tools = vec!["bash".to_owned(), "edit".to_owned()];
    let answer =
        What::Said { id: Some("m1".to_owned()), role: Role::Assistant, content: "done".to_owned(), tools };
    seen(&store, "ses_1", answer.clone(), at(7));
    seen(&store, "ses_1", answer, at(8));
    let session = only(&store, "ses_1");
    let expected = Session {
        no: session.no,
        host: seat("opencode", "ses_1").host,
        session: seat("opencode", "ses_1").session,
        directory: "/p".to_owned(),
        run: None,
        state: State::Active,
        mode: Mode::Agent,
        transcript: None,
        checkpoint_at: at(0),
        context: Context { asked: Some("do it".to_owned()), tool: Some("edit".to_owned()), error: None },
        started_at: at(0),
        seen_at: at(8),
    };
    assert_eq!(session, expected);
    let messages = wait(store.session_messages(session.no, 10)).unwrap();
    let told: Vec<(&str, usize, Timestamp)> =
        messages.iter().map(|message| (message.content.as_str(), message.tools.len(), message.at)).collect();
    assert_eq!(told, [("do it", 0, at(0)), ("done", 2, at(7))], "what is told twice is kept once");
    assert_eq!(wait(store.session_messages(session.no + 1, 10)).unwrap(), Vec::<Message>::new());
}

pub fn a_checkpoint_is_made_when_the_rule_says_so(world: &impl World<Store: Sessions>) {
    let store = world.open();
    let kinds = [
        said(None, Role::User, "x"),
        said(None, Role::Assistant, "x"),
        What::Tool { name: "bash".to_owned() },
        What::Idle,
        What::Seen,
        What::Interrupted,
        What::Error { what: "x".to_owned() },
        What::Ended,
    ];
    for (kind, what) in kinds.iter().enumerate() {
        for (step, later) in [-600, -1, 0, 1, 299, 300, 301].into_iter().enumerate() {
            let name = format!("ses_{kind}_{step}");
            seen(&store, &name, What::Idle, at(1_000));
            seen(&store, &name, what.clone(), at(1_000 + later));
            let due = what.due().holds(Some(at(1_000)), at(1_000 + later));
            let expected = if due { at(1_000 + later) } else { at(1_000) };
            let session = only(&store, &name);
            assert_eq!((session.checkpoint_at, session.state), (expected, what.leaves()), "{what:?} {later}");
        }
    }
}

pub fn a_session_is_found_by_number_name_and_beginning(world: &impl World<Store: Sessions>) {
    let store = world.open();
    for (name, second) in [("ses_ab", 0), ("ses_abc", 1), ("other", 2)] {
        seen(&store, name, What::Idle, at(second));
    }
    let names = |named: &str| -> Vec<String> {
        let found = wait(store.find_sessions(named)).unwrap();
        found.into_iter().map(|session| session.session.as_str().to_owned()).collect()
    };
    assert_eq!(names("ses_ab"), ["ses_ab"]);
    assert_eq!(names("ses_"), ["ses_abc", "ses_ab"]);
    assert_eq!(names(&only(&store, "other").no.to_string()), ["other"]);
    seen(&store, "never_seen", What::Ended, at(3));
    assert_eq!((names("never_seen"), names("")), (Vec::new(), Vec::<String>::new()));
    let all = wait(store.sessions()).unwrap();
    let order: Vec<&str> = all.iter().map(|session| session.session.as_str()).collect();
    assert_eq!(order, ["other", "ses_abc", "ses_ab"], "the one seen last first");
}

pub fn a_resumed_session_is_active_with_a_checkpoint(world: &impl World<Store: Sessions>) {
    let store = world.open();
    seen(&store, "ses_1", What::Error { what: "it broke".to_owned() }, at(0));
    let before = only(&store, "ses_1");
    assert_eq!((before.state, before.context.error.as_deref()), (State::Failed, Some("it broke")));
    assert!(wait(store.resume_session(before.no, at(9_000))).unwrap());
    let after = only(&store, "ses_1");
    assert_eq!((after.state, after.checkpoint_at, after.started_at), (State::Active, at(9_000), at(0)));
    assert!(!wait(store.resume_session(before.no + 7, at(9_001))).unwrap());
}

pub fn a_session_names_its_loop_and_keeps_its_last_messages(world: &impl World<Store: Sessions>) {
    let store = world.open();
    let run = run();
    wait(store.create_loop(&run, at(0), &seat("opencode", "ses_1").into(), &[])).unwrap();
    for second in 0..130 {
        seen(&store, "ses_1", said(None, Role::User, &second.to_string()), at(second));
        seen(&store, "ses_2", said(None, Role::User, "other"), at(second));
    }
    let session = only(&store, "ses_1");
    assert_eq!((session.run.as_ref(), only(&store, "ses_2").run), (Some(&run.id), None));
    let kept = wait(store.session_messages(session.no, usize::MAX)).unwrap();
    assert_eq!((kept.len(), kept[0].content.as_str(), kept[99].content.as_str()), (100, "30", "129"));
    let last = wait(store.session_messages(session.no, 10)).unwrap();
    assert_eq!(last, kept[90..]);
    assert!(kept.iter().all(|message| message.at >= at(0) + Duration::from_secs(30)));
}

pub fn what_is_told_of_a_session_later_adds_to_it(world: &impl World<Store: Sessions>) {
    let store = world.open();
    let (ours, foreign) = (seat("opencode", "ses_1"), seat("claude", "ses_1"));
    let planned = Observation {
        mode: Some(Mode::Plan),
        transcript: Some("/p/t.jsonl".to_owned()),
        ..of("ses_1", What::Seen, at(0))
    };
    wait(store.observe(planned)).unwrap();
    seen(&store, "ses_1", What::Idle, at(1));
    let session = wait(store.session_of(&ours)).unwrap().unwrap();
    assert_eq!((session.mode, session.transcript.as_deref()), (Mode::Plan, Some("/p/t.jsonl")));
    assert_eq!(wait(store.session_of(&foreign)).unwrap(), None);
    seen(&store, "ses_2", What::Idle, at(1));
    let kept = wait(store.transcripts(&ours.host)).unwrap();
    assert_eq!(kept.into_iter().collect::<Vec<_>>(), [(ours.session.clone(), "/p/t.jsonl".to_owned())]);
    assert!(wait(store.transcripts(&foreign.host)).unwrap().is_empty());
    wait(store.observe(Observation { mode: Some(Mode::Agent), ..of("ses_1", What::Idle, at(2)) })).unwrap();
    assert_eq!(wait(store.session_of(&ours)).unwrap().unwrap().mode, Mode::Agent);
}

pub fn tools_belong_to_the_message_that_follows_them(world: &impl World<Store: Sessions>) {
    let store = world.open();
    let tool = |name: &str| What::Tool { name: name.to_owned() };
    let mut second = 0;
    let mut told = |what: What| {
        second += 1;
        seen(&store, "ses_1", what, at(second));
    };
    told(tool("Read"));
    told(tool("Bash \" ,"));
    told(said(None, Role::Assistant, "one"));
    told(said(None, Role::Assistant, "two"));
    told(tool("Edit"));
    told(said(None, Role::User, "no"));
    told(said(None, Role::Assistant, "three"));
    (0..150).for_each(|_| told(tool("Read")));
    told(said(None, Role::Assistant, "four"));
    let session = only(&store, "ses_1");
    let tools: Vec<Vec<String>> = wait(store.session_messages(session.no, 10))
        .unwrap()
        .into_iter()
        .map(|message| message.tools)
        .collect();
    assert_eq!(tools[0], ["Read", "Bash \" ,"]);
    assert!(tools[1..4].iter().all(Vec::is_empty), "{tools:?}");
    assert_eq!(tools[4].len(), 100);
}

pub fn observations_are_bounded_for_each_iteration(world: &impl World<Store: Sessions + Notes>) {
    let store = world.open();
    let note = |number: u64, of: &str| Noted {
        event: MemoryEvent::Observed {
            note: NoteId::new(at(0), number),
            draft: Box::new(Draft::new(Kind::Pattern, format!("{of} {number}"))),
        },
        of: of.to_owned(),
        most: 3,
    };
    let tool = || What::Tool { name: "Bash".to_owned() };
    for (number, iteration) in (0..).zip(["r 1", "r 1", "r 1", "r 1", "r 1", "r 2", "r 2"]) {
        let noted = Some(note(number, iteration));
        wait(store.observe(Observation { noted, ..of("ses_1", tool(), at(0)) })).unwrap();
        seen(&store, "ses_1", What::Idle, at(0));
    }
    let log = wait(store.memory_log(0, 100)).unwrap();
    let said: Vec<String> = log
        .into_iter()
        .filter_map(|line| match line.event? {
            MemoryEvent::Observed { draft, .. } => Some(draft.content),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["r 1 0", "r 1 1", "r 1 2", "r 2 5", "r 2 6"]);
}
