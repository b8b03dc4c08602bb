//! `ralph memory`: what is remembered in this project.

mod add;
mod list;
mod search;
mod show;
mod told;

pub(crate) use list::Listed;
pub(crate) use search::Found;
pub(crate) use show::Shown;

use ralph_store::{SqliteStore, StoreError, settle};

use crate::commands::Outcome;
use crate::problem::Problems;
use crate::project::{Project, store_problem};
use crate::settings::Given;

/// Look for what is remembered in this project, and put things down.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory search \"why is the cache disabled in tests\"
  ralph memory search retries --file src/client.rs --why
  ralph memory add \"Run `make db` before the tests\" --kind skill --file Makefile
  ralph memory list --kind gotcha
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
}

pub(crate) fn run(args: &Args) -> Outcome {
    match &args.action {
        Action::Search(args) => search::run(args),
        Action::Add(args) => add::run(args),
        Action::List(args) => list::run(args),
        Action::Show(args) => show::run(args),
    }
}

/// Nothing to find is told as such, not as a mistake.
const NOTHING: u8 = 4;

/// The memory of the project here; made if need be.
fn memory() -> Result<SqliteStore, Problems> {
    let project = Project::here(Given::default())?;
    settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
    project.store()
}

/// For commands that only look: where nothing was ever put down, there is no memory.
fn existing() -> Result<Option<SqliteStore>, Problems> {
    let project = Project::here(Given::default())?;
    match SqliteStore::open_existing(&project.place.state) {
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        other => Ok(Some(other.map_err(|error| store_problem(&error))?)),
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
