//! `ralph memory promote`.

use jiff::Timestamp;
use ralph_core::id::NoteId;
use ralph_memory::{PromoteError, promote, promote_to_all};
use ralph_store::SqliteStore;
use serde::Serialize;

use super::opened::{forgotten, global_memory, opened, superseded, unknown};
use crate::commands::Outcome;
use crate::perform::redactor;
use crate::problem::{Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::{print, print_json};

/// Let more see a note: what a task has put down for itself becomes the project's, and with --global everybody's.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory promote 1jcxr8k0q3m5v7aa             from its task to the project
  ralph memory promote 1jcxr8k0q3m5v7aa --global    from the project to all projects

Notes only go up. Doing it twice changes nothing.")]
pub(crate) struct PromoteArgs {
    /// The note
    #[arg(value_parser = NoteId::parse)]
    id: NoteId,
    /// To all projects
    #[arg(long)]
    global: bool,
    /// Print it as JSON (docs/schema/memory-promote.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Promoted {
    id: NoteId,
    /// Whose it is now.
    scope: PromotedTo,
    /// False if it was so already.
    changed: bool,
}

#[derive(Debug, Clone, Copy, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PromotedTo {
    Project,
    Global,
}

pub(crate) fn run(args: &PromoteArgs) -> Outcome {
    let opened = opened()?;
    let Some(project) = opened.project() else { return Err(unknown(&args.id).into()) };
    let done = match args.global {
        true => block_on(to_all(project, &opened.here, &args.id))?,
        false => block_on(promote(project, &args.id, Timestamp::now())).map_err(|error| problem(&error))?,
    };
    if args.json {
        let scope = if args.global { PromotedTo::Global } else { PromotedTo::Project };
        print_json(&Promoted { id: args.id.clone(), scope, changed: done });
        return Ok(0);
    }
    let whose = if args.global { "for all projects" } else { "the project's" };
    let word = if done { "now" } else { "already" };
    print(&format!("note {} is {whose} {word}\n", args.id));
    Ok(0)
}

async fn to_all(
    project: &SqliteStore,
    here: &crate::project::Project,
    id: &NoteId,
) -> Result<bool, Problems> {
    let global = global_memory(here)?;
    let name = here.place.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| "/".to_owned());
    let done = promote_to_all((project, &global), id, &name, &redactor(), Timestamp::now()).await;
    done.map_err(|error| problem(&error).into())
}

fn problem(error: &PromoteError) -> Problem {
    match error {
        PromoteError::Store(error) => store_problem(error),
        PromoteError::NoNote { id } => unknown(id),
        PromoteError::Superseded { id, by } => superseded(id, by),
        PromoteError::OfATask { id, .. } => {
            Problem::new(error.to_string()).next(format!("first `ralph memory promote {id}`"))
        }
        PromoteError::Forgotten { id } => forgotten(id),
    }
}
