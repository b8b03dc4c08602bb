//! `ralph memory confirm`.

use jiff::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Confidence, Evidence, MemoryEvent, Note};
use ralph_engine::anchored_anew;
use ralph_memory::{Shelf, remember};
use serde::Serialize;

use super::code::graph_of;
use super::opened::{Held, Opened, opened};
use crate::commands::Outcome;
use crate::perform::redactor;
use crate::problem::Problems;
use crate::project::{Project, block_on, store_problem};
use crate::words::{print, print_json};

/// Say that a note holds, or that it does not: nothing weighs more.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory confirm 1jcxr8k0q3m5v7aa
  ralph memory confirm 1jcxr8k0q3m5v7aa --reject    it is wrong; found less, and marked as a hypothesis

A note that was superseded by one that is forgotten by now is found again once it is confirmed.")]
pub(crate) struct ConfirmArgs {
    /// The note
    #[arg(value_parser = NoteId::parse)]
    id: NoteId,
    /// It does not hold
    #[arg(long)]
    reject: bool,
    /// Print it as JSON (docs/schema/memory-confirm.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Weighed {
    id: NoteId,
    /// Whether it was rejected, and not confirmed.
    rejected: bool,
    /// What it has now.
    confidence: Confidence,
}

pub(crate) fn run(args: &ConfirmArgs) -> Outcome {
    let opened = opened()?;
    let confidence = block_on(async {
        let now = Timestamp::now();
        let mut confidence = Confidence::default();
        for (held, note) in args.of(&opened).await? {
            let events = args.events(held.shelf, &note, &opened.here);
            let written = remember(held.store, events, &redactor(), now).await;
            written.map_err(|error| store_problem(&error))?;
            confidence = note.confidence_at(now).after(args.evidence());
        }
        Ok::<_, Problems>(confidence)
    })?;
    if args.json {
        print_json(&Weighed { id: args.id.clone(), rejected: args.reject, confidence });
        return Ok(0);
    }
    let word = if args.reject { "rejected" } else { "confirmed" };
    print(&format!("{word}: note {} has a confidence of {confidence} now\n", args.id));
    Ok(0)
}

impl ConfirmArgs {
    /// What is confirmed stands again if what took its place was forgotten.
    async fn of<'a>(&self, opened: &'a Opened) -> Result<Vec<(Held<'a>, Note)>, Problems> {
        if self.reject { opened.active(&self.id).await } else { opened.standing(&self.id).await }
    }

    /// Who confirms a note says it of the code as it is now; but what holds in all projects is about the code of none.
    fn events(&self, shelf: Shelf, held: &Note, here: &Project) -> Vec<MemoryEvent> {
        let (note, evidence) = (held.id.clone(), self.evidence());
        if self.reject {
            return vec![MemoryEvent::Doubted { note, evidence }];
        }
        let mut events = vec![MemoryEvent::Confirmed { note: note.clone(), evidence }];
        let is_about_code =
            shelf == Shelf::Project && (!held.said.symbols.is_empty() || !held.said.anchors.is_empty());
        let graph = if is_about_code { graph_of(here) } else { None };
        let anchors = graph.map(|graph| anchored_anew(&graph, &held.said));
        let renewed = anchors.filter(|anchors| *anchors != held.said.anchors);
        events.extend(renewed.map(|anchors| MemoryEvent::Anchored { note, anchors }));
        events
    }

    fn evidence(&self) -> Evidence {
        if self.reject { Evidence::Rejected } else { Evidence::Approved }
    }
}
