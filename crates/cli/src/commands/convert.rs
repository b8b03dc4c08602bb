//! `ralph convert`: a backlog in another format.

use std::path::{Path, PathBuf};

use ralph_core::backlog::{Item, Status};
use ralph_trackers::{Kind, Overwrite, create, to_markdown, to_prd};

use super::Outcome;
use crate::backlog::{TrackerFlags, tracker_problem};
use crate::problem::{Place, Problem};
use crate::words::{counted, print};

/// Write a backlog anew in another format; the one that it is read from stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph convert TODO.md --to prd                   writes prd.json beside it
  ralph convert prd.json --to markdown --output -  prints it")]
pub(crate) struct Args {
    /// A prd.json, or a Markdown file with checklists
    file: PathBuf,
    /// The format to write
    #[arg(long, value_enum)]
    to: Format,
    /// Where to write it, `-` for standard output; beside the file, as prd.json or TASKS.md, by default
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Prd,
    Markdown,
}

impl Format {
    fn kind(self) -> Kind {
        match self {
            Format::Prd => Kind::Prd,
            Format::Markdown => Kind::Markdown,
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Format::Prd => "prd.json",
            Format::Markdown => "TASKS.md",
        }
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut tracker = TrackerFlags::of_file(&args.file).choose()?.tracker;
    let items = tracker.load().map_err(|error| tracker_problem(&error))?.into_items();
    let context = tracker.context().map_err(|error| tracker_problem(&error))?;
    let is_copied = tracker.kind() == args.to.kind();
    let text = match args.to {
        // Nothing is lost of what is in the right format already.
        _ if is_copied => read_text(&args.file)?,
        Format::Prd => to_prd(&context, &items),
        Format::Markdown => to_markdown(&context, &items),
    };
    let output = args.output.clone().unwrap_or_else(|| args.file.with_file_name(args.to.file_name()));
    if output == Path::new("-") {
        print(&text);
        return Ok(0);
    }
    let is_itself =
        output.canonicalize().is_ok_and(|there| args.file.canonicalize().is_ok_and(|here| here == there));
    if is_itself || (!args.force && output.symlink_metadata().is_ok()) {
        let what = if is_itself { "this is the file that is read" } else { "this file is there already" };
        let next =
            if is_itself { "name another with --output" } else { "name another with --output, or --force" };
        return Err(Problem::new(what).at(Place::from(output)).next(next).into());
    }
    let overwrite = if args.force { Overwrite::Allowed } else { Overwrite::Never };
    create(&output, &text, overwrite).map_err(|error| tracker_problem(&error))?;
    print(&format!("wrote {} to {}\n", counted(items.len() as u64, "task"), output.display()));
    if !is_copied {
        print(&lost(args.to, &items));
    }
    Ok(0)
}

fn read_text(path: &Path) -> Result<String, Problem> {
    std::fs::read_to_string(path).map_err(|error| {
        Problem::new(format!("cannot read this file: {error}")).at(Place::from(path.to_owned()))
    })
}

/// What the new format cannot say.
fn lost(to: Format, items: &[Item]) -> String {
    let told = |count: usize, what: &str| match count {
        0 => String::new(),
        count => format!("not kept: {what} of {}\n", counted(count as u64, "task")),
    };
    let with = |is: fn(&Item) -> bool| items.iter().filter(|item| is(item)).count();
    match to {
        Format::Prd => {
            let is_begun = |item: &Item| matches!(item.status, Status::InProgress | Status::Blocked);
            told(with(|item| item.status == Status::Cancelled), "that it was cancelled, which makes it open,")
                + &told(with(is_begun), "that it was begun or blocked")
                + &told(with(|item| item.parent.is_some()), "the task above it")
        }
        Format::Markdown => {
            told(with(|item| !item.metadata.is_empty()), "keys that only the other format has")
                + &told(with(|item| item.status == Status::Blocked), "that it was blocked")
        }
    }
}
