//! `ralph memory explain`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use ralph_core::id::TaskId;
use ralph_memory::{
    Allowance, Contribution, Hydration, LeftOut, MentionKind, Need, Omission, Section, Taken, hydrate,
    mentions,
};
use serde::Serialize;

use super::NOTHING;
use super::opened::opened;
use super::search::reasons;
use crate::bars::gauge;
use crate::commands::Outcome;
use crate::problem::Problem;
use crate::project::{block_on, store_problem};
use crate::render::{CALM, FAINT, HEAD, inert, paint};
use crate::words::{cut, print, print_json};

/// As much of a headline as a line has room for, in characters.
const LINE: usize = 60;

/// Show which notes a brief would get for a task, which it would not, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory explain \"make the login test stable\" --file src/login.rs
  ralph memory explain --task T-12 \"retry with a jitter\" --json | jq '.left_out'

Exit codes: 4 if nothing would be taken.")]
pub(crate) struct ExplainArgs {
    /// What the task says; files and symbols that it names count as at hand
    text: Option<String>,
    /// The task: what it has put down for itself is seen, too
    #[arg(long, value_name = "ID", value_parser = TaskId::parse)]
    task: Option<TaskId>,
    /// A file at hand; may be given several times
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
    /// A symbol at hand; may be given several times
    #[arg(long, value_name = "NAME")]
    symbol: Vec<String>,
    /// How many tokens there are
    #[arg(long, default_value_t = Allowance::default().tokens)]
    budget: u32,
    /// Print it as JSON (docs/schema/memory-explain.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Explained {
    /// How many tokens there are.
    budget: u32,
    #[serde(flatten)]
    chosen: Hydration,
}

pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    if args.text.is_none() && args.file.is_empty() && args.symbol.is_empty() {
        let problem = Problem::new("nothing says what the brief is about");
        return Err(problem.next("give the words of the task, or a file with --file").into());
    }
    let opened = opened()?;
    let allowance = Allowance { tokens: args.budget, ..Allowance::default() };
    let chosen = match opened.shelves() {
        Some(shelves) => block_on(hydrate(&shelves, &args.need(), &allowance, None, Timestamp::now()))
            .map_err(|error| store_problem(&error))?,
        None => Hydration::default(),
    };
    let exit = if chosen.is_empty() { NOTHING } else { 0 };
    let explained = Explained { budget: args.budget, chosen };
    if args.json {
        print_json(&explained);
    } else {
        print(&explained.text());
    }
    Ok(exit)
}

impl ExplainArgs {
    fn need(&self) -> Need {
        let text = self.text.clone().unwrap_or_default();
        let (mut files, mut symbols) = (self.file.clone(), self.symbol.clone());
        for mention in mentions(&text) {
            match mention.kind {
                MentionKind::File => files.push(mention.text),
                MentionKind::Symbol | MentionKind::Test => symbols.push(mention.text),
                MentionKind::Command => {}
            }
        }
        Need {
            task: self.task.clone().unwrap_or_else(TaskId::prompt),
            text,
            files,
            symbols,
            near: BTreeMap::new(),
            current: Vec::new(),
        }
    }
}

impl Explained {
    fn text(&self) -> String {
        let Hydration { taken, left_out, tokens, .. } = &self.chosen;
        if taken.is_empty() && left_out.is_empty() {
            return "nothing that is remembered fits\n".to_owned();
        }
        let mut text = String::new();
        for section in Section::ALL {
            let own: Vec<&Taken> = taken.iter().filter(|one| one.section == section).collect();
            if !own.is_empty() {
                text += &(paint(HEAD, section.name()) + "\n");
                own.iter().for_each(|one| text += &self.taken(one));
            }
        }
        if !left_out.is_empty() {
            text += &(paint(HEAD, "left out") + "\n");
            left_out.iter().for_each(|one| text += &left(one));
        }
        let (used, all) = (u64::from(*tokens), u64::from(self.budget));
        text + &format!(
            "\n{} of {} tokens  {}\n",
            tokens,
            self.budget,
            paint(CALM, &gauge(used.min(all), all))
        )
    }

    fn taken(&self, one: &Taken) -> String {
        let mark = if one.hypothesis { paint(CALM, " [HYPOTHESIS]") } else { String::new() };
        let head = inert(&cut(one.note.headline(), LINE));
        let facts = format!("score {:.2}: {}", one.score, why(&one.factors));
        format!(
            "  {} {:>5}  {head}{mark}\n{}",
            one.note.id,
            one.tokens,
            paint(FAINT, &format!("{:26}{facts}\n", ""))
        )
    }
}

fn why(factors: &[Contribution]) -> String {
    if factors.is_empty() { "it is of the files at hand".to_owned() } else { reasons(factors) }
}

fn left(one: &LeftOut) -> String {
    let why = match &one.why {
        Omission::NoRoom => "the budget is used up".to_owned(),
        Omission::TooMany => format!("there are enough better {}", one.section.name()),
        Omission::LikeAnother { note } => format!("{note} says nearly the same"),
        Omission::OfLittleUse => "it fits much less, or is little relied on".to_owned(),
        Omission::Withheld => "on purpose, to see how the work goes without it".to_owned(),
    };
    let head = inert(&cut(&one.headline, LINE));
    format!("  {}        {head}\n{}", one.note, paint(FAINT, &format!("{:26}{why}\n", "")))
}
