//! What a host tells of a session that needs nothing but to be written down.

use std::time::Duration;

use jiff::Timestamp;
use ralph_core::id::{RunId, SessionId};
use ralph_core::in_session::RECOVERY;
use ralph_core::moment::Moment;
use ralph_core::report::AgentExit;
use ralph_core::run::{Run, Step};
use ralph_store::{Commit, Seat, Store, StoreError};

use super::onward::Onward;
use crate::loops::{LoopError, Loops};

/// How often a change is tried that others come between; each of them has done something by then.
pub(super) const MOST_TRIES: u32 = 50;

impl<S: Store> Loops<S> {
    /// Ends the loop of a session, as a person asked. False if it has none.
    pub async fn cancel_loop(&self, session: &str) -> Result<bool, LoopError> {
        let session = SessionId::parse(session)?;
        Ok(self.aborted(&session, "cancelled").await?.is_some())
    }

    /// The session had an error that no person caused. Says when to look again.
    pub async fn stumbled(&self, session: &SessionId, what: &str) -> Result<Onward, LoopError> {
        self.erred(session, what, None).await
    }

    /// The session had an error that means what it would mean in any other run.
    pub async fn refused(&self, session: &SessionId, exit: &AgentExit) -> Result<Onward, LoopError> {
        self.erred(session, &exit.to_string(), Some(exit)).await
    }

    async fn erred(
        &self,
        session: &SessionId,
        what: &str,
        exit: Option<&AgentExit>,
    ) -> Result<Onward, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(Onward::Silence) };
        let what = self.redactor.text(what).into_owned();
        self.amend(&id, |run, now| run.stumble(&what, exit, now)).await?;
        Ok(Onward::Later { after: RECOVERY })
    }

    /// A person ended the turn, or the session is gone: so is its loop. None if there was none.
    pub async fn aborted(&self, session: &SessionId, why: &str) -> Result<Option<Onward>, LoopError> {
        match self.living(session).await? {
            Some(id) => self.abort(&id, why).await,
            None => Ok(None),
        }
    }

    pub(crate) async fn abort(&self, id: &RunId, why: &str) -> Result<Option<Onward>, LoopError> {
        let run = self.amend(id, |run, now| run.abort_session(why, now)).await?;
        Ok(run.map(|run| Onward::of(&run, Duration::ZERO)))
    }

    /// The loop goes on in another session. Said before the old one is deleted, so that this ends nothing.
    pub async fn replaced(&self, session: &SessionId, by: &SessionId) -> Result<Option<Run>, LoopError> {
        let (Some(id), Some(host)) = (self.living(session).await?, self.host.clone()) else {
            return Ok(None);
        };
        // A loop that is paused or waits has no use for another session.
        if !self.store.run(&id).await?.is_some_and(|run| matches!(run.step, Step::Code(..))) {
            return Ok(None);
        }
        // In this order: whoever dies in between is asked about the old session, and its loop is still found there.
        let moved = self.amend(&id, |run, now| run.moved_to(by.clone(), now)).await?;
        if moved.as_ref().is_some_and(|run| run.stop().is_none()) {
            self.store.bind(&id, &Seat { host, session: by.clone() }).await?;
        }
        Ok(moved)
    }

    /// Whether the agent of a session has yet to hear for the first time of the task of its loop.
    pub async fn is_unbriefed(&self, session: &SessionId) -> Result<bool, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(false) };
        let run = self.store.run(&id).await?;
        let is_first = |run: &Run| run.tally.attempts_total <= 1 && !run.is_paused();
        Ok(run.filter(is_first).and_then(|run| run.in_session).is_some_and(|place| !place.briefed))
    }

    /// Whether the agent of a session has a brief, and nothing was heard of its turn since.
    pub async fn is_at_work(&self, session: &SessionId) -> Result<bool, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(false) };
        Ok(self.store.run(&id).await?.is_some_and(|run| run.is_briefed()))
    }

    /// What the host was to be told did not reach it: the brief is given again with the next turn.
    pub async fn untold(&self, session: &SessionId) -> Result<(), LoopError> {
        if let Some(id) = self.living(session).await? {
            self.amend(&id, |run, _| run.untold()).await?;
        }
        Ok(())
    }

    /// The host was started again: a replacement of the session that was under way is no more.
    pub async fn replacement_lost(&self, session: &SessionId) -> Result<(), LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(()) };
        let run = self.store.run(&id).await?;
        if run.and_then(|run| run.in_session).is_some_and(|place| place.replacing.is_some()) {
            self.amend(&id, |run, _| run.replacement_lost()).await?;
        }
        Ok(())
    }

    /// What people asked of a loop takes effect, though nothing happens in its session.
    pub async fn heed(&self, id: &RunId) -> Result<Option<Run>, LoopError> {
        self.amend(id, |run, now| run.heed(now)).await
    }

    /// The run of the loop that a session has, or had last.
    pub async fn run_of(&self, session: &SessionId) -> Result<Option<Run>, LoopError> {
        match self.store.loop_of(self.host.as_ref(), session).await? {
            Some(id) => Ok(self.store.run(&id).await?),
            None => Ok(None),
        }
    }

    /// The agent of a session is asked something that is not its task.
    pub async fn turn_aside(&self, session: &SessionId) -> Result<(), LoopError> {
        if let Some(id) = self.living(session).await? {
            self.amend(&id, |run, _| run.asked_aside()).await?;
        }
        Ok(())
    }

    /// Writes a change of a run, after what people asked of it. Whoever else goes on with it meanwhile is refused when
    /// they write; None if there is no such run.
    pub(crate) async fn amend(
        &self,
        id: &RunId,
        change: impl Fn(&mut Run, Moment),
    ) -> Result<Option<Run>, LoopError> {
        let mut tries = 0;
        loop {
            match self.amend_once(id, &change).await {
                Err(LoopError::Store(StoreError::Fenced { .. })) if tries < MOST_TRIES => tries += 1,
                done => return done,
            }
        }
    }

    async fn amend_once(
        &self,
        id: &RunId,
        change: &impl Fn(&mut Run, Moment),
    ) -> Result<Option<Run>, LoopError> {
        let Some(mut run) = self.store.take_run(id).await? else { return Ok(None) };
        loop {
            let now = moment(&run);
            let mut next = run.clone();
            change(&mut next, now);
            match self.store.commit(&next, now.at, &self.deliveries(&next)).await? {
                Commit::Written(_) => return Ok(Some(next)),
                Commit::Controls(controls) => {
                    for (no, control) in &controls {
                        run.apply(*no, control, now);
                    }
                }
            }
        }
    }
}

pub(super) fn moment(run: &Run) -> Moment {
    Moment { at: Timestamp::now(), running: run.tally.running }
}
