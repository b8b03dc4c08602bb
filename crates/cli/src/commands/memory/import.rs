//! `ralph memory import`.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ralph_memory::{Import, Imported, Malformed, Shelf, Terms};
use serde::Serialize;

use super::opened::{global_memory, memory};
use crate::commands::Outcome;
use crate::perform::redactor;
use crate::problem::{Place, Problem, Problems, Spot};
use crate::project::{Project, block_on, store_problem};
use crate::settings::Given;
use crate::words::{counted, print, print_json};

/// More than this is read of no file.
const MOST: u64 = 256 << 20;

/// Take notes up that `ralph memory export` wrote; those that are here already stay as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory import notes.jsonl
  ralph memory import notes.jsonl --trust    they are your own: as they were, with what was held of them
  ralph memory import notes.jsonl --global   those for all projects as well

Nothing is written unless all of the file makes sense. Without --trust a note counts as the words of a tool, and
what others held of it, and what it cites, counts for nothing. A note that is so from a later day on is found from then on.")]
pub(crate) struct ImportArgs {
    /// The file
    file: PathBuf,
    /// Take them for as good as they were
    #[arg(long)]
    trust: bool,
    /// Take up those for all projects, too: every project sees them
    #[arg(long)]
    global: bool,
    /// Print it as JSON (docs/schema/memory-import.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct TakenUp {
    /// How many notes were taken up.
    notes: u64,
    /// How many were here already, or had been and were forgotten.
    known: u64,
    /// How many are for all projects, which nobody asked for.
    left_out: u64,
}

pub(crate) fn run(args: &ImportArgs) -> Outcome {
    let text = read(&args.file)?;
    let import = Import::read(&text).map_err(|error| malformed(&args.file, &text, &error))?;
    let taken = block_on(args.take(&import))?;
    if args.json {
        print_json(&taken);
    } else {
        print(&format!("{} taken up, {} known already\n", counted(taken.notes, "note"), taken.known));
        if taken.left_out > 0 {
            let left_out = counted(taken.left_out, "note");
            print(&format!("left out: {left_out} for all projects; --global takes them up\n"));
        }
    }
    Ok(0)
}

impl ImportArgs {
    async fn take(&self, import: &Import) -> Result<TakenUp, Problems> {
        let (now, redactor) = (Timestamp::now(), redactor());
        let here = Project::here(Given::default())?;
        let shelves: &[Shelf] =
            if self.global { &[Shelf::Project, Shelf::Global] } else { &[Shelf::Project] };
        let terms = Terms { is_trusted: self.trust, with_global: self.global };
        let mut taken = TakenUp { notes: 0, known: 0, left_out: 0 };
        for shelf in shelves.iter().filter(|shelf| import.notes(**shelf) > 0) {
            let store = match shelf {
                Shelf::Project => memory(&here)?,
                Shelf::Global => global_memory(&here)?,
            };
            let imported = import.take(&store, *shelf, terms, &redactor, now).await;
            let Imported { notes, known } = imported.map_err(|error| store_problem(&error))?;
            taken.notes += notes;
            taken.known += known;
        }
        if !self.global {
            taken.left_out = import.notes(Shelf::Global);
        }
        Ok(taken)
    }
}

fn read(path: &Path) -> Result<String, Problems> {
    let wrong = |what: String| {
        let problem = Problem::new(format!("cannot read this file: {what}"));
        problem.at(Place::from(path.to_owned())).next("name a file that `ralph memory export` wrote")
    };
    let found = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !found.is_file() || found.len() > MOST {
        return Err(wrong(format!("it is no file of at most {} MiB", MOST >> 20)).into());
    }
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        wrong(format!("its byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1)).into()
    })
}

fn malformed(path: &Path, text: &str, error: &Malformed) -> Problem {
    let own = text.lines().nth(error.line - 1).unwrap_or_default().to_owned();
    let spot = Spot { line: error.line, column: 1, text: own, width: 1 };
    Problem::new(error.what.clone())
        .at(Place { path: path.to_owned(), spot: Some(spot) })
        .next("mend or remove the line; nothing was written")
}
