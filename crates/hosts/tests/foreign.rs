//! What an event costs, and means, that is about no loop: one look at the store, and nothing else.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::sync::Arc;

use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::in_session::Turn;
use ralph_core::redact::Redactor;
use ralph_core::run::Run;
use ralph_engine::Parts;
use ralph_engine::loops::{LoopOptions, Loops};
use ralph_engine::session::Provide;
use ralph_hosts::arguments::Start;
use ralph_hosts::wire::{Act, Action};
use ralph_hosts::{Ground, Happening, Original, answer};
use ralph_store::SqliteStore;

/// A project that must not be looked at.
struct Untouched;

impl Provide<SqliteStore> for Untouched {
    async fn parts(&self, _run: &Run) -> Result<Option<Parts<SqliteStore>>, String> {
        panic!("nothing is judged")
    }
}

impl Ground<SqliteStore> for Untouched {
    async fn options(&self, _asked: &Start) -> Result<LoopOptions, String> {
        panic!("nothing begins")
    }

    fn original(&self) -> Option<Original> {
        None
    }

    async fn roll_back(&self, _run: &RunId) -> Result<String, String> {
        panic!("nothing is put back")
    }

    fn keep_summary(&self, _folder: &str, _session: &SessionId, _summary: &str) -> Result<(), String> {
        panic!("nothing is kept")
    }
}

fn session(id: &str) -> SessionId {
    SessionId::parse(id).unwrap()
}

fn happenings() -> Vec<Happening> {
    let turn = Turn { message: Some("m1".to_owned()), text: "done".to_owned(), ..Turn::default() };
    vec![
        Happening::Idle(Box::new(turn)),
        Happening::Aborted,
        Happening::Error { what: "x".to_owned() },
        Happening::Gone,
        Happening::Message { text: "x".to_owned(), first: true },
        Happening::Message { text: "x".to_owned(), first: false },
        Happening::Replaced { by: session("ses_3"), summary: None },
        Happening::Undelivered { what: "x".to_owned() },
        Happening::Other,
    ]
}

/// A look is a transaction with one statement in it: three in all.
#[tokio::test]
async fn an_event_of_a_session_without_a_loop_is_one_look_and_moves_no_loop() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let host = AgentName::parse("opencode").unwrap();
    let loops = Loops::new(store.clone(), host, Redactor::new([]));
    assert!(loops.start_loop("ses_1", "fix it", LoopOptions::default()).await.unwrap());
    let before = loops.state(Some("ses_1")).await.unwrap();
    for happening in happenings() {
        let stats = store.stats();
        let actions = answer(&session("ses_2"), happening.clone(), &loops, &Untouched).await.unwrap();
        let after = store.stats();
        assert_eq!((after.reads - stats.reads, after.commits - stats.commits), (1, 0), "{happening:?}");
        let asks_after = |action: &Action| matches!(action.act, Act::Recheck { only_existence: true });
        assert!(actions.iter().all(asks_after), "{happening:?}: {actions:?}");
    }
    assert_eq!(loops.state(Some("ses_1")).await.unwrap(), before);
}

#[tokio::test]
async fn loops_of_another_host_are_nobodys_business() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let of = |name: &str| Loops::new(store.clone(), AgentName::parse(name).unwrap(), Redactor::new([]));
    assert!(of("claude").start_loop("ses_1", "fix it", LoopOptions::default()).await.unwrap());
    for happening in happenings() {
        let actions =
            answer(&session("ses_1"), happening.clone(), &of("opencode"), &Untouched).await.unwrap();
        assert_eq!(actions, [], "{happening:?}");
    }
    assert!(of("claude").is_active("ses_1").await.unwrap());
}

/// Every host tells of it at the same time, each from a process of its own.
#[tokio::test]
async fn of_hosts_that_present_a_session_at_once_one_has_its_loop() {
    let dir = tempfile::tempdir().unwrap();
    let of = |host: Option<&str>| {
        let host = host.map(|name| AgentName::parse(name).unwrap());
        Loops::new(Arc::new(SqliteStore::open(dir.path()).unwrap()), host, Redactor::new([]))
    };
    let whichever = of(None);
    for n in 0..10 {
        let id = format!("ses_{n}");
        assert!(whichever.start_loop(&id, "fix it", LoopOptions::default()).await.unwrap());
        assert!(!of(Some("claude")).is_active(&id).await.unwrap(), "a look binds nothing");
        let presents = |host: &'static str| {
            let (loops, session) = (of(Some(host)), session(&id));
            async move {
                let seen = loops.look(&session).await.unwrap();
                loops.presented(&session, seen, |_| None).await.unwrap().seen.here
            }
        };
        let (one, two, three) = tokio::join!(presents("claude"), presents("codex"), presents("opencode"));
        assert_eq!([one, two, three].iter().flatten().count(), 1, "round {n}");
        let view = whichever.state(Some(&id)).await.unwrap().unwrap();
        assert_eq!(view.host.as_ref(), Some(&view.agent), "round {n}");
        assert!(of(view.host.as_ref().map(AgentName::as_str)).is_active(&id).await.unwrap());
    }
}

#[tokio::test]
async fn a_loop_of_no_host_is_in_the_way_of_every_other_and_can_be_replaced() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let of = |host: Option<&str>| {
        let host = host.map(|name| AgentName::parse(name).unwrap());
        Loops::new(store.clone(), host, Redactor::new([]))
    };
    let replace = || LoopOptions { replace: true, ..LoopOptions::default() };
    let (whichever, claude) = (of(None), of(Some("claude")));
    assert!(whichever.start_loop("ses_1", "one", LoopOptions::default()).await.unwrap());
    assert!(!claude.start_loop("ses_1", "two", LoopOptions::default()).await.unwrap());
    assert!(claude.start_loop("ses_1", "two", replace()).await.unwrap());
    assert!(!whichever.start_loop("ses_1", "three", LoopOptions::default()).await.unwrap());
    assert!(whichever.start_loop("ses_1", "three", replace()).await.unwrap());
    assert!(!claude.is_active("ses_1").await.unwrap());
    assert!(!claude.cancel_loop("ses_1").await.unwrap(), "it is no loop of claude's");
    assert!(whichever.cancel_loop("ses_1").await.unwrap());
    assert!(!whichever.is_active("ses_1").await.unwrap());
}
