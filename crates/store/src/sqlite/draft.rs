//! A run made ready for writing, on the caller's thread: the writer's has better things to do.

use ralph_core::Timestamp;
use ralph_core::control::ControlNo;
use ralph_core::id::RunId;
use ralph_core::run::{Fresh, Run};
use serde::Serialize;

use crate::outbox::NewDelivery;
use crate::summary::Headline;

pub(super) struct Draft {
    pub(super) id: RunId,
    pub(super) at: Timestamp,
    pub(super) unfinished: bool,
    pub(super) headline: String,
    pub(super) checkpoint: String,
    pub(super) controls_seen: ControlNo,
    /// Each with its text.
    pub(super) events: Vec<(Fresh, String)>,
    pub(super) deliveries: Vec<NewDelivery>,
}

impl Draft {
    pub(super) fn of(run: &Run, at: Timestamp, deliveries: &[NewDelivery]) -> Draft {
        for delivery in deliveries {
            assert!(delivery.event < run.fresh.len(), "a delivery belongs to an event of its own commit");
        }
        Draft {
            id: run.id.clone(),
            at,
            unfinished: run.is_unfinished(),
            headline: json(&Headline::of(run, at)),
            checkpoint: json(run),
            controls_seen: run.controls_seen,
            events: run.fresh.iter().map(|fresh| (fresh.clone(), json(&fresh.event))).collect(),
            deliveries: deliveries.to_vec(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let events: usize = self.events.iter().map(|(_, text)| text.len()).sum();
        self.headline.len() + self.checkpoint.len() + events
    }
}

pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the language has no map with keys that are not text")
}
