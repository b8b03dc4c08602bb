//! `ralph memory export`.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ralph_memory::{PackLine, Wanted, pack};

use super::NOTHING;
use super::opened::opened;
use crate::commands::Outcome;
use crate::perform::redactor;
use crate::problem::{Place, Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::{counted, print};

/// Print what is remembered as lines of JSON, one event each, without secrets and without what was forgotten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory export --file notes.jsonl
  ralph memory export --scope all | jq -r 'select(.entry.event == \"OBSERVED\") | .entry.draft.content'

The lines are described in docs/schema/memory-export.json. Exit codes: 4 if there is nothing to export.")]
pub(crate) struct ExportArgs {
    /// Which notes
    #[arg(long, value_enum, default_value = "project")]
    scope: ExportScope,
    /// Write a new file that only you can read, instead of standard output
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ExportScope {
    /// What tasks have put down for themselves
    Task,
    /// What is the project's
    Project,
    /// What is for all projects
    Global,
    /// Everything
    All,
}

pub(crate) fn run(args: &ExportArgs) -> Outcome {
    let wanted = match args.scope {
        ExportScope::Task => Wanted::Task,
        ExportScope::Project => Wanted::Project,
        ExportScope::Global => Wanted::Global,
        ExportScope::All => Wanted::All,
    };
    let opened = opened()?;
    let stores: Vec<_> = opened.stores().collect();
    let lines = block_on(pack(&stores, wanted, &redactor())).map_err(|error| store_problem(&error))?;
    let events = lines.iter().filter(|line| matches!(line, PackLine::Event { .. })).count() as u64;
    if events == 0 {
        return Err(Problem::new("there is nothing to export")
            .next("--scope says which notes")
            .exit(NOTHING)
            .into());
    }
    let line = |line: &PackLine| serde_json::to_string(line).expect("an event is JSON") + "\n";
    let text: String = lines.iter().map(line).collect();
    match &args.file {
        None => print(&text),
        Some(path) => {
            write(path, &text)?;
            print(&format!("{} in {}\n", counted(events, "event"), path.display()));
        }
    }
    Ok(0)
}

/// What is there is nobody's to overwrite.
fn write(path: &Path, text: &str) -> Result<(), Problems> {
    let mut options = OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(0o600).open(path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(|error| {
        let problem = Problem::new(format!("cannot write this file: {error}"));
        problem.at(Place::from(path.to_owned())).next("name a file that is not there yet").into()
    })
}
