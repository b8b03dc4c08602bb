//! Waiting: for a time, or for a person.

use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::run::{Step, Until};
use ralph_store::Store;

use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::EngineError;
use crate::settle::{LOOK, Settled};
use crate::urgency::{Urgency, pressed};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    Out,
    Moved,
}

impl<S: Store + 'static> Drive<S> {
    pub(crate) async fn wait(&mut self, until: Until, then: Step) -> Result<(), EngineError> {
        crash_point("wait.before");
        self.lay_down().await;
        if self.commit().await? == Settled::Rewound {
            return Ok(());
        }
        crash_point("wait.inside");
        let waited = match until {
            Until::Time { from, to } => self.wait_until(Some(remaining(from, to))).await?,
            Until::Reset { from, to } | Until::Answer { from, to, .. } => {
                self.wait_still(Some(remaining(from, to))).await?
            }
            Until::Told => self.wait_still(None).await?,
        };
        crash_point("wait.after");
        if waited == Waited::Out {
            self.run.after_wait(then, self.now());
        }
        Ok(())
    }

    /// Waits without using up the run's own time.
    async fn wait_still(&mut self, remaining: Option<Duration>) -> Result<Waited, EngineError> {
        self.stopwatch.hold();
        let waited = self.wait_until(remaining).await;
        self.stopwatch.go_on();
        waited
    }

    /// Waits for the time or for a control that moves the run on.
    async fn wait_until(&mut self, remaining: Option<Duration>) -> Result<Waited, EngineError> {
        let step = self.run.step.clone();
        let end = remaining.map(|remaining| tokio::time::Instant::now() + remaining);
        loop {
            let time_is_up = async {
                match end {
                    Some(end) => tokio::time::sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = time_is_up => return Ok(Waited::Out),
                () = self.bell.rung() => {}
                () = tokio::time::sleep(LOOK) => {}
                pressing = pressed(&mut self.parts.urgency, Urgency::None) => self.abort_by_signal(pressing).await?,
            }
            self.look().await?;
            self.parts.store.heartbeat(&self.run.id, self.stopwatch.running()).await?;
            if self.run.step != step {
                return Ok(Waited::Moved);
            }
        }
    }
}

/// What is left to wait; never more than was meant, should the clock have been turned back.
pub(crate) fn remaining(from: Timestamp, to: Timestamp) -> Duration {
    let now = Timestamp::now();
    let left = |from: Timestamp| Duration::try_from(to.duration_since(from)).unwrap_or_default();
    left(now).min(left(from))
}
