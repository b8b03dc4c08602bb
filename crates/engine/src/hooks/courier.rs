//! Delivers the outbox in the background, in order, while the run goes on.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use ralph_store::{Delivery, Store};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::Hook;
use super::announce::Announcing;
use super::call::{Answer, Desk};
use crate::error::{EngineError, chain};
use crate::urgency::{Urgency, pressed};

/// How many deliveries are read at a time.
const BATCH: usize = 64;
/// Past every hook's own timeout: what then still hangs is left in the outbox for the next run.
const MARGIN: Duration = Duration::from_secs(10);

/// What a person who aborted allows the hooks that are told of it.
const LAST_CALLS: Duration = Duration::from_secs(2);
const MOST_COMPLAINTS: usize = 32;

pub(super) struct Courier {
    pokes: mpsc::Sender<()>,
    complaints: mpsc::Receiver<String>,
    task: JoinHandle<()>,
    patience: Duration,
}

impl Courier {
    pub(super) fn start<S: Store + 'static>(store: Arc<S>, hooks: Arc<[Hook]>, desk: Desk) -> Courier {
        let (pokes, poked) = mpsc::channel(1);
        let (complain, complaints) = mpsc::channel(MOST_COMPLAINTS);
        let patience = patience(&hooks);
        let task = tokio::spawn(deliver(Round { store, hooks, desk, complain }, poked));
        Courier { pokes, complaints, task, patience }
    }

    pub(super) fn poke(&self) {
        // A full channel already holds a poke.
        let _already_poked = self.pokes.try_send(());
    }

    /// What went wrong since the last time.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.complaints.try_recv().ok()).collect()
    }

    pub(super) async fn finish(self, urgency: &mut watch::Receiver<Urgency>) {
        drop(self.pokes);
        let mut task = self.task;
        let pressed = async {
            if pressed(urgency, Urgency::None).await == Urgency::Abort {
                tokio::select! {
                    _ = pressed(urgency, Urgency::Abort) => {}
                    () = tokio::time::sleep(LAST_CALLS) => {}
                }
            }
        };
        tokio::select! {
            _ = &mut task => return,
            () = tokio::time::sleep(self.patience) => {}
            () = pressed => {}
        }
        task.abort();
    }
}

/// Delivers what waits in the outbox, where no run is driven. What does not fit into this time stays there; what went
/// wrong is handed back in words.
pub async fn deliver_due<S: Store>(
    store: Arc<S>,
    hooks: Vec<Hook>,
    announcing: Announcing,
    within: Duration,
) -> Vec<String> {
    let (complain, mut complaints) = mpsc::channel(MOST_COMPLAINTS);
    let desk = Desk::of_session(announcing);
    let mut round = Round { store, hooks: hooks.into(), desk, complain };
    let failed = match tokio::time::timeout(within, round.deliver_all()).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(chain(&error)),
        Err(_) => Some("what hooks are to be told of takes longer; the rest is kept for later".to_owned()),
    };
    round.desk.close().await;
    std::iter::from_fn(|| complaints.try_recv().ok()).chain(failed).collect()
}

/// How long the end of what is being delivered is waited for.
pub(super) fn patience(hooks: &[Hook]) -> Duration {
    hooks.iter().map(|hook| hook.timeout).max().unwrap_or_default() * 2 + MARGIN
}

/// All that a delivery needs.
struct Round<S> {
    store: Arc<S>,
    hooks: Arc<[Hook]>,
    desk: Desk,
    complain: mpsc::Sender<String>,
}

async fn deliver<S: Store>(mut round: Round<S>, mut poked: mpsc::Receiver<()>) {
    loop {
        // What a crashed process left behind is due as well, so there is a round before the first poke and one
        // after the last. The outbox keeps what could not be delivered now; the run goes on.
        let _kept_for_later = round.deliver_all().await;
        if poked.recv().await.is_none() {
            let _kept_for_later = round.deliver_all().await;
            return round.desk.close().await;
        }
    }
}

impl<S: Store> Round<S> {
    async fn deliver_all(&mut self) -> Result<(), EngineError> {
        loop {
            let due = self.store.due(Timestamp::now(), BATCH).await?;
            if due.is_empty() {
                return Ok(());
            }
            for delivery in due {
                self.deliver_one(delivery).await?;
            }
        }
    }

    async fn deliver_one(&mut self, delivery: Delivery) -> Result<(), EngineError> {
        let Some(hook) = self.hooks.iter().find(|hook| hook.name == delivery.hook) else {
            return self.give_up(&delivery, "there is no such hook any more").await;
        };
        let payload = serde_json::to_value(&delivery.entry).expect("entries are JSON");
        match self.desk.call(hook, payload, Some(&delivery.run)).await? {
            Answer::Done | Answer::Veto(_) => Ok(self.store.delivered(delivery.id).await?),
            Answer::Failed(why) => self.give_up(&delivery, &why).await,
        }
    }

    /// A hook that failed was called: calling it again could do twice what it did half.
    async fn give_up(&mut self, delivery: &Delivery, why: &str) -> Result<(), EngineError> {
        let name = delivery.entry.event.name();
        let complaint = format!("hook `{}` failed on {name}: {why}", delivery.hook);
        // Whoever has not read the last complaints has enough of them.
        let _enough = self.complain.try_send(complaint);
        Ok(self.store.failed(delivery.id, why, None).await?)
    }
}
