//! `ralph memory report`.

use std::collections::BTreeSet;

use ralph_core::id::RunId;
use ralph_memory::{Finding, ForAll, NoteUplift, Shelves, Tally, TaskTally, Uplift, uplift};
use ralph_store::{SqliteStore, Store, StoreError};

use super::NOTHING;
use super::opened::opened;
use crate::bars::gauge;
use crate::commands::Outcome;
use crate::project::{block_on, store_problem};
use crate::render::{BAD, FAINT, GOOD, HEAD, inert, paint};
use crate::words::{cut, print, print_json};

/// As much of a headline as a line has room for, in characters.
const LINE: usize = 44;
/// Runs of a project that are looked up, the newest: no project has more.
const RUNS: usize = 1_000_000;

/// Show whether notes help: how work went with them, and without.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory report
  ralph memory report --json | jq '.notes[] | select(.finding == \"harms\")'

To compare, some briefs have to do without a note: the setting memory.holdout says how many.
Exit codes: 4 if no note was ever in a brief.")]
pub(crate) struct ReportArgs {
    /// How many notes to list
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    limit: usize,
    /// Print it as JSON (docs/schema/memory-report.json)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ReportArgs) -> Outcome {
    let opened = opened()?;
    let found = match opened.project().and(opened.shelves()) {
        Some(shelves) => block_on(seen(&shelves)).map_err(|error| store_problem(&error))?,
        None => Uplift::default(),
    };
    let exit = if found.is_empty() { NOTHING } else { 0 };
    if args.json {
        print_json(&found);
    } else if exit == NOTHING {
        print("no note was in a brief yet\n");
    } else {
        print(&text(&found, args.limit));
    }
    Ok(exit)
}

/// With the notes for all projects, as far as this project's own runs had them.
async fn seen(shelves: &Shelves<'_, SqliteStore>) -> Result<Uplift, StoreError> {
    let own = shelves.project.runs(RUNS).await?;
    let runs: BTreeSet<RunId> = own.into_iter().map(|run| run.id).collect();
    let for_all = shelves.global.map(|store| ForAll { store, runs: &runs });
    uplift(shelves.project, for_all).await
}

fn text(found: &Uplift, limit: usize) -> String {
    let mut text = paint(HEAD, "attempts that went well\n");
    text += &attempts("with notes", found.with);
    text += &attempts("one left out", found.without_one);
    text += &paint(HEAD, "iterations of a completed task\n");
    let most = [found.tasks_with, found.tasks_without]
        .map(TaskTally::mean_iterations)
        .into_iter()
        .flatten()
        .fold(0.0, f64::max);
    text += &tasks("notes at first", found.tasks_with, most);
    text += &tasks("none at first", found.tasks_without, most);
    if !found.notes.is_empty() {
        text += &paint(HEAD, "notes, and how attempts went with and without\n");
        found.notes.iter().take(limit).for_each(|note| text += &line(note));
        let left = found.notes.len().saturating_sub(limit);
        if left > 0 {
            text += &paint(FAINT, &format!("  and {left} more: --limit shows them\n"));
        }
    }
    text
}

fn attempts(name: &str, tally: Tally) -> String {
    let all = tally.total();
    if all == 0 {
        return format!("  {name:<15}{}\n", paint(FAINT, "none"));
    }
    let bar = padded(&gauge(u64::from(tally.succeeded), u64::from(all)), GOOD);
    format!("  {name:<15}{bar}  {} of {all}\n", tally.succeeded)
}

fn tasks(name: &str, tally: TaskTally, most: f64) -> String {
    let Some(mean) = tally.mean_iterations() else {
        return format!("  {name:<15}{}\n", paint(FAINT, "none"));
    };
    // Bars are drawn of whole numbers: tenths are fine enough.
    let bar = padded(&gauge((mean * 10.0) as u64, (most * 10.0) as u64), HEAD);
    format!("  {name:<15}{bar}  {mean:.1} on average, {} tasks\n", tally.completed)
}

fn line(one: &NoteUplift) -> String {
    let word = match one.finding {
        Finding::Helps => paint(GOOD, "helps      "),
        Finding::Harms => paint(BAD, "harms      "),
        Finding::NoDifference => paint(FAINT, "as without "),
        Finding::TooFew => paint(FAINT, "seen seldom"),
    };
    let share = |tally: Tally| format!("{}/{}", tally.succeeded, tally.total());
    let head = inert(&cut(&one.headline, LINE));
    format!("  {word} {:>7} {:>7}  {} {head}\n", share(one.with), share(one.without), one.note)
}

/// As wide as the widest, so that what follows stands in a column.
fn padded(bar: &str, style: anstyle::Style) -> String {
    let gap = crate::bars::WIDEST as usize - bar.chars().count();
    paint(style, bar) + &" ".repeat(gap)
}
