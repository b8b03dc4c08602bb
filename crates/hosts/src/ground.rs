//! What an answer rests on beside the store: the project, its settings, and what the host can do.

use ralph_core::id::{RunId, SessionId};
use ralph_core::run::Run;
use ralph_engine::loops::LoopOptions;
use ralph_engine::session::Provide;

use crate::arguments::Start;
use crate::manner::Manner;
use crate::original::Original;

/// What the project and its settings say; the rest is in the store.
pub trait Ground<S>: Provide<S> {
    /// What a loop that a person asks for is held to, or why it cannot be had.
    fn options(&self, asked: &Start) -> impl Future<Output = Result<LoopOptions, String>>;

    /// A loop begins here.
    fn begun(&self, _run: &RunId) -> impl Future<Output = ()> {
        async {}
    }

    /// What the original plugin's configuration makes of every session, where there is one.
    fn original(&self) -> Option<Original>;

    /// Puts the files back as they were before a loop, and says what was done.
    fn roll_back(&self, run: &RunId) -> impl Future<Output = Result<String, String>>;

    /// Whether the host has each command begin a turn of its agent.
    fn commands_begin_turns(&self) -> bool {
        true
    }

    /// How a person speaks to ralph in this host.
    fn manner(&self) -> Manner {
        Manner::default()
    }

    /// Why this host could never see a loop through that was started without naming one.
    fn refusal(&self, _run: &Run) -> Option<String> {
        None
    }

    /// Keeps the summary of a session.
    fn keep_summary(&self, folder: &str, session: &SessionId, summary: &str) -> Result<(), String>;
}
