//! Several processes tell of one loop at the same time: what each has to say is written, and a cancel wins.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::sync::Arc;

use ralph_core::id::{AgentName, SessionId};
use ralph_core::redact::Redactor;
use ralph_core::stop::StopReason;
use ralph_engine::loops::{LoopOptions, Loops};
use ralph_store::{SqliteStore, Store};

#[tokio::test]
async fn a_cancel_is_not_lost_among_others_who_write() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let host = AgentName::parse("opencode").unwrap();
    let loops = Loops::new(store.clone(), host, Redactor::new([]));
    for n in 0..10 {
        let id = format!("ses_{n}");
        let session = SessionId::parse(&id).unwrap();
        assert!(loops.start_loop(&id, "fix it", LoopOptions::default()).await.unwrap());
        let run = loops.look(&session).await.unwrap().here.unwrap();
        let error = || loops.stumbled(&session, "an error");
        let (first, cancelled, second, third) =
            tokio::join!(error(), loops.cancel_loop(&id), error(), error());
        assert!(cancelled.unwrap(), "round {n}");
        for told in [first, second, third] {
            told.unwrap();
        }
        let stop = store.run(&run).await.unwrap().unwrap().stop().cloned().unwrap();
        assert_eq!(stop.reason, StopReason::Aborted, "round {n}");
    }
}
