//! `ralph memory search`.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use ralph_core::id::TaskId;
use ralph_core::note::Scope;
use ralph_engine::near;
use ralph_memory::{Context, Contribution, Intent, Query, Ranking, Recalled, Visible, recall_all};
use serde::Serialize;

use super::code::{beside_code, graph_of};
use super::opened::opened;
use super::{KindArg, NOTHING, told};
use crate::commands::{Outcome, most};
use crate::paths::files_below_root;
use crate::problem::Problems;
use crate::project::{Project, block_on, store_problem};
use crate::render::{FAINT, paint};
use crate::words::{print, print_json};

/// Find what is remembered about something, the most useful first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory search \"which port does the exporter use\"
  ralph memory search --intent what-failed \"flaky login test\"
  ralph memory search --about src/client.rs --kind gotcha

Exit codes: 4 if nothing is found.")]
pub(crate) struct SearchArgs {
    /// What to look for, in your own words; without it, what is new comes first
    #[arg(default_value = "")]
    text: String,
    /// What you want to know; only notes that answer it are found
    #[arg(long, value_enum)]
    intent: Option<IntentArg>,
    /// Only this kind of note; may be given several times
    #[arg(long, value_enum)]
    kind: Vec<KindArg>,
    /// Only notes about this file; may be given several times
    #[arg(long, value_name = "FILE")]
    about: Vec<String>,
    /// A file at hand: notes about it, and about code near it, come first; may be given several times
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
    /// A symbol at hand; may be given several times
    #[arg(long, value_name = "NAME")]
    symbol: Vec<String>,
    /// What this task has put down for itself, too
    #[arg(long, value_name = "ID", value_parser = TaskId::parse, conflicts_with = "scope")]
    task: Option<TaskId>,
    /// Only what has this scope; `all` for what tasks have put down for themselves, too
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
    /// Only what is so since this day
    #[arg(long, value_name = "YYYY-MM-DD")]
    since: Option<Date>,
    /// Only what was so before this day
    #[arg(long, value_name = "YYYY-MM-DD")]
    until: Option<Date>,
    /// How many at most
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = most)]
    limit: usize,
    /// Say what each score is made of
    #[arg(long)]
    why: bool,
    /// Print it as JSON (docs/schema/memory-search.json)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum IntentArg {
    HowTo,
    Why,
    Where,
    WhatFailed,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ScopeArg {
    Project,
    Global,
    All,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Found {
    text: String,
    /// The most useful first.
    results: Vec<Recalled>,
}

pub(crate) fn run(args: &SearchArgs) -> Outcome {
    let now = Timestamp::now();
    let opened = opened()?;
    let mut results = match opened.shelves() {
        Some(shelves) => {
            let meaning = opened.meaning(&shelves, &args.text)?;
            let query = Query { meaning, ..args.query(&opened.here)? };
            block_on(recall_all(&shelves, &query, &Ranking::default(), now))
                .map_err(|error| store_problem(&error))?
        }
        None => Vec::new(),
    };
    beside_code(&opened.here, results.iter_mut().map(|one| &mut one.note));
    let exit = if results.is_empty() { NOTHING } else { 0 };
    if args.json {
        print_json(&Found { text: args.text.clone(), results });
    } else if results.is_empty() {
        print("nothing that is remembered fits\n");
    } else {
        for one in &results {
            print(&told::brief(&one.note, now));
            if args.why {
                print(&paint(FAINT, &format!("{:18}{}\n", "", reasons(&one.factors))));
            }
        }
    }
    Ok(exit)
}

impl SearchArgs {
    fn query(&self, here: &Project) -> Result<Query, Problems> {
        let begin = |day: Date| day.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
        Ok(Query {
            limit: self.limit,
            intent: self.intent.map(Intent::from),
            kinds: self.kind.iter().map(|kind| (*kind).into()).collect(),
            visible: self.visible(),
            files: files_below_root(&here.place.root, &self.about)?,
            since: self.since.and_then(begin),
            until: self.until.and_then(begin),
            context: self.at_hand(here)?,
            ..Query::new(&self.text)
        })
    }

    /// With what the code graph says is near, where something is at hand.
    fn at_hand(&self, here: &Project) -> Result<Context, Problems> {
        let (files, symbols) = (files_below_root(&here.place.root, &self.file)?, self.symbol.clone());
        if files.is_empty() && symbols.is_empty() {
            return Ok(Context::default());
        }
        let graph = graph_of(here);
        let near = graph.map(|graph| near(&graph, &here.place.root, &files, &symbols)).unwrap_or_default();
        Ok(Context { files, symbols, near })
    }

    fn visible(&self) -> Visible {
        match (&self.task, self.scope) {
            (Some(task), _) => Visible::Task(task.clone()),
            (None, None) => Visible::Shared,
            (None, Some(ScopeArg::Project)) => Visible::Only(Scope::Project),
            (None, Some(ScopeArg::Global)) => Visible::Only(Scope::Global),
            (None, Some(ScopeArg::All)) => Visible::Everything,
        }
    }
}

impl From<IntentArg> for Intent {
    fn from(intent: IntentArg) -> Intent {
        match intent {
            IntentArg::HowTo => Intent::HowTo,
            IntentArg::Why => Intent::Why,
            IntentArg::Where => Intent::Where,
            IntentArg::WhatFailed => Intent::WhatFailed,
        }
    }
}

pub(super) fn reasons(factors: &[Contribution]) -> String {
    let one = |factor: &Contribution| format!("{} {:+.2}", factor.factor.name(), factor.value);
    factors.iter().map(one).collect::<Vec<_>>().join(", ")
}
