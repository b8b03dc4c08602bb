//! `ralph prd`: the file that a backlog is in.

mod check;
mod new;

pub(crate) use check::Checked;
pub(crate) use new::Drafted;

use super::Outcome;

/// Draft the file that a backlog is in with an agent's help, or check it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph prd new                              an agent asks, you answer, and prd.json is written
  ralph prd new --from idea.md --agent claude
  ralph prd check prd.json
  ralph prd check TODO.md --json | jq '.findings[] | select(.severity == \"error\")'")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    New(Box<new::Args>),
    Check(check::Args),
}

pub(crate) fn run(args: &Args) -> Outcome {
    match &args.action {
        Action::New(args) => new::run(args),
        Action::Check(args) => check::run(args),
    }
}
