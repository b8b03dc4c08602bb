//! What is remembered of the sessions of hosts.

use std::future::Future;

use ralph_core::Timestamp;
use ralph_core::sessions::{Message, Session, What};

use crate::error::StoreError;
use crate::session::Seat;

type Result<T> = std::result::Result<T, StoreError>;

/// Something that happened in a session, with nothing secret in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub seat: Seat,
    pub directory: String,
    pub what: What,
    pub at: Timestamp,
}

pub trait Sessions: Send + Sync {
    /// Takes in what happened, and makes a checkpoint where one is due. Two statements at most: a hook waits for it.
    fn observe(&self, observation: Observation) -> impl Future<Output = Result<()>> + Send;

    /// The one seen last first.
    fn sessions(&self) -> impl Future<Output = Result<Vec<Session>>> + Send;

    /// Those that are meant: by their number, by the host's name for them, or by the beginning of it.
    fn find_sessions(&self, named: &str) -> impl Future<Output = Result<Vec<Session>>> + Send;

    /// The last messages of a session, the oldest first.
    fn session_messages(
        &self,
        session: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Message>>> + Send;

    /// Makes it active, with a checkpoint. False if there is none of this number.
    fn resume_session(&self, session: u64, at: Timestamp) -> impl Future<Output = Result<bool>> + Send;
}
