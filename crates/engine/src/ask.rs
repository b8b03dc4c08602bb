//! Asking the hooks that may object, without being deaf meanwhile.

use ralph_core::event::Event;
use ralph_core::report::Fault;
use ralph_store::Store;
use serde_json::Value;

use crate::drive::Drive;
use crate::error::EngineError;
use crate::hooks::Veto;
use crate::settle::LOOK;
use crate::urgency::{Urgency, pressed};

pub(crate) enum Asked {
    Go,
    Veto(Veto),
    /// Somebody aborted, or the run's time was up, before the answer came.
    CutShort(Fault),
}

impl<S: Store + 'static> Drive<S> {
    pub(crate) async fn ask(&mut self, event: &Event) -> Result<Asked, EngineError> {
        let payload = serde_json::to_value(event).expect("events are JSON");
        self.ask_about(event.name(), payload).await
    }

    /// What is asked about need not become an event.
    pub(crate) async fn ask_about(&mut self, event: &str, payload: Value) -> Result<Asked, EngineError> {
        let mut asking = self.hooks.begin_asking(event, payload, &self.parts, &self.run.id)?;
        let left = self.run.time_left(self.stopwatch.running());
        let end = left.map(|left| tokio::time::Instant::now() + left);
        loop {
            tokio::select! {
                answered = &mut asking => {
                    let (desk, answer) = answered.expect("a question neither panics nor is aborted while awaited");
                    self.hooks.done_asking(desk);
                    return Ok(answer?.map_or(Asked::Go, Asked::Veto));
                }
                () = at(end) => {
                    asking.abort();
                    return Ok(Asked::CutShort(Fault::TimeUp));
                }
                pressing = pressed(&mut self.parts.urgency, Urgency::None) => self.abort_by_signal(pressing).await?,
                () = self.bell.rung() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
            self.look().await?;
            if let Some(fault) = self.run.cut_short_by() {
                asking.abort();
                return Ok(Asked::CutShort(fault));
            }
        }
    }
}

async fn at(end: Option<tokio::time::Instant>) {
    match end {
        Some(end) => tokio::time::sleep_until(end).await,
        None => std::future::pending().await,
    }
}
