//! `ralph tasks export`.

use std::path::{Path, PathBuf};

use ralph_store::{NewTask, Tasks};
use ralph_trackers::{Kind, Overwrite, to_lines};

use crate::backlog::{Chosen, TrackerFlags, tracker_problem};
use crate::commands::Outcome;
use crate::format::{Format, tell, write_file};
use crate::problem::{Place, Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::print;

/// Write a backlog out, whatever keeps it: by default a line of JSON for each task, which `import` reads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks export > tasks.jsonl
  ralph tasks export --to prd --output prd.json
  ralph tasks export --to markdown | less")]
pub(crate) struct ExportArgs {
    /// The format; a line of JSON is as docs/schema/task-line.json says
    #[arg(long, value_enum, default_value = "json")]
    to: Format,
    /// Where to write it; standard output by default
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    tracker: TrackerFlags,
}

pub(crate) fn run(args: &ExportArgs) -> Outcome {
    let Chosen { mut tracker, .. } = args.tracker.choose()?;
    let items = tracker.load().map_err(|error| tracker_problem(&error))?.into_items();
    let text = if tracker.kind() == Kind::Native && args.to == Format::Json {
        let own = args.tracker.own("look at tasks of")?;
        let records = block_on(own.store.tasks()).map_err(|error| store_problem(&error))?;
        to_lines(&records.into_iter().map(NewTask::from).collect::<Vec<_>>())
    } else {
        let context = tracker.context().map_err(|error| tracker_problem(&error))?;
        args.to.write(&context, &items)
    };
    match args.output.as_deref().filter(|output| *output != Path::new("-")) {
        None => print(&text),
        Some(output) => {
            let overwrite = if args.force { Overwrite::Allowed } else { Overwrite::Never };
            refuse_own_files(output, &tracker.files())?;
            write_file(output, &text, overwrite, None)?;
            tell(&items, output);
            print(&args.to.lost(&items));
        }
    }
    Ok(0)
}

/// What is read is never written over, whatever --force says.
fn refuse_own_files(output: &Path, files: &[PathBuf]) -> Result<(), Problems> {
    let there = output.canonicalize();
    let is_own =
        |file: &PathBuf| there.as_ref().is_ok_and(|there| file.canonicalize().is_ok_and(|one| one == *there));
    match files.iter().find(|file| is_own(file)) {
        Some(file) => {
            let problem = Problem::new("this is the file that is read");
            Err(problem.at(Place::from(file.clone())).next("name another with --output").into())
        }
        None => Ok(()),
    }
}
