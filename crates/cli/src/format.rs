//! Backlogs as files of other formats: what they look like, where they go, and what they cannot say.

use std::path::Path;

use ralph_core::backlog::{Item, Kind, Status};
use ralph_store::NewTask;
use ralph_trackers::{Context, Overwrite, create, to_lines, to_markdown, to_prd};

use crate::backlog::tracker_problem;
use crate::problem::{Place, Problem, Problems};
use crate::words::{counted, print};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A prd.json, as ralph-tui and snarktank's ralph have it
    Prd,
    /// A checklist
    Markdown,
    /// A line of JSON for each task, with all that is known of it
    Json,
}

impl Format {
    /// The tracker that keeps it, if one does.
    pub(crate) fn kind(self) -> Option<ralph_trackers::Kind> {
        match self {
            Format::Prd => Some(ralph_trackers::Kind::Prd),
            Format::Markdown => Some(ralph_trackers::Kind::Markdown),
            Format::Json => None,
        }
    }

    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Format::Prd => "prd.json",
            Format::Markdown => "TASKS.md",
            Format::Json => "tasks.jsonl",
        }
    }

    pub(crate) fn write(self, context: &Context, items: &[Item]) -> String {
        match self {
            Format::Prd => to_prd(context, items),
            Format::Markdown => to_markdown(context, items),
            Format::Json => to_lines(&items.iter().cloned().map(NewTask::from).collect::<Vec<_>>()),
        }
    }

    /// What it cannot say of these.
    pub(crate) fn lost(self, items: &[Item]) -> String {
        let told = |is: fn(&Item) -> bool, what: &str| match items.iter().filter(|item| is(item)).count() {
            0 => String::new(),
            count => format!("not kept: {what} of {}\n", counted(count as u64, "task")),
        };
        let container = |item: &Item| item.kind == Kind::Container;
        let container = told(container, "that it only holds others, which makes it work,");
        match self {
            Format::Prd => {
                let begun = |item: &Item| matches!(item.status, Status::InProgress | Status::Blocked);
                told(|item| item.status == Status::Cancelled, "that it was cancelled, which makes it open,")
                    + &told(begun, "that it was begun or blocked")
                    + &container
                    + &told(|item| item.parent.is_some(), "the task above it")
            }
            Format::Markdown => {
                told(|item| !item.metadata.is_empty(), "keys that only the other format has")
                    + &told(|item| item.status == Status::Blocked, "that it was blocked")
                    + &container
            }
            Format::Json => String::new(),
        }
    }
}

/// Writes a file, whole or not at all; `source` is what must not be written over.
pub(crate) fn write_file(
    output: &Path,
    text: &str,
    overwrite: Overwrite,
    source: Option<&Path>,
) -> Result<(), Problems> {
    let is_itself = output.canonicalize().is_ok_and(|there| {
        source.is_some_and(|source| source.canonicalize().is_ok_and(|here| here == there))
    });
    if is_itself || (overwrite == Overwrite::Never && output.symlink_metadata().is_ok()) {
        let what = if is_itself { "this is the file that is read" } else { "this file is there already" };
        let next =
            if is_itself { "name another with --output" } else { "name another with --output, or --force" };
        return Err(Problem::new(what).at(Place::from(output.to_owned())).next(next).into());
    }
    create(output, text, overwrite).map_err(|error| tracker_problem(&error).into())
}

/// Says what was written, and where to.
pub(crate) fn tell(items: &[Item], output: &Path) {
    print(&format!("wrote {} to {}\n", counted(items.len() as u64, "task"), output.display()));
}
