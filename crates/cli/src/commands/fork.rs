//! `ralph fork`.

use std::sync::Arc;

use jiff::Timestamp;
use ralph_core::agenda::{Agenda, Commits};
use ralph_core::id::RunId;
use ralph_core::moment::Moment;
use ralph_core::put_back::ForkedFrom;
use ralph_core::run::{Request, Run};
use ralph_engine::{custody, deliveries};
use ralph_snapshot::{Restore, Vault};
use ralph_store::{SqliteStore, Store, StoreError, Unfinished};

use super::Outcome;
use super::resume::load;
use super::rollback::take_tree;
use super::run::register;
use crate::backlog::Consent;
use crate::briefing;
use crate::desk;
use crate::history::{History, short};
use crate::perform::{Stage, hooks, perform, redactor, staff};
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, find_run, store_problem};
use crate::ready;
use crate::restoring::{agreed, told};
use crate::servers;
use crate::settings::Given;
use crate::show_flags::ShowFlags;
use crate::vault;
use crate::words::print;

/// Begin a new run from where an iteration of another one began: its files, its task, its agent and its limits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph fork 3               from where iteration 3 of the latest run began
  ralph fork 2 1k7zq0m8xw3f  of a run by its id, or the beginning of it
  ralph fork 3 --yes --new   without being asked, and leaving an unfinished run behind

What is there now is kept first: `ralph rollback --undo` brings it back. On a terminal it asks before files are put
back; elsewhere it needs --yes.")]
pub(crate) struct Args {
    /// The iteration
    #[arg(value_name = "N")]
    iteration: u32,
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,

    /// Leave an unfinished run of this directory behind
    #[arg(long)]
    new: bool,

    /// Do not ask before files are put back
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    show: ShowFlags,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    block_on(fork(args, project))
}

async fn fork(args: Args, project: Project) -> Outcome {
    let store = Arc::new(project.existing_store()?);
    let source = find_run(&store, &project.place, args.run.as_deref()).await?;
    let at = Timestamp::now();
    let id = RunId::new(at, ralph_engine::entropy());
    let lock = take_tree(&project.place, &id)?;
    let over = if args.new { Unfinished::Supersede } else { Unfinished::Refuse };
    let latest = refuse_unfinished(&store, over, args.iteration).await?;
    for id in [&source].into_iter().chain(&latest) {
        custody::reap_run(id.as_str()).map_err(|error| Problem::new(ralph_engine::chain(&error)).exit(1))?;
    }
    let from = forked_from(&store, &source, args.iteration).await?;
    let seen = load(&store, &source).await?;
    let staff = staff(&project.loaded, &project.place.root)?;
    let (place, state_dir, settings) = project.settings(&store, false).await?;
    servers::end_turns(&seen, &staff, &place.root).await;
    ready::to_go_on(&seen, &staff, &place, &state_dir, &settings).await?;
    let briefing = briefing::again(&seen, &settings.wording, (&place, &store), false).await?;
    let tracking = desk::again(seen.agenda.as_ref(), &place, Consent::AsGranted)?;
    let Some(vault) = vault::wanted(&place, &settings.snapshots)? else {
        let next = "set `enabled = true` in [snapshots], and `state_dir` to a place outside the project";
        return Err(Problem::new("a fork needs snapshots, and none are taken here").next(next).into());
    };
    let how = args.show.how(settings.detail);
    if !may_put_back(&vault, &from, &args, how.is_json())? {
        print("nothing was changed\n");
        return Ok(0);
    }
    let mut run = new_run(id, at, seen, from);
    let told = deliveries(&hooks(&settings), &run);
    let in_hand = desk::in_hand(&store).await?;
    let begun = store.create_run(&run, at, over, &told).await.map_err(|error| store_problem(&error))?;
    desk::give_back(&in_hand, &place);
    run.fresh.clear();
    register(&state_dir, &run.id, &place.root).await.map_err(|error| store_problem(&error))?;
    let redactor = redactor();
    let stage = Stage {
        place,
        state_dir,
        settings,
        store,
        lock: Some(lock),
        staff,
        redactor,
        how,
        vault: Some(vault),
        briefing,
        tracking,
    };
    let run = perform(stage, run, begun).await?;
    Ok(run.stop().map_or(1, |stop| stop.reason.exit_code()))
}

/// The latest run, which is not left behind without being told so. The store refuses as well; here nobody was asked
/// anything yet.
async fn refuse_unfinished(
    store: &SqliteStore,
    over: Unfinished,
    iteration: u32,
) -> Result<Option<RunId>, Problems> {
    let latest = store.latest_run().await.map_err(|error| store_problem(&error))?;
    let Some(latest) = latest else { return Ok(None) };
    let is_open = load(store, &latest.id).await?.is_unfinished() && latest.superseded_by.is_none();
    if is_open && over == Unfinished::Refuse {
        let exists = StoreError::RunExists { run: latest.id.clone(), state: latest.state };
        return Err(Problem::new(exists.to_string())
            .next(format!("go on with it: `ralph resume {}`", latest.id))
            .next(format!("or leave it: `ralph fork {iteration} --new`"))
            .into());
    }
    Ok(Some(latest.id))
}

async fn forked_from(store: &SqliteStore, source: &RunId, iteration: u32) -> Result<ForkedFrom, Problems> {
    let history = History::read(store, source).await?;
    let begun = history.begin(iteration)?;
    let (snapshot, head) = (begun.id.to_string(), begun.head.clone());
    Ok(ForkedFrom { run: source.clone(), iteration, snapshot, head })
}

/// The files are put back by the run itself, once it is journalled that it owes that.
fn may_put_back(vault: &Vault, from: &ForkedFrom, args: &Args, json: bool) -> Result<bool, Problems> {
    let target = from.snapshot.parse().expect("it was read as a snapshot's name");
    let restore = Restore { dry_run: true, ..Restore::default() };
    let plan = vault.restore(target, &restore).map_err(|error| vault::problem(&error))?;
    if plan.changes.is_empty() {
        return Ok(true);
    }
    if !json {
        let ForkedFrom { run, iteration, .. } = from;
        let snapshot = short(&target);
        print(&format!("as it was when iteration {iteration} of run {run} began (snapshot {snapshot}):\n"));
        print(&told(&plan, true));
    }
    let hint = format!("`ralph fork {} --yes` does it", from.iteration);
    agreed(args.yes, json, "Put this back and begin? [y/N] ", &hint)
}

fn new_run(id: RunId, at: Timestamp, seen: Run, from: ForkedFrom) -> Run {
    let request = Request {
        id,
        task: seen.task,
        template: seen.template,
        agenda: seen.agenda.map(|agenda| Agenda {
            commits: agenda.commits.map(Commits::afresh),
            ..Agenda::new(agenda.source, agenda.filter)
        }),
        policy: seen.policy,
        crew: seen.crew.for_another_run(),
        seed: ralph_engine::entropy(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        in_session: None,
        forked_from: Some(from),
    };
    let mut run = Run::start(request, Moment { at, running: std::time::Duration::ZERO });
    run.steering = seen.steering;
    run.inherited = seen.baseline.or(seen.inherited);
    run
}
