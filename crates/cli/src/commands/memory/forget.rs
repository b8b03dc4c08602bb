//! `ralph memory forget`.

use std::io::IsTerminal;
use std::path::PathBuf;

use jiff::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::MemoryEvent;
use ralph_memory::{Shelf, remember};
use ralph_store::StoreError;
use serde::Serialize;

use super::opened::{Opened, forgotten, opened};
use super::told;
use crate::commands::Outcome;
use crate::perform::redactor;
use crate::problem::{Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::{confirmed, counted, print, print_json};

/// Forget notes for good: what they say is blanked in the log and gone from everything made of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory forget 1jcxr8k0q3m5v7aa
  ralph memory forget 1jcxr8k0q3m5v7aa 1jcxr8k0q3m5v7ab --yes

A note that is for all projects is forgotten there as well. That there was one, and when, stays in the log.")]
pub(crate) struct ForgetArgs {
    /// The notes
    #[arg(required = true, value_name = "ID", value_parser = NoteId::parse)]
    ids: Vec<NoteId>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print it as JSON (docs/schema/memory-forget.json); needs --yes
    #[arg(long, requires = "yes")]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Forgot {
    forgotten: Vec<NoteId>,
    /// Notes that had given way to these and are not found either: `ralph memory confirm` reinstates them.
    stranded: Vec<NoteId>,
    /// Databases that somebody is reading: until they end, what was forgotten stands in the log beside them.
    still_read: Vec<PathBuf>,
}

pub(crate) fn run(args: &ForgetArgs) -> Outcome {
    let opened = opened()?;
    // All of them are there before one is gone.
    let events = block_on(args.tombstones(&opened))?;
    if !args.yes && !agreed(args.ids.len())? {
        print("nothing was forgotten\n");
        return Ok(Problem::USAGE);
    }
    let read = block_on(forget(&opened, &events)).map_err(|error| store_problem(&error))?;
    let stranded = block_on(opened.stranded_by(&args.ids))?;
    if args.json {
        print_json(&Forgot { forgotten: args.ids.clone(), stranded, still_read: read });
        return Ok(0);
    }
    print(&format!("{} forgotten\n", counted(args.ids.len() as u64, "note")));
    for id in stranded {
        print(&format!("note {id} had given way to it: `ralph memory confirm {id}` reinstates that\n"));
    }
    for path in read {
        eprintln!(
            "ralph: somebody is reading {}: what was forgotten is beside it until they end",
            path.display()
        );
    }
    Ok(0)
}

/// The stores in whose logs it still stands, because somebody reads there.
async fn forget(opened: &Opened, events: &[(Shelf, MemoryEvent)]) -> Result<Vec<PathBuf>, StoreError> {
    let mut read = Vec::new();
    for (shelf, store) in opened.stores() {
        let own = events.iter().filter(|(of, _)| *of == shelf).map(|(_, event)| event.clone());
        let own: Vec<MemoryEvent> = own.collect();
        if own.is_empty() {
            continue;
        }
        remember(store, own, &redactor(), Timestamp::now()).await?;
        if !store.empty_log().await? {
            read.push(store.path().to_owned());
        }
    }
    Ok(read)
}

impl ForgetArgs {
    async fn tombstones(&self, opened: &Opened) -> Result<Vec<(Shelf, MemoryEvent)>, Problems> {
        let mut events = Vec::new();
        for id in &self.ids {
            let mut is_there = false;
            for held in opened.held(id).await? {
                let Some(note) = held.note else { continue };
                if !self.yes && !is_there {
                    print(&told::brief(&note, Timestamp::now()));
                }
                is_there = true;
                events.push((held.shelf, MemoryEvent::Forgotten { note: id.clone() }));
            }
            if !is_there {
                return Err(forgotten(id).into());
            }
        }
        Ok(events)
    }
}

fn agreed(count: usize) -> Result<bool, Problems> {
    if !std::io::stdin().is_terminal() {
        let problem = Problem::new("nobody is there to ask");
        return Err(problem.next("`ralph memory forget ID --yes` forgets without asking").into());
    }
    confirmed(&format!("Forget {}? [y/N] ", counted(count as u64, "note")))
}
