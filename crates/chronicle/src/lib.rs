//! What a run leaves in the project for people: its progress, a log of each iteration, and commits.
//!
//! Nothing here is needed to go on with a run, and no failure here is one of the run: whoever calls turns an error into
//! a notice and goes on.
//!
//! # The order of calls
//!
//! ```text
//! a run begins      Chronicle::ignore               before the first snapshot
//!                   Survey                          with auto-commit; whether the tree was dirty is stored with the run
//! a brief           Chronicle::progress             → Progress::patterns, Progress::recent(5, …)
//!                                                   the brief asks for lines that begin with PATTERN
//! a verdict         Committing                      with auto-commit, if the task is complete
//!                   Chronicle::record               with stated(final message)
//!                   Chronicle::log                  → IterationLog::section for each attempt, IterationLog::finish
//! `ralph logs`      Chronicle::logs
//! ```
//!
//! [`Survey`] and [`Committing`] are plans: they start nothing themselves.
//!
//! ```
//! use ralph_chronicle::{Command, Ended, Next, Plan};
//!
//! fn follow<P: Plan>(mut plan: P, mut perform: impl FnMut(Command) -> Ended) -> P::Outcome {
//!     let mut next = plan.begin();
//!     loop {
//!         match next {
//!             Next::Perform(command) => next = plan.after(perform(command)),
//!             Next::Over(outcome) => return outcome,
//!         }
//!     }
//! }
//! ```

mod beneath;
mod commit;
mod error;
mod ignore;
mod iteration;
mod log;
mod own;
mod progress;
mod replace;
mod text;

use std::path::{Path, PathBuf};

pub use commit::{Command, Committed, Committing, Declined, Ended, Next, Plan, Request, Standing, Survey};
pub use error::ChronicleError;
pub use iteration::{Iteration, Outcome, Snapshots, Switch};
pub use log::{Filter, IterationLog, LogFile, Room, Section};
pub use own::{IGNORE, LOGS, OWN, PROGRESS};
pub use progress::{PATTERN, Progress, Recorded, stated};

/// What ralph writes in a project. Nothing is ever written outside of its root, wherever a symlink leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chronicle {
    root: PathBuf,
}

impl Chronicle {
    pub fn of(root: &Path) -> Chronicle {
        Chronicle { root: root.to_owned() }
    }

    /// Sees to it that git ignores what is written here, unless a person said otherwise.
    pub fn ignore(&self) -> Result<(), ChronicleError> {
        ignore::ensure(&self.root)
    }

    /// The progress file as it is now.
    pub fn progress(&self) -> Result<Progress, ChronicleError> {
        Progress::read(&self.root)
    }

    /// Adds what an iteration came to, and patterns that are not known yet, to the progress file.
    pub fn record(&self, iteration: &Iteration, patterns: &[String]) -> Result<Recorded, ChronicleError> {
        Progress::record(&self.root, iteration, patterns)
    }

    /// Begins the log of an iteration.
    pub fn log(&self, iteration: &Iteration, room: Room) -> Result<IterationLog, ChronicleError> {
        IterationLog::begin(&self.root, iteration, room)
    }

    /// The logs that are there, the oldest first.
    pub fn logs(&self, filter: &Filter) -> Result<Vec<LogFile>, ChronicleError> {
        log::list(&self.root, filter)
    }
}
