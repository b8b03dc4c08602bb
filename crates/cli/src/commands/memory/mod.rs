//! `ralph memory`: what is remembered in this project.

mod add;
mod code;
mod confirm;
mod explain;
mod explained;
mod export;
mod forget;
mod import;
mod list;
mod opened;
mod promote;
mod rebuild;
mod report;
mod search;
mod show;
mod told;
mod why;

pub(crate) use confirm::Weighed;
pub(crate) use explain::Explained;
pub(crate) use forget::Forgot;
pub(crate) use import::TakenUp;
pub(crate) use list::Listed;
pub(crate) use promote::Promoted;
pub(crate) use rebuild::Rebuilt;
pub(crate) use search::Found;
pub(crate) use show::Shown;
pub(crate) use why::Provenance;

use crate::commands::{NOTHING, Outcome};

/// Look for what is remembered in this project and for all projects, and put things down.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory search \"why is the cache disabled in tests\"
  ralph memory search retries --file src/client.rs --why
  ralph memory add 'Run `make db` before the tests' --kind skill --file Makefile
  ralph memory list --kind gotcha
  ralph memory explain \"make the login test stable\"   what a brief would get, and why
  ralph memory why 1jcxr8k0q3m5v7aa          where a note comes from, and what became of it
  ralph memory promote 1jcxr8k0q3m5v7aa --global
  ralph memory search migrations --json | jq -r '.results[].note.content'

Exit codes: 4 if nothing is found.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Search(Box<search::SearchArgs>),
    Add(Box<add::AddArgs>),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Explain(explain::ExplainArgs),
    Report(report::ReportArgs),
    Why(why::WhyArgs),
    Confirm(confirm::ConfirmArgs),
    Promote(promote::PromoteArgs),
    Forget(forget::ForgetArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    Rebuild(rebuild::RebuildArgs),
}

impl Action {
    /// Whether it says in a person's name what is so and who may see it.
    fn is_a_persons(&self) -> bool {
        match self {
            Action::Add(_)
            | Action::Confirm(_)
            | Action::Promote(_)
            | Action::Forget(_)
            | Action::Import(_) => true,
            Action::Search(_)
            | Action::List(_)
            | Action::Show(_)
            | Action::Explain(_)
            | Action::Report(_)
            | Action::Why(_)
            | Action::Export(_)
            | Action::Rebuild(_) => false,
        }
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    if args.action.is_a_persons() {
        super::by_a_person(
            "say it with the tool `remember`, or in a `ralph-notes` block of your final message",
        )?;
    }
    match &args.action {
        Action::Search(args) => search::run(args),
        Action::Add(args) => add::run(args),
        Action::List(args) => list::run(args),
        Action::Show(args) => show::run(args),
        Action::Explain(args) => explain::run(args),
        Action::Report(args) => report::run(args),
        Action::Why(args) => why::run(args),
        Action::Confirm(args) => confirm::run(args),
        Action::Promote(args) => promote::run(args),
        Action::Forget(args) => forget::run(args),
        Action::Export(args) => export::run(args),
        Action::Import(args) => import::run(args),
        Action::Rebuild(args) => rebuild::run(args),
    }
}

/// A kind of note, as it is given and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum KindArg {
    Discovery,
    Decision,
    Command,
    ToolUse,
    Skill,
    Pattern,
    Gotcha,
    Failure,
}

impl From<KindArg> for ralph_core::note::KindName {
    fn from(kind: KindArg) -> ralph_core::note::KindName {
        match kind {
            KindArg::Discovery => ralph_core::note::KindName::Discovery,
            KindArg::Decision => ralph_core::note::KindName::Decision,
            KindArg::Command => ralph_core::note::KindName::Command,
            KindArg::ToolUse => ralph_core::note::KindName::ToolUse,
            KindArg::Skill => ralph_core::note::KindName::Skill,
            KindArg::Pattern => ralph_core::note::KindName::Pattern,
            KindArg::Gotcha => ralph_core::note::KindName::Gotcha,
            KindArg::Failure => ralph_core::note::KindName::Failure,
        }
    }
}
