//! `ralph completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Outcome};

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  ralph completions bash > ~/.local/share/bash-completion/completions/ralph"
)]
pub(crate) struct Args {
    shell: Shell,
}

pub(crate) fn run(args: Args) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ralph", &mut script);
    crate::words::print(&String::from_utf8_lossy(&script));
    Ok(0)
}
