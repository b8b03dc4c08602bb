//! Where an agent works that ralph did not start: a person's own session of a host, perhaps with a loop of ralph's in it.

use std::fmt::Debug;

use ralph_core::assignment::Assignment;

use crate::library::Library;
use crate::tool::Caller;

pub trait Room: Debug + Send + Sync + 'static {
    /// The task of the loop that lives in the session which calls, and never that of another session.
    fn task(&self, caller: &Caller) -> Result<Assignment, Stranger>;

    /// What can be looked in. None where nothing of ralph's can be reached.
    fn library(&self) -> Option<Library>;
}

/// Why the task of a caller is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stranger {
    #[error("there is no task of ralph here: {0}")]
    NoTask(String),
    /// Loops live in sessions of such a host.
    #[error(
        "this host does not tell this server which of its sessions calls, so your task is known from your brief alone"
    )]
    Untold,
}
