//! How what happened becomes durable, and how controls come in between.

use std::time::Duration;

use ralph_core::control::{Control, ControlNo};
use ralph_core::event::Event;
use ralph_store::{Commit, Store};

use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::EngineError;
use crate::urgency::Urgency;

/// How often the loop looks for controls that no datagram announced.
pub(crate) const LOOK: Duration = Duration::from_secs(1);

/// Whether a commit stands, or a control came first and the run went back to the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    Stands,
    Rewound,
}

impl<S: Store + 'static> Drive<S> {
    /// Where to go back to, should a control arrive before the next commit.
    pub(crate) fn remember_gate(&mut self) {
        if self.gate.is_none() {
            self.gate = Some(self.run.clone());
        }
    }

    /// Writes what is fresh. Controls that arrived meanwhile come first: nothing that they forbid is begun.
    pub(crate) async fn commit(&mut self) -> Result<Settled, EngineError> {
        for text in self.hooks.complaints() {
            self.run.note(self.now().at, Event::Notice { text });
        }
        loop {
            if self.run.fresh.is_empty() {
                self.gate = None;
                return Ok(Settled::Stands);
            }
            self.run.tally.running = self.stopwatch.running();
            self.run.will_show();
            let deliveries = self.hooks.deliveries(&self.run);
            let at = self.now().at;
            match self.parts.store.commit(&self.run, at, &deliveries).await? {
                Commit::Written(entries) => {
                    self.run.fresh.clear();
                    self.gate = None;
                    self.parts.feed.entries(entries);
                    self.hooks.poke();
                    self.show_at_hand().await?;
                    return Ok(Settled::Stands);
                }
                Commit::Controls(controls) => {
                    let rewound = self.gate.take().map(|gate| self.run = gate).is_some();
                    self.obey(&controls);
                    if rewound {
                        return Ok(Settled::Rewound);
                    }
                }
            }
        }
    }

    /// Looks for controls and at the state directory, as the loop does once a second and when told to.
    pub(crate) async fn look(&mut self) -> Result<(), EngineError> {
        if !self.parts.store.still_there() {
            return Err(EngineError::StateVanished { path: self.parts.place.state.clone() });
        }
        let controls = self.parts.store.waiting_controls(&self.run.id, self.run.controls_seen).await?;
        self.obey(&controls);
        if !self.run.fresh.is_empty() {
            self.commit().await?;
        }
        Ok(())
    }

    fn obey(&mut self, controls: &[(ControlNo, Control)]) {
        let now = self.now();
        for (no, control) in controls {
            crash_point("control.before");
            self.run.apply(*no, control, now);
            crash_point("control.after");
        }
    }

    /// A signal is a control like any other: durable first.
    pub(crate) async fn abort_by_signal(&mut self, pressing: Urgency) -> Result<(), EngineError> {
        if pressing >= Urgency::Abort {
            self.parts.store.request(&self.run.id, &Control::Abort, self.now().at).await?;
        }
        Ok(())
    }
}
