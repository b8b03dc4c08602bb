//! The user's hooks: commands that are told what happened, and a few that may object.
//!
//! What is told goes through the store's outbox, written with the event itself, so a crash loses no call. What may
//! object is asked before the step, and only a clear answer counts: a hook that fails or takes too long never
//! stops a run.

mod announce;
mod call;
mod courier;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use ralph_core::id::RunId;
use ralph_core::run::Run;
use ralph_store::{NewDelivery, Store};
use serde_json::Value;
use tokio::sync::watch;

use crate::drive::Parts;
use crate::error::EngineError;
use crate::urgency::Urgency;
pub use announce::{Announcing, announce};
use call::Answer;
pub(crate) use call::{Desk, sealed};
use courier::Courier;
pub use courier::deliver_due;

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

    /// Begins to ask every hook that may object to what is called `event`.
    pub(crate) fn begin_asking<S>(
        &mut self,
        event: &str,
        payload: Value,
        parts: &Parts<S>,
        run: &RunId,
    ) -> Result<Asking, EngineError> {
        let desk = match self.desk.take() {
            Some(desk) => desk,
            None => Desk::new(parts, run)?,
        };
        let asked = self.hooks.iter().filter(|hook| hook.veto && hook.is_on(event)).cloned().collect();
        Ok(tokio::spawn(ask_all(desk, asked, payload, run.clone())))
    }

    /// Takes the desk back from a question that was answered.
    pub(crate) fn done_asking(&mut self, desk: Desk) {
        self.desk = Some(desk);
    }

    /// What hooks that failed are to be known by.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        self.courier.as_mut().map(Courier::complaints).unwrap_or_default()
    }

    /// Delivers what is still due, each call within its own deadline, and ends the guards. Someone who has asked to
    /// end does not wait: what is left stays in the outbox.
    pub(crate) async fn finish(&mut self, urgency: &mut watch::Receiver<Urgency>) {
        if let Some(courier) = self.courier.take() {
            courier.finish(urgency).await;
        }
        if let Some(desk) = self.desk.take() {
            desk.close().await;
        }
    }
}

/// A question under way. Aborting it ends the hook that is being asked.
pub(crate) type Asking = tokio::task::JoinHandle<(Desk, Result<Option<Veto>, EngineError>)>;

async fn ask_all(
    mut desk: Desk,
    hooks: Vec<Hook>,
    payload: Value,
    run: RunId,
) -> (Desk, Result<Option<Veto>, EngineError>) {
    for hook in hooks {
        match desk.call(&hook, payload.clone(), Some(&run)).await {
            Ok(Answer::Veto(why)) => return (desk, Ok(Some(Veto { hook: hook.name, why }))),
            Ok(Answer::Done | Answer::Failed(_)) => {}
            Err(error) => return (desk, Err(error)),
        }
    }
    (desk, Ok(None))
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

/// What all of them may take while a run goes on by one step: those that may object are waited for one by one, and
/// the others at the end.
pub fn allowance(hooks: &[Hook]) -> Duration {
    let asked = hooks.iter().filter(|hook| hook.veto).map(|hook| hook.timeout * hook.on.len() as u32);
    let told = if hooks.is_empty() { Duration::ZERO } else { courier::patience(hooks) };
    asked.sum::<Duration>() + told
}

impl Hook {
    fn is_on(&self, event: &str) -> bool {
        self.on.iter().any(|name| name == event)
    }
}
