//! `ralph memory rebuild`.

use ralph_memory::{Comparison, Shelf, compare, rebuild};
use serde::Serialize;

use super::NOTHING;
use super::opened::opened;
use crate::commands::Outcome;
use crate::project::{block_on, store_problem};
use crate::render::{BAD, FAINT, GOOD, paint};
use crate::words::{counted, print, print_json};

/// Throw all notes away and make them again from the log of events, and say whether they are the same.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory rebuild
  ralph memory rebuild --check --json | jq .same    compare, and change nothing

Exit codes: 1 with --check if the notes are not what the log comes to, 4 if nothing is remembered.")]
pub(crate) struct RebuildArgs {
    /// Only compare
    #[arg(long)]
    check: bool,
    /// Print it as JSON (docs/schema/memory-rebuild.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Rebuilt {
    /// Whether everything is what the log comes to, or was before it was made again.
    same: bool,
    shelves: Vec<Compared>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Compared {
    shelf: Shelf,
    same: bool,
    /// As they were kept.
    kept: Rows,
    /// As they were made from the log.
    made: Rows,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Rows {
    notes: u64,
    /// Of all of them.
    digest: String,
}

pub(crate) fn run(args: &RebuildArgs) -> Outcome {
    let opened = opened()?;
    let mut shelves = Vec::new();
    for (shelf, store) in opened.stores() {
        let compared = match args.check {
            true => block_on(compare(store)),
            false => block_on(rebuild(store)),
        };
        shelves.push(Compared::new(shelf, compared.map_err(|error| store_problem(&error))?));
    }
    let is_empty = shelves.is_empty();
    let rebuilt = Rebuilt { same: shelves.iter().all(|one| one.same), shelves };
    if args.json {
        print_json(&rebuilt);
    } else if is_empty {
        print("nothing is remembered here yet\n");
    } else {
        rebuilt.shelves.iter().for_each(|one| print(&one.line()));
    }
    Ok(match (is_empty, rebuilt.same || !args.check) {
        (true, _) => NOTHING,
        (false, is_fine) => u8::from(!is_fine),
    })
}

impl Compared {
    fn new(shelf: Shelf, comparison: Comparison) -> Compared {
        let same = comparison.is_same();
        let rows = |(notes, digest): (u64, String)| Rows { notes, digest };
        Compared { shelf, same, kept: rows(comparison.kept), made: rows(comparison.made) }
    }

    fn line(&self) -> String {
        let name = match self.shelf {
            Shelf::Project => "project",
            Shelf::Global => "all projects",
        };
        let (word, digests) = match self.same {
            true => (paint(GOOD, "the same"), self.made.digest.clone()),
            false => (paint(BAD, "not the same"), format!("{} → {}", self.kept.digest, self.made.digest)),
        };
        let notes = counted(self.made.notes, "note");
        format!("{name:<14}{notes:>12}  {word}  {}\n", paint(FAINT, &digests))
    }
}
