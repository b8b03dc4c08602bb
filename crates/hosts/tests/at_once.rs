//! Several processes tell of one loop at the same time: what each has to say is written, and a cancel wins.

use std::sync::Arc;

use ralph_core::id::{AgentName, SessionId};
use ralph_core::redact::Redactor;
use ralph_core::stop::StopReason;
use ralph_engine::loops::{LoopOptions, Loops};
use ralph_store::{SqliteStore, Store};

#[tokio::test]
async fn a_cancel_is_not_lost_among_others_who_write() {
    let dir = tempfile::tempdir().unwrap();
    // Each process has a handle of its own.
    let of = || {
        let store = Arc::new(SqliteStore::open(dir.path()).unwrap());
        (store.clone(), Loops::new(store, AgentName::parse("opencode").unwrap(), Redactor::new([])))
    };
    let (store, first) = of();
    let others = [of().1, of().1, of().1];
    for n in 0..10 {
        let id = format!("ses_{n}");
        let session = SessionId::parse(&id).unwrap();
        assert!(first.start_loop(&id, "fix it", LoopOptions::default()).await.unwrap());
        let run = first.look(&session).await.unwrap().here.unwrap();
        let error = |loops: usize| others[loops].stumbled(&session, "an error");
        let (cancelled, one, two, three) = tokio::join!(first.cancel_loop(&id), error(0), error(1), error(2));
        assert!(cancelled.unwrap(), "round {n}");
        for told in [one, two, three] {
            told.unwrap();
        }
        let stop = store.run(&run).await.unwrap().unwrap().stop().cloned().unwrap();
        assert_eq!(stop.reason, StopReason::Aborted, "round {n}");
    }
}
