//! `ralph memory list`.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use ralph_core::note::{KindName, Note};
use ralph_memory::catch_up;
use ralph_store::{Notes, StoreError};
use serde::Serialize;

use super::code::beside_code;
use super::opened::opened;
use super::{KindArg, NOTHING, told};
use crate::commands::{Outcome, most};
use crate::project::{block_on, store_problem};
use crate::words::{print, print_json};

/// List what is remembered, the newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory list
  ralph memory list --as-of 2026-05-08        what was so on that day
  ralph memory list --kind gotcha --limit 50 --json | jq -r '.notes[].content'

Exit codes: 4 if nothing is remembered.")]
pub(crate) struct ListArgs {
    /// Only this kind of note; may be given several times
    #[arg(long, value_enum)]
    kind: Vec<KindArg>,
    /// What others have taken the place of, too
    #[arg(long)]
    all: bool,
    /// What was so then, whatever has taken its place since: a day, to its end in UTC, or a time
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "all")]
    as_of: Option<Timestamp>,
    /// How many at most
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = most)]
    limit: usize,
    /// Print it as JSON (docs/schema/memory-notes.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Listed {
    /// The newest first.
    notes: Vec<Note>,
}

/// Notes that are read at a time.
const PAGE: usize = 256;

pub(crate) fn run(args: &ListArgs) -> Outcome {
    let opened = opened()?;
    let mut notes: Vec<Note> = Vec::new();
    for (_, store) in opened.stores() {
        let more = block_on(args.notes(store)).map_err(|error| store_problem(&error))?;
        let new = more.into_iter().filter(|note| notes.iter().all(|known| known.id != note.id));
        notes.extend(new.collect::<Vec<_>>());
    }
    notes.sort_by_key(|note| std::cmp::Reverse(note.recorded_at));
    notes.truncate(args.limit);
    beside_code(&opened.here, &mut notes);
    let exit = if notes.is_empty() { NOTHING } else { 0 };
    let now = Timestamp::now();
    if args.json {
        print_json(&Listed { notes });
    } else if notes.is_empty() {
        print("nothing is remembered here yet; `ralph memory add \"…\"` puts something down\n");
    } else {
        notes.iter().for_each(|note| print(&told::brief(note, now)));
    }
    Ok(exit)
}

/// `2026-05-08` or `2026-05-08T12:00:00Z`.
fn moment(text: &str) -> Result<Timestamp, String> {
    let end_of = |day: Date| day.tomorrow().and_then(|next| next.to_zoned(TimeZone::UTC));
    let day = text.parse::<Date>().ok().filter(|_| !text.contains(['T', 't', ' ']));
    match day.map(end_of) {
        Some(Ok(end)) => Ok(end.timestamp() - SignedDuration::from_nanos(1)),
        _ => text.parse().map_err(|_| "a day as 2026-05-08, or a time as 2026-05-08T12:00:00Z".to_owned()),
    }
}

impl ListArgs {
    fn is_so(&self, note: &Note) -> bool {
        match self.as_of {
            Some(at) => note.is_valid_at(at),
            None => self.all || note.is_active(),
        }
    }

    async fn notes(&self, store: &impl Notes) -> Result<Vec<Note>, StoreError> {
        catch_up(store).await?;
        let kinds: Vec<KindName> = self.kind.iter().map(|kind| (*kind).into()).collect();
        let mut notes = Vec::new();
        let mut before = None;
        loop {
            let page = store.newest_notes(before, PAGE).await?;
            let Some((last, _)) = page.last() else { break };
            before = Some(*last);
            let wanted = page.into_iter().map(|(_, note)| note).filter(|note| {
                self.is_so(note) && (kinds.is_empty() || kinds.contains(&note.said.kind.name()))
            });
            notes.extend(wanted);
            if notes.len() >= self.limit {
                break;
            }
        }
        notes.truncate(self.limit);
        Ok(notes)
    }
}
