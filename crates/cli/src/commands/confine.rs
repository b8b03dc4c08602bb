//! The hidden command by which the binary shuts itself in and becomes an agent.

use std::process::ExitCode;

use ralph_engine::sandbox::confine_main;

/// Not in the help: only a guard starts it.
pub(crate) const NAME: &str = "__confine";

pub(crate) fn become_agent() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    (args.next()? == NAME).then(|| confine_main(args))
}
