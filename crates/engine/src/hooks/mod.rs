//! The user's hooks: commands that are told what happened, and a few that may object.
//!
//! What is told goes through the store's outbox, written with the event itself, so a crash loses no call. What may
//! object is asked before the step, and only a clear answer counts: a hook that fails or takes too long never
//! stops a run.

mod call;
mod courier;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use ralph_core::event::Event;
use ralph_core::id::RunId;
use ralph_core::run::Run;
use ralph_store::{NewDelivery, Store};

use crate::drive::Parts;
use crate::error::EngineError;
use crate::urgency::{Urgency, pressed};
use call::{Answer, Desk};
use courier::Courier;

/// One `[[hook]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    pub name: String,
    /// Names of events.
    pub on: Vec<String>,
    pub program: OsString,
    pub args: Vec<OsString>,
    pub timeout: Duration,
    pub veto: bool,
}

/// A hook's objection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Veto {
    pub(crate) hook: String,
    pub(crate) why: String,
}

pub(crate) struct Hooks {
    hooks: Arc<[Hook]>,
    desk: Option<Desk>,
    courier: Option<Courier>,
}

impl Hooks {
    pub(crate) fn new<S: Store + 'static>(parts: &Parts<S>, run: &RunId) -> Result<Hooks, EngineError> {
        let hooks: Arc<[Hook]> = parts.hooks.clone().into();
        if hooks.is_empty() {
            return Ok(Hooks { hooks, desk: None, courier: None });
        }
        let desk = || Desk::new(parts, run);
        let courier = Courier::start(parts.store.clone(), hooks.clone(), desk()?);
        Ok(Hooks { hooks, desk: Some(desk()?), courier: Some(courier) })
    }

    /// The calls that the events of the next commit cause.
    pub(crate) fn deliveries(&self, run: &Run) -> Vec<NewDelivery> {
        deliveries(&self.hooks, run)
    }

    /// Tells the courier that there may be something to deliver.
    pub(crate) fn poke(&self) {
        if let Some(courier) = &self.courier {
            courier.poke();
        }
    }

    pub(crate) fn may_veto(&self, event: &str) -> bool {
        self.hooks.iter().any(|hook| hook.veto && hook.is_on(event))
    }

    /// Asks every hook that may object to `event`. A person who aborts does not wait for the answer.
    pub(crate) async fn ask(
        &mut self,
        event: &Event,
        urgency: &mut tokio::sync::watch::Receiver<Urgency>,
    ) -> Result<Option<Veto>, EngineError> {
        let Some(desk) = &mut self.desk else { return Ok(None) };
        let payload = serde_json::to_value(event).expect("events are JSON");
        for hook in self.hooks.iter().filter(|hook| hook.veto && hook.is_on(event.name())) {
            let answer = tokio::select! {
                answer = desk.call(hook, payload.clone()) => answer?,
                _ = pressed(urgency, Urgency::None) => return Ok(None),
            };
            if let Answer::Veto(why) = answer {
                return Ok(Some(Veto { hook: hook.name.clone(), why }));
            }
        }
        Ok(None)
    }

    /// Delivers what is still due, each call within its own deadline, and ends the guards.
    pub(crate) async fn finish(&mut self) {
        if let Some(courier) = self.courier.take() {
            courier.finish().await;
        }
        if let Some(desk) = self.desk.take() {
            desk.close().await;
        }
    }
}

/// The calls that a run's fresh events cause, for whoever commits them before the run is driven.
pub fn deliveries(hooks: &[Hook], run: &Run) -> Vec<NewDelivery> {
    let mut deliveries = Vec::new();
    for (event, fresh) in run.fresh.iter().enumerate() {
        let told = hooks.iter().filter(|hook| !hook.veto && hook.is_on(fresh.event.name()));
        deliveries.extend(told.map(|hook| NewDelivery { event, hook: hook.name.clone() }));
    }
    deliveries
}

impl Hook {
    fn is_on(&self, event: &str) -> bool {
        self.on.iter().any(|name| name == event)
    }
}
