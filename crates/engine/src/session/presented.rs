//! A host tells of a session for the first time: a loop that was started there without naming a host is its own.

use ralph_core::id::{RunId, SessionId};
use ralph_core::run::Run;
use ralph_store::{Commit, Seat, Store, StoreError};

use super::told::{MOST_TRIES, moment};
use crate::loops::{Living, LoopError, Loops};

/// What a host finds that tells of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presented {
    pub seen: Living,
    /// Why a loop that had waited for a host is over: this one cannot do what it asks for.
    pub refused: Option<String>,
}

impl<S: Store> Loops<S> {
    /// Binds a loop that waits for whichever host tells of its session first, durably and before anything follows from
    /// what is told. Of hosts that do so at once, one is the first, and the others find nothing. `refusal` says why this host could
    /// never see such a loop through.
    pub async fn presented(
        &self,
        session: &SessionId,
        seen: Living,
        refusal: impl Fn(&Run) -> Option<String>,
    ) -> Result<Presented, LoopError> {
        let (Some(id), Some(host)) = (&seen.unpresented, &self.host) else {
            return Ok(Presented { seen, refused: None });
        };
        let seat = Seat { host: host.clone(), session: session.clone() };
        let mut tries = 0;
        let refused = loop {
            match self.claim(id, &seat, &refusal).await {
                Err(LoopError::Store(StoreError::Fenced { .. })) if tries < MOST_TRIES => tries += 1,
                done => break done?,
            }
        };
        Ok(Presented { seen: self.look(session).await?, refused })
    }

    /// Nothing, where somebody was quicker.
    async fn claim(
        &self,
        id: &RunId,
        seat: &Seat,
        refusal: &impl Fn(&Run) -> Option<String>,
    ) -> Result<Option<String>, LoopError> {
        let Some(mut run) = self.store.take_unpresented(id).await? else { return Ok(None) };
        if run.stop().is_some() {
            return Ok(None);
        }
        loop {
            let now = moment(&run);
            let mut next = run.clone();
            next.presented_by(&seat.host, now);
            let refused = refusal(&next);
            if let Some(why) = &refused {
                next.abort_session(why, now);
            }
            match self.store.present(&next, now.at, seat, &self.deliveries(&next)).await? {
                Commit::Written(_) => return Ok(refused),
                Commit::Controls(controls) => {
                    for (no, control) in &controls {
                        run.apply(*no, control, now);
                    }
                }
            }
        }
    }
}
