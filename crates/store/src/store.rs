//! The operations that last.

use std::future::Future;
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::control::{Control, ControlNo};
use ralph_core::event::Entry;
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::run::Run;

use crate::error::StoreError;
use crate::outbox::{Delivery, DeliveryId, NewDelivery};
use crate::session::{Berth, Seat};
use crate::summary::RunSummary;
use crate::trust::Trusted;

type Result<T> = std::result::Result<T, StoreError>;

/// What becomes of an unfinished run of the same project when a new one is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// It stays, and the new one is refused.
    Refuse,
    /// It can never be written or resumed again.
    Supersede,
}

/// What a commit came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commit {
    /// The run's `fresh` events, each with its place. The caller clears `fresh`.
    Written(Vec<Entry>),
    /// Nothing was written, because the run has not seen these yet: apply them and commit again.
    Controls(Vec<(ControlNo, Control)>),
}

/// One project's lasting state.
///
/// A run is driven by one handle at a time: the one that created it or last [took](Store::take_run) it. Every
/// other handle may look, and may ask things of it.
pub trait Store: crate::notes::Notes + Send + Sync {
    /// Whether others can still find what this handle writes: a file that was removed goes on accepting writes.
    fn still_there(&self) -> bool;

    /// Writes a new run with its `fresh` events, which then begin the journal with `seq` 1.
    ///
    /// Loops inside sessions do not count as unfinished runs of the project: see [`Store::loops`].
    fn create_run(
        &self,
        run: &Run,
        at: Timestamp,
        over: Unfinished,
        deliveries: &[NewDelivery],
    ) -> impl Future<Output = Result<Vec<Entry>>> + Send;

    /// Writes a new run that lives in a session of a host; refused while that session has an unfinished one.
    fn create_loop(
        &self,
        run: &Run,
        at: Timestamp,
        berth: &Berth,
        deliveries: &[NewDelivery],
    ) -> impl Future<Output = Result<Vec<Entry>>> + Send;

    /// Writes where the run stands and its `fresh` events, and marks the controls it has seen as applied, all or
    /// nothing. Controls that it has not seen are returned instead, so that no step begins after a cancel was
    /// acknowledged.
    fn commit(
        &self,
        run: &Run,
        at: Timestamp,
        deliveries: &[NewDelivery],
    ) -> impl Future<Output = Result<Commit>> + Send;

    /// Records how long the run has been running, so that a crash never under-counts it. Never goes back.
    fn heartbeat(&self, run: &RunId, running: Duration) -> impl Future<Output = Result<()>> + Send;

    /// The run as it was last written, to look at.
    fn run(&self, id: &RunId) -> impl Future<Output = Result<Option<Run>>> + Send;

    /// The run as it was last written, to go on with: from now on only this handle may write it.
    fn take_run(&self, id: &RunId) -> impl Future<Output = Result<Option<Run>>> + Send;

    /// The newest first.
    fn runs(&self, limit: usize) -> impl Future<Output = Result<Vec<RunSummary>>> + Send;

    /// The newest that does not live in a session of a host.
    fn latest_run(&self) -> impl Future<Output = Result<Option<RunSummary>>> + Send;

    /// The one run whose id begins like this.
    fn find_run(&self, prefix: &str) -> impl Future<Output = Result<RunId>> + Send;

    /// The journal of a run from the line after `after` on.
    fn entries(
        &self,
        run: &RunId,
        after: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Entry>>> + Send;

    /// Asks something of a run. Once this has returned, no commit succeeds that has not seen it.
    fn request(
        &self,
        run: &RunId,
        control: &Control,
        at: Timestamp,
    ) -> impl Future<Output = Result<ControlNo>> + Send;

    fn waiting_controls(
        &self,
        run: &RunId,
        after: ControlNo,
    ) -> impl Future<Output = Result<Vec<(ControlNo, Control)>>> + Send;

    /// Hook calls whose time has come, the oldest first.
    fn due(&self, now: Timestamp, limit: usize) -> impl Future<Output = Result<Vec<Delivery>>> + Send;

    /// The hook was called; it is never due again, whatever is said of it later.
    fn delivered(&self, id: DeliveryId) -> impl Future<Output = Result<()>> + Send;

    /// The call failed: to be made again at a given time, or given up.
    fn failed(
        &self,
        id: DeliveryId,
        why: &str,
        try_again: Option<Timestamp>,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Trusts exactly what has this hash; an earlier hash of the same thing is no longer trusted.
    fn grant(&self, what: &str, hash: &str, at: Timestamp) -> impl Future<Output = Result<()>> + Send;

    fn is_trusted(&self, what: &str, hash: &str) -> impl Future<Output = Result<bool>> + Send;

    /// Whether it had been trusted.
    fn revoke(&self, what: &str) -> impl Future<Output = Result<bool>> + Send;

    fn trusted(&self) -> impl Future<Output = Result<Vec<Trusted>>> + Send;

    /// Moves a loop to another session, because its host replaced the session; refused while the new session
    /// has an unfinished loop of its own.
    fn bind(&self, run: &RunId, seat: &Seat) -> impl Future<Output = Result<()>> + Send;

    /// A loop that no host has presented yet, to go on with, as by `take_run`. None once a host has: that one goes on.
    fn take_unpresented(&self, id: &RunId) -> impl Future<Output = Result<Option<Run>>> + Send;

    /// Writes the run as `commit` does, and that it lives in this session of this host from now on, all or nothing.
    fn present(
        &self,
        run: &Run,
        at: Timestamp,
        seat: &Seat,
        deliveries: &[NewDelivery],
    ) -> impl Future<Output = Result<Commit>> + Send;

    /// The loop that was last started in a session, finished or not. Of whichever host, where none is named; one that no
    /// host has presented is of none.
    fn loop_of(
        &self,
        host: Option<&AgentName>,
        session: &SessionId,
    ) -> impl Future<Output = Result<Option<RunId>>> + Send;

    /// Every unfinished loop with the session it lives in, the newest first.
    fn loops(&self) -> impl Future<Output = Result<Vec<(Berth, RunSummary)>>> + Send;
}
