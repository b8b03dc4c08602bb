//! What a run leaves in the project for people: its progress, a log of each iteration, commits, and
//! a work tree of its own where one was asked for.
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
pub mod worktree;

use std::path::{Component, Path, PathBuf};

use beneath::{Missing, Spot};

pub use commit::{Command, Committed, Committing, Declined, Ended, Next, Plan, Request, Standing, Survey};
pub use error::ChronicleError;
pub use iteration::{Iteration, Outcome, Snapshots, Switch};
pub use log::{Filter, IterationLog, LogFile, Room, Section};
pub use own::{IGNORE, LOGS, OWN, PROGRESS};
pub use progress::{PATTERN, Progress, Recorded, stated};

/// What is in the place of a text that is kept may be so large.
const KEPT: u64 = 64 << 20;

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

    /// Keeps a text in a file below the root, in place of what is there; its directories are made. A way that leads out
    /// of the project is refused.
    pub fn keep(&self, way: &Path, text: &str) -> Result<(), ChronicleError> {
        let leads_out = || ChronicleError::LeadsOut { path: self.root.join(way) };
        let plain: Option<PathBuf> = way
            .components()
            .filter(|part| *part != Component::CurDir)
            .map(|part| matches!(part, Component::Normal(_)).then_some(part))
            .collect();
        let spot = Spot::find(&self.root, &plain.ok_or_else(leads_out)?, Missing::Make)?;
        spot.ok_or_else(leads_out)?.edit(KEPT, |_| Ok(Some(text.as_bytes().to_vec())))?;
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::Chronicle;
    use std::path::Path;

    #[test]
    fn a_text_is_kept_below_the_root_and_nowhere_else() {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path().join("project");
        std::fs::create_dir(&root).expect("a directory");
        std::os::unix::fs::symlink(dir.path(), root.join("link")).expect("a link");
        let chronicle = Chronicle::of(&root);
        for text in ["one", "two"] {
            chronicle.keep(Path::new("./a//b/c.md"), text).expect("kept");
            assert_eq!(std::fs::read_to_string(root.join("a/b/c.md")).expect("a file"), text);
        }
        for out in ["../x.md", "/tmp/x.md", "a/../../x.md", "link/x.md", ""] {
            assert!(chronicle.keep(Path::new(out), "x").is_err(), "{out}");
        }
        assert!(!dir.path().join("x.md").exists());
    }
}
