//! What is remembered of the sessions of hosts.

use std::collections::BTreeMap;
use std::future::Future;

use ralph_core::Timestamp;
use ralph_core::id::{AgentName, SessionId};
use ralph_core::note::MemoryEvent;
use ralph_core::sessions::{Message, Mode, Session, What};

use crate::error::StoreError;
use crate::session::Seat;

type Result<T> = std::result::Result<T, StoreError>;

/// Something that happened in a session, with nothing secret in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub seat: Seat,
    pub directory: String,
    pub what: What,
    /// None where nothing is told of it: it stays as it was.
    pub mode: Option<Mode>,
    /// The file that the conversation is kept in, which was seen to be there.
    pub transcript: Option<String>,
    pub noted: Option<Noted>,
    pub at: Timestamp,
}

/// What is to be remembered of it beyond the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    pub event: MemoryEvent,
    /// The run and the iteration.
    pub of: String,
    /// How many there may be of these.
    pub most: u32,
}

pub trait Sessions: Send + Sync {
    /// Takes in what happened, and makes a checkpoint where one is due. Two statements, and two more where there is
    /// something to remember: a hook waits for it. False for a message that is known by its name.
    fn observe(&self, observation: Observation) -> impl Future<Output = Result<bool>> + Send;

    /// The one seen last first.
    fn sessions(&self) -> impl Future<Output = Result<Vec<Session>>> + Send;

    /// Those that are meant: by their number, by the host's name for them, or by the beginning of it.
    fn find_sessions(&self, named: &str) -> impl Future<Output = Result<Vec<Session>>> + Send;

    fn session_of(&self, seat: &Seat) -> impl Future<Output = Result<Option<Session>>> + Send;

    /// Where a host keeps the conversations of its sessions, as far as that was seen.
    fn transcripts(
        &self,
        host: &AgentName,
    ) -> impl Future<Output = Result<BTreeMap<SessionId, String>>> + Send;

    /// The last messages of a session, the oldest first.
    fn session_messages(
        &self,
        session: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Message>>> + Send;

    /// Makes it active, with a checkpoint. False if there is none of this number.
    fn resume_session(&self, session: u64, at: Timestamp) -> impl Future<Output = Result<bool>> + Send;
}
