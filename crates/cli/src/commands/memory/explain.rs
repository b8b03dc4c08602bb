//! `ralph memory explain`.

use jiff::Timestamp;
use ralph_core::id::TaskId;
use ralph_core::task::Task;
use ralph_engine::{About, Foreseen, constitution, foresee};
use ralph_memory::{Contradiction, Hydration, Sufficiency, tokens};
use serde::Serialize;

use super::NOTHING;
use super::code::graph_of;
use super::explained::text;
use super::opened::opened;
use crate::backlog::{TrackerFlags, tracker_problem};
use crate::commands::Outcome;
use crate::paths::files_below_root;
use crate::problem::{Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::{print, print_json};

/// Show what a brief would get for a task, what it would not, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory explain \"make the login test stable\" --file src/login.rs
  ralph memory explain --task T-12                     in the words of the backlog
  ralph memory explain --task T-12 \"retry with a jitter\" --json | jq '.left_out'

Nothing is changed by it. A note about code that has changed is shown as the hypothesis that it would be.

Exit codes: 4 if no note would be taken.")]
pub(crate) struct ExplainArgs {
    /// What the task says; files and symbols that it names, and what is near them in the code, count as at hand
    text: Option<String>,
    /// The task: what it has put down for itself is seen, too; without TEXT its words are the backlog's
    #[arg(long, value_name = "ID", value_parser = TaskId::parse)]
    task: Option<TaskId>,
    /// A file at hand; may be given several times
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
    /// A symbol at hand; may be given several times
    #[arg(long, value_name = "NAME")]
    symbol: Vec<String>,
    /// How many tokens there are for the constitution, notes and code together (default: `memory.budget`)
    #[arg(long)]
    budget: Option<u32>,
    /// Print it as JSON (docs/schema/memory-explain.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Explained {
    /// How many tokens there are.
    pub(super) budget: u32,
    /// How many of them the constitution takes up.
    pub(super) constitution: u32,
    /// What the task has put down against what the project knows.
    pub(super) contradictions: Vec<Contradiction>,
    /// How many tokens it takes to say so.
    pub(super) disputed: u32,
    pub(super) code: Code,
    #[serde(flatten)]
    pub(super) chosen: Hydration,
    /// What the task names, and what of it neither the code nor the memory knows.
    pub(super) sufficiency: Sufficiency,
}

/// What the code graph has to say.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Code {
    /// Files at hand.
    pub(super) files: Vec<String>,
    /// Symbols at hand.
    pub(super) symbols: Vec<String>,
    /// How many files and symbols are near those.
    pub(super) near: usize,
    /// What is told of the files at hand.
    pub(super) text: String,
    /// How many tokens that takes up.
    pub(super) tokens: u32,
}

pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    let opened = opened()?;
    let (task, words) = args.subject()?;
    let graph = graph_of(&opened.here);
    let root = opened.here.place.root.clone();
    let (files, symbols) = (files_below_root(&root, &args.file)?, args.symbol.clone());
    let budget = args.budget.unwrap_or_else(|| opened.here.loaded.memory().budget.get());
    let shelves = opened.shelves();
    let meaning = match &shelves {
        Some(shelves) => opened.meaning(shelves, &words)?,
        None => None,
    };
    let foreseen = block_on(async {
        let constitution = constitution(opened.project(), &root).await?;
        let about = About { task, text: words, files, symbols, constitution, meaning, budget };
        foresee(shelves.as_ref(), (&root, graph.as_ref()), &about, Timestamp::now()).await
    });
    let explained = Explained::of(foreseen.map_err(|error| store_problem(&error))?, budget);
    if args.json {
        print_json(&explained);
    } else {
        print(&text(&explained));
    }
    Ok(if explained.chosen.is_empty() { NOTHING } else { 0 })
}

impl ExplainArgs {
    /// Whose notes are seen, and what is searched by.
    fn subject(&self) -> Result<(TaskId, String), Problems> {
        match (&self.task, &self.text) {
            (Some(task), Some(text)) => Ok((task.clone(), text.clone())),
            (None, Some(text)) => Ok((Task::prompt(text).remembered_as(), text.clone())),
            (Some(task), None) => {
                let told = of_backlog(task);
                // Who names a file has said what it is about.
                let is_enough = !self.file.is_empty() || !self.symbol.is_empty();
                told.or_else(|problems| if is_enough { Ok(String::new()) } else { Err(problems) })
                    .map(|text| (task.clone(), text))
            }
            (None, None) if self.file.is_empty() && self.symbol.is_empty() => {
                let problem = Problem::new("nothing says what the brief is about");
                Err(problem
                    .next("give the words of the task, a file with --file, or a task with --task")
                    .into())
            }
            (None, None) => Ok((TaskId::prompt(), String::new())),
        }
    }
}

/// A task in its own words, as a run would be given it.
fn of_backlog(task: &TaskId) -> Result<String, Problems> {
    let mut chosen = TrackerFlags::default().choose()?;
    let backlog = chosen.tracker.load().map_err(|error| tracker_problem(&error))?;
    let Some(item) = backlog.item(task) else {
        let problem = Problem::new(format!("there is no task {task} in the backlog"));
        return Err(problem.next("`ralph tasks list` lists those that are there, or give its words").into());
    };
    let Task { title, body, .. } = item.to_task();
    Ok(format!("{title}\n{body}"))
}

impl Explained {
    fn of(foreseen: Foreseen, budget: u32) -> Explained {
        let Foreseen { files, symbols, near, .. } = foreseen;
        let code = Code { files, symbols, near, tokens: tokens(&foreseen.code), text: foreseen.code };
        Explained {
            budget,
            constitution: foreseen.constitution,
            contradictions: foreseen.contradictions,
            disputed: foreseen.disputed,
            code,
            chosen: foreseen.chosen,
            sufficiency: foreseen.sufficiency,
        }
    }
}
