//! `ralph convert`: a backlog in another format.

use std::path::{Path, PathBuf};

use ralph_trackers::Overwrite;

use super::Outcome;
use super::tasks::into_own;
use crate::backlog::{TrackerFlags, tracker_problem};
use crate::format::{Format, tell, write_file};
use crate::issues::into_beads;
use crate::problem::{Place, Problem};
use crate::words::print;

/// Write a backlog anew in another format; the one that it is read from stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph convert TODO.md --to prd                   writes prd.json beside it
  ralph convert prd.json --to markdown --output -  prints it
  ralph convert prd.json --to native               as `ralph tasks import prd.json`
  ralph convert prd.json --to beads                makes issues with br or bd, none of them twice")]
pub(crate) struct Args {
    /// A prd.json, or a Markdown file with checklists
    file: PathBuf,
    /// The format to write
    #[arg(long, value_enum)]
    to: To,
    /// Where to write it, `-` for standard output; beside the file, as prd.json, TASKS.md or tasks.jsonl, by default
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum To {
    /// A prd.json, as ralph-tui and snarktank's ralph have it
    Prd,
    /// A checklist
    Markdown,
    /// A line of JSON for each task
    Json,
    /// The backlog that ralph keeps itself
    Native,
    /// Issues of `br` or `bd`, where `br init` or `bd init` was done; exit code 1 if one of these refuses a part
    Beads,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let format = match args.to {
        To::Prd => Format::Prd,
        To::Markdown => Format::Markdown,
        To::Json => Format::Json,
        To::Native => return into_own(&args.file, args.output.as_deref()),
        To::Beads => return into_beads(&args.file, args.output.as_deref()),
    };
    let mut tracker = TrackerFlags::of_file(&args.file).choose()?.tracker;
    let items = tracker.load().map_err(|error| tracker_problem(&error))?.into_items();
    let context = tracker.context().map_err(|error| tracker_problem(&error))?;
    let is_copied = format.kind() == Some(tracker.kind());
    // Nothing is lost of what is in the right format already.
    let text = if is_copied { read_text(&args.file)? } else { format.write(&context, &items) };
    let output = args.output.clone().unwrap_or_else(|| args.file.with_file_name(format.file_name()));
    if output == Path::new("-") {
        print(&text);
        return Ok(0);
    }
    let overwrite = if args.force { Overwrite::Allowed } else { Overwrite::Never };
    write_file(&output, &text, overwrite, Some(&args.file))?;
    tell(&items, &output);
    if !is_copied {
        print(&format.lost(&items));
    }
    Ok(0)
}

fn read_text(path: &Path) -> Result<String, Problem> {
    std::fs::read_to_string(path).map_err(|error| {
        Problem::new(format!("cannot read this file: {error}")).at(Place::from(path.to_owned()))
    })
}
