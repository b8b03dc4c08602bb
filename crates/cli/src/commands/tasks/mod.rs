//! `ralph tasks`: what there is to do, and changes to it.

mod add;
mod edit;
mod export;
mod import;
mod list;
mod settle;
mod show;
mod text;

pub(crate) use import::{added_to_own, into_own};
pub(crate) use list::Tasks;
pub(crate) use show::Shown;

use crate::commands::Outcome;

/// List a backlog in the order in which it is worked on, say what is not going to be done, and change it.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Examples:
  ralph tasks                        what comes when, if each is completed in its turn
  ralph tasks --next --why           what comes now, and why that
  ralph tasks --prd TODO.md --label ui
  ralph tasks --json | jq -r '.next'
  ralph tasks add \"Rate limits for the API\" --criteria \"429 after 10 requests a second\" --depends-on T-1
  ralph tasks done T-1 --reason \"merged by hand\"

Exit codes: 4 if there is nothing to do.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: list::ListArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    List(list::ListArgs),
    Add(add::AddArgs),
    Edit(Box<edit::EditArgs>),
    Show(show::ShowArgs),
    Done(settle::DoneArgs),
    Block(settle::BlockArgs),
    Reopen(settle::ReopenArgs),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
}

pub(crate) fn run(args: &Args) -> Outcome {
    match &args.action {
        None => list::run(&args.list),
        Some(Action::List(args)) => list::run(args),
        Some(Action::Add(args)) => add::run(args),
        Some(Action::Edit(args)) => edit::run(args),
        Some(Action::Show(args)) => show::run(args),
        Some(Action::Done(args)) => settle::done(args),
        Some(Action::Block(args)) => settle::block(args),
        Some(Action::Reopen(args)) => settle::reopen(args),
        Some(Action::Import(args)) => import::run(args),
        Some(Action::Export(args)) => export::run(args),
    }
}
