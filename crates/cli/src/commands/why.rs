//! `ralph why`.

use std::borrow::Cow;

use ralph_core::account::{Account, Pass};
use ralph_core::check::CheckResult;
use ralph_core::id::RunId;
use ralph_core::ledger::{Dealt, ledger};
use ralph_core::stop::{RunState, StopReason};
use ralph_engine::Place;
use ralph_store::SqliteStore;
use serde::Serialize;

use super::Outcome;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, find_run, run_to_look_at};
use crate::settings::Given;
use crate::words::{print, print_json};
use crate::{bars, evidence, follow, pointed, render, summary};

/// Show why a run stopped, or why an iteration was decided as it was: the evidence, and what to do next.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph why                    why the latest run stopped
  ralph why 2                  what its iteration 2 was decided from
  ralph why 1nfm 2             the same of another run
  ralph why US-7               what became of a task of its backlog, and what that took
  ralph why --json | jq '.iterations[] | select(.tampering != [])'")]
pub(crate) struct Args {
    /// The run's id or the beginning of it, the latest by default; or a task of its backlog
    run: Option<String>,
    /// An iteration; the last by default
    #[arg(value_name = "N")]
    iteration: Option<u32>,
    /// Print it as JSON (docs/schema/why.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Why {
    #[serde(flatten)]
    account: Account,
    /// What may be done now, as commands.
    next: Vec<Next>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
struct Next {
    command: String,
    why: Cow<'static, str>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let (run, iteration) = pointed::run_and_iteration(args.run, args.iteration);
    let project = Project::here(Given::default())?;
    block_on(async {
        let store = project.existing_store()?;
        if let Some((run, dealt)) = task(&store, &project.place, run.as_deref()).await? {
            match args.json {
                true => print_json(&dealt),
                false => print(&summary::task(&run, &dealt)),
            }
            return Ok(0);
        }
        let id = run_to_look_at(&store, &project.place, run.as_deref()).await?;
        let account = follow::account(&store, &id).await?;
        let picked = iteration.map(|number| pick(&account, number)).transpose()?;
        let of_picked = picked.map(|pass| Next {
            command: format!("ralph diff {id} {}", pass.iteration),
            why: "what this iteration did".into(),
        });
        let next: Vec<Next> = of_picked.map_or_else(|| next(&account), |step| vec![step]);
        if args.json {
            let iterations = picked.map_or_else(|| account.iterations.clone(), |pass| vec![pass.clone()]);
            print_json(&Why { next, account: Account { iterations, ..account } });
        } else {
            print(&tell(&account, picked, &next));
        }
        Ok(0)
    })
}

/// The task that the word names in the latest run, if it does.
async fn task(
    store: &SqliteStore,
    place: &Place,
    word: Option<&str>,
) -> Result<Option<(RunId, Dealt)>, Problems> {
    let Some(word) = word else { return Ok(None) };
    let Ok(latest) = find_run(store, place, None).await else { return Ok(None) };
    let journal = follow::journal(store, &latest).await?;
    let dealt = ledger(&journal).into_iter().find(|dealt| dealt.task.as_str() == word);
    Ok(dealt.map(|dealt| (latest, dealt)))
}

fn pick(account: &Account, number: u32) -> Result<&Pass, Problems> {
    let found = account.iterations.iter().find(|pass| pass.iteration == number);
    let ends = account.iterations.first().zip(account.iterations.last());
    let known = pointed::known(ends.map(|(first, last)| first.iteration..=last.iteration));
    let problem = || Problem::new(format!("run {} has no iteration {number}", account.run)).next(known);
    Ok(found.ok_or_else(problem)?)
}

fn tell(account: &Account, picked: Option<&Pass>, next: &[Next]) -> String {
    let mut text = match &account.stopped {
        Some(stopped) => render::stopped(&stopped.reason, account.status, &stopped.evidence),
        None => render::paint(render::HEAD, &format!("▶ {}", account.status.name())),
    };
    text += &format!("\n  run {}  {}\n\n", account.run, render::printable(&account.description));
    if picked.is_none() {
        text += &(bars::chart(account) + "\n");
    }
    if let Some(pass) = picked.or(account.iterations.last()) {
        text += &(evidence::tell(account, pass) + "\n");
    }
    for Next { command, why } in next {
        text += &format!("next: {command}\n      {}\n", render::faint(why));
    }
    text
}

/// A check that passed before anything was done.
fn green(account: &Account) -> Option<&CheckResult> {
    account.before.iter().find(|check| check.passed)
}

/// What a person may do about it.
fn next(account: &Account) -> Vec<Next> {
    let run = &account.run;
    let step = |command: String, why: &'static str| Next { command, why: why.into() };
    let diff = |why| step(format!("ralph diff {run}"), why);
    let logs = |why| step(format!("ralph logs {run}"), why);
    let run_again = if account.backlog.is_some() { "ralph run" } else { "ralph run \"PROMPT\"" };
    let again = |flag: &str, why| step(format!("{run_again} {flag}"), why);
    let Some(stopped) = &account.stopped else {
        return match account.status {
            RunState::Paused => vec![step(format!("ralph resume {run}"), "it is paused")],
            _ => vec![step(format!("ralph logs {run} --follow"), "watch it")],
        };
    };
    match stopped.detail {
        StopReason::Completed => vec![diff("what it has changed")],
        StopReason::MaxIterations => {
            let more = account.limits.max_iterations.unwrap_or(1).saturating_mul(2);
            vec![again(&format!("--max-iterations {more}"), "goes on from the tree as it is")]
        }
        StopReason::MaxDuration => vec![again("--max-duration TIME", "goes on from the tree as it is")],
        StopReason::Budget => vec![again("--max-cost-usd DOLLARS", "goes on from the tree as it is")],
        StopReason::NoProgress | StopReason::Circular => vec![
            diff("what has come of it so far"),
            logs("what the agent tried"),
            again("--agent OTHER", "lets another try; or say in the prompt what this one does not see"),
        ],
        StopReason::ConsecutiveFailures | StopReason::TasksUndone => {
            vec![logs("what the agent printed before it failed")]
        }
        // Only a check that was to fail first ends a run before an iteration with what the checks found.
        StopReason::Configuration if account.iterations.is_empty() && green(account).is_some() => {
            let name = green(account).map_or("", |check| &check.name);
            let why = format!(
                "{name} passes already: leave --red-first (`red_first` in [verify]) out, or give a check that fails until it is done"
            );
            vec![Next { command: run_again.to_owned(), why: why.into() }]
        }
        StopReason::Configuration | StopReason::Authentication => {
            vec![step(
                format!("ralph resume {run}"),
                "once that is mended; `ralph doctor` looks at the agents",
            )]
        }
        StopReason::Disk | StopReason::Database => {
            vec![step(format!("ralph resume {run}"), "once there is room, or the disk answers again")]
        }
        StopReason::AgentsExhausted | StopReason::Stopped | StopReason::Aborted => {
            vec![step(format!("ralph resume {run}"), "goes on where it stopped")]
        }
        StopReason::NoTasks if account.backlog.is_some() => {
            vec![step("ralph tasks".to_owned(), "there was nothing to do; it shows the backlog, and why")]
        }
        StopReason::NoTasks => vec![step(run_again.to_owned(), "there was nothing to do")],
    }
}
