//! What a person asks of a loop inside a session from outside of it. No process waits for it there, so it takes effect
//! here.

use std::sync::Arc;

use ralph_core::control::Control;
use ralph_core::id::RunId;
use ralph_core::in_session::{InSession, named};
use ralph_core::run::Run;
use ralph_engine::loops::Loops;
use ralph_store::SqliteStore;

use crate::announced::Own;
use crate::commands::here;
use crate::commands::loops::loop_problem;
use crate::perform::redactor;
use crate::problem::Problems;

/// A control that is written down.
pub(crate) struct Asked<'a> {
    pub(crate) id: &'a RunId,
    pub(crate) place: &'a InSession,
    pub(crate) control: &'a Control,
    /// What becomes of a run that takes it up by itself.
    pub(crate) told: &'a str,
    /// Whether a hook judges its last turn just now.
    pub(crate) is_driven: bool,
}

impl Asked<'_> {
    /// Says what comes of it.
    pub(crate) async fn settle(&self, store: Arc<SqliteStore>) -> Result<String, Problems> {
        // Whoever takes the run from a hook throws away what that found: a stop may, nothing else does.
        let takes = match self.control {
            Control::Stop | Control::Abort => true,
            Control::Pause | Control::Resume | Control::Answer { .. } => !self.is_driven,
            Control::Skip { .. }
            | Control::SetIterations { .. }
            | Control::SetAgent { .. }
            | Control::SetModel { .. }
            | Control::SetEffort { .. }
            | Control::Steer { .. } => false,
        };
        let run = match takes {
            true => {
                let own = Own::at(&here()?, &store).await;
                let told = own.as_ref().map(|own| own.hooks.clone()).unwrap_or_default();
                let loops = Loops::new(store.clone(), self.place.host.clone(), redactor()).with_hooks(told);
                let run = loops.heed(self.id).await.map_err(|error| loop_problem(&error))?;
                if let Some(own) = own {
                    own.deliver(store, Own::PATIENCE).await;
                }
                run
            }
            false => None,
        };
        Ok(format!("run {} {}", self.id, self.outcome(run.as_ref())))
    }

    fn outcome(&self, run: Option<&Run>) -> String {
        let InSession { session, host, .. } = self.place;
        let place = named(session, host.as_ref());
        let Some(run) = run else { return self.told.to_owned() };
        match self.control {
            Control::Pause if run.is_paused() => format!("is paused; `ralph resume {}` goes on", self.id),
            Control::Pause => format!("pauses when the turn in {place} ends"),
            Control::Resume => format!("goes on when the next turn in {place} ends"),
            _ if run.stop().is_some() => {
                format!("is stopped; a turn in {place} ends by itself, and nothing follows it")
            }
            _ => self.told.to_owned(),
        }
    }
}
