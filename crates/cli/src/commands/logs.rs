//! `ralph logs`.

use std::collections::BTreeSet;

use ralph_core::agent_event::Detail;
use ralph_core::event::{Event, Line};
use ralph_core::id::{RunId, TaskId};
use ralph_core::ledger::ledger;
use ralph_core::nearest::shortened;
use ralph_store::{SqliteStore, Store};

use super::Outcome;
use crate::follow::{self, Followed, Found, Reading, Walk};
use crate::printed::Ears;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, run_to_look_at, store_problem};
use crate::screen::{Screen, Show};
use crate::settings::{Given, Loaded};
use crate::show_flags::level;
use crate::words::{counted, print};

/// How many tasks are named.
const NAMED: usize = 20;

/// Show what happened in a run, and what the agent said and did.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph logs                     the latest run
  ralph logs --follow            as it comes, until the run stops
  ralph logs --detail full       with thoughts, and what sub-agents say and do
  ralph logs --iteration 3 --json
  ralph logs --run 1nf --follow
  ralph logs --task US-7         what was done for a task of the backlog, in all its iterations
  ralph logs --raw > printed     the agent's own bytes")]
pub(crate) struct Args {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// The same, as a flag
    #[arg(long = "run", value_name = "RUN", conflicts_with = "run")]
    of: Option<String>,
    /// Go on until the run stops
    #[arg(long, short)]
    follow: bool,
    /// Only this iteration
    #[arg(long, value_name = "N")]
    iteration: Option<u32>,
    /// Only the iterations of this task of the backlog
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    #[command(flatten)]
    show: LookFlags,
}

/// How what agents printed is shown.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct LookFlags {
    /// How much of the agent's work is shown: its sub-agents and troubles (minimal), also what it says
    /// and does (moderate), everything (full)
    #[arg(long, value_name = "LEVEL", value_parser = level(), conflicts_with_all = ["json", "raw"])]
    detail: Option<Detail>,
    /// Print what the agent printed, byte for byte but for secrets, and nothing else
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Print one JSON object per line (docs/events.md)
    #[arg(long)]
    json: bool,
}

impl LookFlags {
    /// How it is shown, and how what agents printed is read for that.
    pub(crate) fn how(self, loaded: &Loaded) -> Result<(Show, Reading), Problems> {
        if self.json {
            return Ok((Show::Json, Reading::Text));
        }
        if self.raw {
            return Ok((Show::Raw, Reading::Bytes));
        }
        let detail = self.detail.or(loaded.detail()).unwrap_or_default();
        let ears = Ears::new(loaded.agents()?);
        Ok((Show::People { detail }, Reading::Words { ears, stderr: detail == Detail::Full }))
    }
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    block_on(async {
        let store = project.existing_store()?;
        let id = run_to_look_at(&store, &project.place, args.run.or(args.of).as_deref()).await?;
        let (how, reading) = args.show.how(&project.loaded)?;
        if let Some(task) = args.task.as_deref().filter(|_| !args.follow) {
            has_task(&store, &id, task).await?;
        }
        if let Some(iteration) = args.iteration.filter(|_| !args.follow) {
            has_iteration(&store, &id, iteration).await?;
        }
        let mut screen = Screen::new(how);
        let mut wanted = Wanted { iteration: args.iteration, task: args.task, of_task: BTreeSet::new() };
        let mut take = |found: Found<'_>| {
            if wanted.takes(&found) {
                screen.show(&found);
            }
        };
        let mut walk = Walk::new(&store, &project.place, id, reading);
        let followed = if args.follow {
            walk.follow(&mut take).await?
        } else {
            walk.advance(&mut take).await?;
            Followed::ToItsEnd
        };
        screen.close();
        if followed == Followed::ToACrash && matches!(how, Show::People { .. }) {
            print("no process is driving this run any more; `ralph resume` goes on with it\n");
        }
        Ok(0)
    })
}

/// Which lines are wanted; what is not said is left open.
struct Wanted {
    iteration: Option<u32>,
    task: Option<String>,
    /// The iterations of the task, as far as they have begun.
    of_task: BTreeSet<u32>,
}

impl Wanted {
    fn takes(&mut self, found: &Found<'_>) -> bool {
        let iteration = iteration_of(found);
        if self.iteration.is_some() && iteration != self.iteration {
            return false;
        }
        let Some(wanted) = &self.task else { return true };
        match task_of(found) {
            Some(task) if task.as_str() == wanted => {
                self.of_task.extend(iteration);
                true
            }
            Some(_) => false,
            None => iteration.is_some_and(|iteration| self.of_task.contains(&iteration)),
        }
    }
}

/// The task that a line is about, where it says so.
fn task_of<'a>(found: &'a Found<'_>) -> Option<&'a TaskId> {
    let Found::Line(line) = found else { return None };
    let Line::Journal(entry) = &**line else { return None };
    match &entry.event {
        Event::IterationStarted { task, .. }
        | Event::IterationEnded { task, .. }
        | Event::TaskStarted { task, .. }
        | Event::TaskCompleted { task, .. }
        | Event::TaskCommitted { task, .. }
        | Event::MemoryAsked { task, .. }
        | Event::Consolidated { task, .. }
        | Event::TaskSkipped { task, .. }
        | Event::QuestionAsked { task, .. } => Some(task),
        _ => None,
    }
}

/// An iteration that there was not is a slip, and not an empty log.
async fn has_iteration(store: &SqliteStore, id: &RunId, iteration: u32) -> Result<(), Problems> {
    let run = store.run(id).await.map_err(|error| store_problem(&error))?;
    let had = run.map_or(0, |run| run.tally.iterations);
    if (1..=had).contains(&iteration) {
        return Ok(());
    }
    let what = format!("run {id} has had no iteration {iteration}");
    let next = if had == 0 {
        "it has had none yet".to_owned()
    } else {
        format!("it has had {}", counted(had.into(), "iteration"))
    };
    Err(Problem::new(what).next(next).into())
}

async fn has_task(store: &SqliteStore, id: &RunId, task: &str) -> Result<(), Problems> {
    let tasks = ledger(&follow::journal(store, id).await?);
    if tasks.iter().any(|dealt| dealt.task.as_str() == task) {
        return Ok(());
    }
    let known: Vec<&str> = tasks.iter().take(NAMED).map(|dealt| dealt.task.as_str()).collect();
    let next = match known.is_empty() {
        true => "it has a prompt and no backlog, or has begun no task".to_owned(),
        false => format!("it had these in hand: {}", known.join(", ")),
    };
    let what = format!("run {id} has had no task `{}` in hand", shortened(task));
    Err(Problem::new(what).next(next).into())
}

fn iteration_of(found: &Found<'_>) -> Option<u32> {
    let line = match found {
        Found::Bytes { iteration, .. } => return Some(*iteration),
        Found::Line(line) => line,
    };
    match &**line {
        Line::Output(output) => Some(output.iteration),
        Line::Agent(told) => Some(told.iteration),
        Line::Journal(entry) => match &entry.event {
            Event::IterationStarted { iteration, .. }
            | Event::AttemptStarted { iteration, .. }
            | Event::AgentSpawned { iteration, .. }
            | Event::AttemptEnded { iteration, .. }
            | Event::Verdict { iteration, .. }
            | Event::SnapshotTaken { iteration, .. }
            | Event::FilesChanged { iteration, .. }
            | Event::Checked { iteration, .. }
            | Event::JudgeAsked { iteration, .. }
            | Event::Progress { iteration, .. }
            | Event::IterationEnded { iteration, .. }
            | Event::TaskStarted { iteration, .. }
            | Event::TaskCompleted { iteration, .. }
            | Event::QuestionAsked { iteration, .. }
            | Event::TaskCommitted { iteration, .. }
            | Event::Recalled { iteration, .. }
            | Event::MemoryAsked { iteration, .. }
            | Event::Consolidated { iteration, .. }
            | Event::TaskSkipped { iteration, .. }
            | Event::AgentChosen { iteration, .. } => Some(*iteration),
            Event::RunStarted(_)
            | Event::RunResumed {}
            | Event::Baseline { .. }
            | Event::RolledBack { .. }
            | Event::ControlApplied { .. }
            | Event::Waiting { .. }
            | Event::Paused {}
            | Event::Unpaused {}
            | Event::SessionPresented { .. }
            | Event::SessionReplaced { .. }
            | Event::AgentChanged { .. }
            | Event::AllLimited { .. }
            | Event::QuestionAnswered { .. }
            | Event::QuestionAssumed { .. }
            | Event::Limit { .. }
            | Event::Notice { .. }
            | Event::RunStopped { .. } => None,
        },
    }
}
