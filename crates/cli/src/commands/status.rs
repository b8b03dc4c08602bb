//! `ralph status`.

use jiff::Timestamp;
use ralph_core::account::Account;
use ralph_core::id::{AgentName, RunId};
use ralph_core::put_back::PutBack;
use ralph_core::stop::RunState;
use ralph_core::view::{BacklogView, Doing, RunView};
use ralph_engine::lock;
use ralph_engine::output::printable;
use ralph_store::{RunSummary, SqliteStore, Store, StoreError};
use serde::Serialize;

use super::Outcome;
use crate::advice::{Advice, advice, lines};
use crate::problem::Problems;
use crate::project::{Project, block_on, run_to_look_at, store_problem};
use crate::render;
use crate::settings::Given;
use crate::vault;
use crate::words::{counted, moment, print, print_json, since, span};
use crate::{bars, debt, follow};

/// Show how a run stands: the latest of this directory, or one by its id.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph status
  ralph status --list
  ralph status --json | jq .stop_reason")]
pub(crate) struct Args {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// List the runs of this directory instead, the newest first
    #[arg(long, conflicts_with = "run")]
    list: bool,
    /// Print it as JSON (docs/schema/status.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Status {
    #[serde(flatten)]
    view: RunView,
    /// Whether a process is driving the run right now, or the session that it lives in.
    alive: bool,
    /// Whether `ralph resume` may go on with it.
    resumable: bool,
    /// Whether a rollback was cut short; the next `ralph rollback` or `ralph resume` finishes it.
    rollback_pending: bool,
    /// What `ralph resume` puts the files back to, unless a newer run has begun since.
    owed: Option<PutBack>,
    /// What can be done about a run that failed.
    next: Vec<Advice>,
}

/// One line of `--list --json`.
#[derive(Debug, Serialize)]
pub(super) struct Listed {
    run: RunId,
    status: RunState,
    stop_reason: Option<String>,
    description: String,
    started_at: Timestamp,
}

impl From<RunSummary> for Listed {
    fn from(run: RunSummary) -> Listed {
        Listed {
            run: run.id,
            status: run.state,
            stop_reason: run.reason.map(|reason| reason.name().to_owned()),
            description: run.title,
            started_at: run.started_at,
        }
    }
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    if args.list {
        return list(&project, args.json);
    }
    let (status, account) = of(&project, args.run.as_deref())?;
    if args.json {
        print_json(&status);
    } else {
        print(&tell(&status, &account));
    }
    Ok(0)
}

/// How a run stands.
pub(super) fn of(project: &Project, named: Option<&str>) -> Result<(Status, Account), Problems> {
    block_on(async {
        let store = project.existing_store()?;
        let id = run_to_look_at(&store, &project.place, named).await?;
        let (run, view, account) = follow::view(&store, &id).await?;
        let is_driven = lock::owner(&project.place.owner_file()).is_some_and(|owner| owner.run == id);
        // A session goes on by itself; whether its host runs, nobody but the host knows.
        let lives = run.in_session.is_some() && run.stop().is_none();
        let alive = is_driven || lives;
        let rollback_pending = !is_driven && vault::pending(&project.place).is_some();
        let resumable = run.is_unfinished() && (!alive || (lives && run.is_paused()));
        let next = advice(&run, &follow::journal(&store, &id).await?, &project.place);
        let owed = debt::owed(&store, &run).await?;
        Ok((Status { alive, resumable, rollback_pending, owed, next, view }, account))
    })
}

/// The runs of a project, the newest first.
fn all(project: &Project) -> Result<Vec<Listed>, Problems> {
    listed(&project.existing_store()?)
}

/// The same where it is no mistake that there are none.
pub(super) fn all_or_none(project: &Project) -> Result<Vec<Listed>, Problems> {
    match SqliteStore::open_existing(&project.place.state) {
        Err(StoreError::NoDatabase { .. }) => Ok(Vec::new()),
        opened => listed(&opened.map_err(|error| store_problem(&error))?),
    }
}

fn listed(store: &SqliteStore) -> Result<Vec<Listed>, Problems> {
    let runs = block_on(store.runs(usize::MAX)).map_err(|error| store_problem(&error))?;
    Ok(runs.into_iter().map(Listed::from).collect())
}

fn list(project: &Project, json: bool) -> Outcome {
    let listed = all(project)?;
    if json {
        print_json(&listed);
    } else {
        let line = |run: &Listed| {
            let how = run.stop_reason.as_deref().unwrap_or(run.status.name());
            format!("{}  {}  {how:<16}  {}\n", run.run, moment(run.started_at), printable(&run.description))
        };
        print(&listed.iter().map(line).collect::<String>());
    }
    Ok(0)
}

fn tell(status: &Status, account: &Account) -> String {
    let view = &status.view;
    let mut text = format!("run       {}\ntask      {}\n", view.run, view.description);
    if let Some(backlog) = &view.backlog {
        text += &format!("backlog   {}\n", printable(&backlog_line(backlog)));
    }
    text += &format!("state     {}\n", state(status));
    if let Some(session) = &view.host_session {
        let of = view.host.as_ref().map_or("no host yet", AgentName::as_str);
        text += &format!("session   {session} of {of}\n");
    }
    if let (Some(reason), Some(evidence)) = (&view.stop_reason, &view.evidence) {
        text += &format!("stopped   {reason}: {}\n", printable(evidence));
    }
    for check in &view.checks {
        text += &format!("check     {}\n", printable(&check.summary()));
    }
    if let Some(line) = bars::sparkline(account) {
        text += &format!("failing   {line}\n");
    }
    if let Some(tampering) = account.iterations.last().and_then(|pass| pass.tampering.first()) {
        text += &format!("tampered  {}\n", printable(tampering));
    }
    let of = view.max_iterations.map_or(String::new(), |max| format!(" of {max}"));
    text += &format!(
        "progress  iteration {}{of}, {}\n",
        view.iteration,
        counted(view.attempts.into(), "attempt")
    );
    let model = view.model.as_ref().map_or(String::new(), |model| format!(", model {}", printable(model)));
    text += &format!("agent     {}{model}\n", view.agent);
    text += &format!("sandbox   {}\n", view.sandbox);
    if let Some(judgement) = &view.judgement {
        text += &format!("judge     {}: {}\n", judgement.opinion.name(), printable(&judgement.reason));
    }
    if let Some(used) = render::usage(&view.usage) {
        text += &format!("used      {used}\n");
    }
    let until = view.ended_at.unwrap_or_else(Timestamp::now);
    text += &format!("time      {} since {}\n", span(since(view.started_at, until)), moment(view.started_at));
    if let Some(line) = view.last_output.lines().rev().find(|line| !line.trim().is_empty()) {
        text += &format!("last      {}\n", printable(line));
    }
    if status.rollback_pending {
        text += "rollback  was cut short; `ralph rollback` or `ralph resume` finishes it\n";
    }
    if let Some(owed) = status.owed.as_ref().filter(|_| !status.alive) {
        let when =
            owed.iteration.map_or("before the run".to_owned(), |n| format!("when iteration {n} began"));
        text +=
            &format!("owed      the files are to be as they were {when}: `ralph resume` puts them back\n");
    }
    text += &next(status);
    text
}

fn backlog_line(backlog: &BacklogView) -> String {
    let BacklogView { source, completed, skipped } = backlog;
    let skipped = if skipped.is_empty() { String::new() } else { format!(", {} skipped", skipped.len()) };
    format!("{} of {} completed{skipped}, {}", completed.len(), source.open, source.name)
}

fn state(status: &Status) -> String {
    let name = status.view.status.name();
    if status.alive || status.view.ended_at.is_some() {
        return match &status.view.doing {
            Doing::Waiting { until, why } => format!("{name}, waiting until {} ({why})", moment(*until)),
            Doing::Attempt { attempt, pid: Some(pid), .. } => {
                format!("{name}, attempt {attempt}, agent pid {pid}")
            }
            Doing::Attempt { .. } | Doing::Between | Doing::Paused | Doing::Nothing => name.to_owned(),
        };
    }
    format!("interrupted (was {name}); no process is driving it")
}

fn next(status: &Status) -> String {
    let run = &status.view.run;
    if !status.next.is_empty() {
        format!("next\n{}", lines(&status.next, "  "))
    } else if status.resumable {
        format!("next      ralph resume {run}\n")
    } else if status.alive {
        format!("next      ralph logs {run} --follow\n")
    } else {
        format!("next      ralph why {run}\n")
    }
}
