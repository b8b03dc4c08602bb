//! Delivers the outbox in the background, in order, while the run goes on.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use ralph_store::{Delivery, Store, StoreError};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::Hook;
use super::call::{Answer, Desk};
use crate::error::EngineError;

/// How many deliveries are read at a time.
const BATCH: usize = 64;
/// Past every hook's own timeout: what then still hangs is left in the outbox for the next run.
const MARGIN: Duration = Duration::from_secs(10);

pub(super) struct Courier {
    pokes: mpsc::Sender<()>,
    task: JoinHandle<()>,
    patience: Duration,
}

impl Courier {
    pub(super) fn start<S: Store + 'static>(store: Arc<S>, hooks: Arc<[Hook]>, desk: Desk) -> Courier {
        let (pokes, poked) = mpsc::channel(1);
        let patience = hooks.iter().map(|hook| hook.timeout).max().unwrap_or_default() * 2 + MARGIN;
        let task = tokio::spawn(deliver(store, hooks, desk, poked));
        Courier { pokes, task, patience }
    }

    pub(super) fn poke(&self) {
        // A full channel already holds a poke.
        let _already_poked = self.pokes.try_send(());
    }

    pub(super) async fn finish(self) {
        drop(self.pokes);
        let mut task = self.task;
        if tokio::time::timeout(self.patience, &mut task).await.is_err() {
            task.abort();
        }
    }
}

async fn deliver<S: Store>(store: Arc<S>, hooks: Arc<[Hook]>, mut desk: Desk, mut poked: mpsc::Receiver<()>) {
    // What a crashed process left behind is due as well, so there is a round before the first poke and one
    // after the last.
    loop {
        let more = poked.recv().await.is_some();
        // The outbox keeps what could not be delivered now; the run goes on.
        let _kept_for_later = round(&*store, &hooks, &mut desk).await;
        if !more {
            return desk.close().await;
        }
    }
}

async fn round<S: Store>(store: &S, hooks: &[Hook], desk: &mut Desk) -> Result<(), EngineError> {
    loop {
        let due = store.due(Timestamp::now(), BATCH).await?;
        if due.is_empty() {
            return Ok(());
        }
        for delivery in due {
            one(store, hooks, desk, delivery).await?;
        }
    }
}

async fn one<S: Store>(
    store: &S,
    hooks: &[Hook],
    desk: &mut Desk,
    delivery: Delivery,
) -> Result<(), EngineError> {
    let Some(hook) = hooks.iter().find(|hook| hook.name == delivery.hook) else {
        return given_up(store, &delivery, "there is no such hook any more").await;
    };
    let payload = serde_json::to_value(&delivery.entry).expect("entries are JSON");
    match desk.call(hook, payload).await? {
        Answer::Done | Answer::Veto(_) => Ok(store.delivered(delivery.id).await?),
        Answer::Failed(why) => given_up(store, &delivery, &why).await,
    }
}

/// A hook that failed was called: calling it again could do twice what it did half.
async fn given_up<S: Store>(store: &S, delivery: &Delivery, why: &str) -> Result<(), EngineError> {
    let recorded: Result<(), StoreError> = store.failed(delivery.id, why, None).await;
    Ok(recorded?)
}
