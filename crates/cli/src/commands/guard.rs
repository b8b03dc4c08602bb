//! The hidden command by which the binary becomes the guard of a run's processes.

use std::process::ExitCode;

use ralph_engine::custody;

/// Not in the help: only ralph itself starts it.
pub(crate) const NAME: &str = "__guard";

pub(crate) fn become_guard() -> Option<ExitCode> {
    (std::env::args_os().nth(1)? == NAME).then(custody::guard_main)
}
