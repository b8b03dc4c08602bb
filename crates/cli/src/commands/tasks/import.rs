//! `ralph tasks import`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ralph_core::backlog::Item;
use ralph_core::id::TaskId;
use ralph_store::{By, NewTask, Tasks};
use ralph_trackers::{Markdown, Prd, Tracker, from_lines};
use serde_json::Value;

use super::text::{all_kept, read};
use crate::backlog::{Own, TrackerFlags, tracker_problem};
use crate::commands::{Outcome, here};
use crate::format::Format;
use crate::problem::{Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::{counted, print};

/// Copy the tasks of a file to the backlog that ralph keeps itself: all of them or none. The file stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks import prd.json
  ralph tasks import TODO.md
  ralph tasks export | ssh elsewhere 'cd project && ralph tasks import - --skip-existing'")]
pub(crate) struct ImportArgs {
    /// A prd.json, a Markdown file with checklists, or lines of JSON as `export` writes them; `-` is standard input
    file: PathBuf,
    /// What it is; by its name by default, and lines of JSON on standard input
    #[arg(long, value_enum)]
    from: Option<Format>,
    /// Leave out tasks whose ids are taken, instead of refusing all
    #[arg(long)]
    skip_existing: bool,
}

pub(crate) fn run(args: &ImportArgs) -> Outcome {
    let tasks = tasks_of(&args.file, args.from.unwrap_or_else(|| by_name(&args.file)))?;
    print(&add(tasks, args.skip_existing)?);
    Ok(0)
}

/// For `ralph convert --to native`.
pub(crate) fn into_own(file: &Path, output: Option<&Path>) -> Outcome {
    if output.is_some() {
        let what = "ralph's own backlog is not written to a file";
        return Err(Problem::new(what).next("leave out --output").into());
    }
    add(tasks_of(file, by_name(file))?, false).map(|told| {
        print(&told);
        0
    })
}

/// For `ralph prd new --to native`: what was done is told by others.
pub(crate) fn added_to_own(file: &Path) -> Result<(), Problems> {
    add(tasks_of(file, by_name(file))?, false).map(drop)
}

fn by_name(file: &Path) -> Format {
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "md" | "markdown" | "mdown" | "txt" => Format::Markdown,
        "json" => Format::Prd,
        _ => Format::Json,
    }
}

fn tasks_of(file: &Path, format: Format) -> Result<Vec<NewTask>, Problems> {
    let problem = |error| Problems::from(tracker_problem(&error));
    let is_stdin = file == Path::new("-");
    let mut tracker: Box<dyn Tracker> = match format {
        Format::Json => return from_lines(file, &read(file)?).map_err(problem),
        Format::Prd | Format::Markdown if is_stdin => {
            let what = "only lines of JSON are read from standard input";
            return Err(Problem::new(what).next("name the file").into());
        }
        Format::Prd => Box::new(Prd::new(here()?.join(file), here()?)),
        Format::Markdown => Box::new(Markdown::new(here()?.join(file))),
    };
    Ok(tracker.load().map_err(problem)?.into_items().into_iter().map(task).collect())
}

/// A prd.json keeps the reason among its other keys.
fn task(mut item: Item) -> NewTask {
    let reason = match item.metadata.remove("completionNotes") {
        Some(Value::String(reason)) => Some(reason),
        Some(other) => {
            item.metadata.insert("completionNotes".to_owned(), other);
            None
        }
        None => None,
    };
    NewTask { reason, ..NewTask::from(item) }
}

fn add(mut tasks: Vec<NewTask>, skip_existing: bool) -> Result<String, Problems> {
    let own = TrackerFlags::native().own("add tasks to")?;
    let found = tasks.len();
    if skip_existing {
        let taken = taken(&own)?;
        tasks.retain(|task| task.id.as_ref().is_none_or(|id| !taken.contains(id)));
    }
    let left_out = found - tasks.len();
    let added = block_on(own.store.add_tasks(all_kept(tasks), Timestamp::now(), By::Person));
    let added = added.map_err(|error| store_problem(&error))?;
    let skipped =
        if left_out > 0 { format!(", left out {left_out} whose ids are taken") } else { String::new() };
    Ok(format!("added {}{skipped}\n{}", counted(added.len() as u64, "task"), own.note()))
}

fn taken(own: &Own) -> Result<HashSet<TaskId>, Problems> {
    let tasks = block_on(own.store.tasks()).map_err(|error| store_problem(&error))?;
    Ok(tasks.into_iter().map(|task| task.item.id).collect())
}
