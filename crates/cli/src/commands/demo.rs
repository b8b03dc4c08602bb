//! `ralph demo`, and the scripted agent that it runs.

use super::Outcome;
use crate::demo::{agent as scripted, show};

/// Watch a loop that does not believe its agent: the real engine, a scripted agent, no account, no network.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ralph demo")]
pub(crate) struct Args {
    /// Keep the project and its state in this directory, which must not exist yet
    #[arg(long, value_name = "DIR")]
    keep: Option<std::path::PathBuf>,
}

/// The agent of the demo: claims to be done, in the directory it is started in.
#[derive(Debug, clap::Args)]
pub(crate) struct AgentArgs {}

pub(crate) fn run(args: Args) -> Outcome {
    show::run(args.keep)
}

pub(crate) fn agent(_args: AgentArgs) -> Outcome {
    scripted::work()
}
