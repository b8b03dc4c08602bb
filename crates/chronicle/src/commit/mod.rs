//! A commit for a task, made by the real `git`.
//!
//! Nothing is started here: a [`Plan`] says which command comes next and is told how it ended, so that whoever performs
//! it can end everything that a repository's hooks leave behind. A plan that is given up half-way leaves at most new files
//! that are announced in the index.
//!
//! Hooks, filters and the program that signs are run, as git does it: they belong to the repository, and an agent may have
//! written them. Whoever keeps agents in a sandbox performs these commands in it, as they do their checks.

mod command;
mod committing;
mod outcome;
mod status;
mod survey;
mod touched;

pub use command::{Command, Ended, Next, Plan};
pub use committing::{Committing, Request};
pub use outcome::{Committed, Declined};
pub use survey::{Standing, Survey};
pub(crate) use survey::{prefix_in, printed, whereabouts};
