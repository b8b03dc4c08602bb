//! `ralph resume`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ralph_core::control::Control;
use ralph_core::event::{Entry, Event};
use ralph_core::id::RunId;
use ralph_core::moment::Moment;
use ralph_core::run::Run;
use ralph_engine::lock::{self, LockError, TreeLock};
use ralph_engine::{Hook, Place, custody, deliveries, ring};
use ralph_store::{Commit, SqliteStore, Store, StoreError};

use super::Outcome;
use super::control::{PATIENCE, foreseen};
use crate::asked::Asked;
use crate::backlog::Consent;
use crate::briefing;
use crate::debt;
use crate::desk;
use crate::perform::{Stage, hooks, lock_problem, perform, redactor, staff};
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, find_run, store_problem};
use crate::ready;
use crate::servers;
use crate::settings::Given;
use crate::show_flags::ShowFlags;
use crate::vault;

/// Un-pause a live run, or go on with one that was stopped, aborted or interrupted.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph resume               the latest run of this directory
  ralph resume 1k7zq0m8xw3f  a run by its id, or the beginning of it
  ralph resume --keep-tree   go on with what an interrupted attempt left

An attempt that was cut short is made again from the files it began with; `ralph rollback --undo` takes that back.
Where others have completed tasks of the backlog since, the files stay as they are.
A run that failed and died before it put its files back, as `on_failure` wants it, does so after asking, if nothing
else was done to them since.")]
pub(crate) struct Args {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,

    /// Leave the files as an attempt that was cut short, or a run that failed, left them
    #[arg(long)]
    keep_tree: bool,

    /// Do not ask: use what the project's files ask to run without `ralph trust`, and put back what a failed run owes
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    show: ShowFlags,
}

pub(crate) fn run(args: Args) -> Outcome {
    super::by_a_person("ask the person who started the run")?;
    let project = Project::here(Given::default())?;
    block_on(resume(args, project))
}

/// Lets a run go on that somebody else drives: a process, or a session of a host. None where nobody does.
pub(super) fn let_go_on(named: Option<&str>) -> Result<Option<String>, Problems> {
    let project = Project::here(Given::default())?;
    block_on(async {
        let store = Arc::new(project.existing_store()?);
        let id = find_run(&store, &project.place, named).await?;
        if let Some(told) = driven_on(&store, &project.place, &id).await? {
            return Ok(Some(told));
        }
        let seen = load(&store, &id).await?;
        if seen.is_unfinished() { in_session_on(&store, &seen).await } else { Err(over(&seen).into()) }
    })
}

async fn driven_on(store: &SqliteStore, place: &Place, id: &RunId) -> Result<Option<String>, Problems> {
    let goes_on = is_driven(place, id) && unpause(store, place, id).await?;
    Ok(goes_on.then(|| format!("run {id} goes on")))
}

async fn in_session_on(store: &Arc<SqliteStore>, run: &Run) -> Result<Option<String>, Problems> {
    let (Some(place), id) = (&run.in_session, &run.id) else { return Ok(None) };
    let control = Control::Resume;
    store.request(id, &control, Timestamp::now()).await.map_err(|error| store_problem(&error))?;
    let asked = Asked { id, place, control: &control, told: "goes on", is_driven: false };
    asked.settle(store.clone()).await.map(Some)
}

async fn resume(args: Args, project: Project) -> Outcome {
    let store = Arc::new(project.existing_store()?);
    let id = find_run(&store, &project.place, args.run.as_deref()).await?;
    if let Some(told) = driven_on(&store, &project.place, &id).await? {
        crate::words::print(&format!("{told}\n"));
        return Ok(0);
    }
    let seen = load(&store, &id).await?;
    if !seen.is_unfinished() {
        let ended = debt::Ended { store: &store, place: &project.place, run: &seen };
        ended.settle(args.keep_tree, args.yes).await?;
        return finished(&seen);
    }
    if let Some(told) = in_session_on(&store, &seen).await? {
        crate::words::print(&format!("{told}\n"));
        return Ok(0);
    }
    let lock = take_lock(&project.place, &id)?;
    custody::reap_run(id.as_str()).map_err(|error| Problem::new(ralph_engine::chain(&error)).exit(1))?;
    let staff = staff(&project.loaded, &project.place.root)?;
    let (place, state_dir, settings) = project.settings(&store, args.yes).await?;
    let ended = servers::end_turns(&seen, &staff, &place.root).await;
    let asked = foreseen(&store, &id, None).await?.unwrap_or(seen);
    ready::to_go_on(&asked, &staff, &place, &state_dir, &settings).await?;
    let briefing = briefing::again(&asked, &settings.wording, (&place, &store), args.yes).await?;
    let tracking = desk::again(asked.agenda.as_ref(), &place, Consent::by(args.yes))?;
    let vault = vault::wanted(&place, &settings.snapshots)?;
    let now = Moment { at: Timestamp::now(), running: asked.tally.running };
    let notice =
        if args.keep_tree { None } else { desk::others_work(&asked, &place, now, Consent::by(args.yes))? };
    let keep_tree = args.keep_tree || notice.is_some();
    let notices: Vec<String> = servers::told(&ended).into_iter().chain(notice).collect();
    let mut run = take(&store, &id).await?;
    let begun = reopen(&store, &mut run, &hooks(&settings), keep_tree, &notices).await?;
    let (redactor, how) = (redactor(), args.show.how(settings.detail));
    let stage = Stage {
        place,
        state_dir,
        settings,
        store,
        lock: Some(lock),
        staff,
        redactor,
        how,
        vault,
        briefing,
        tracking,
    };
    let run = perform(stage, run, begun).await?;
    Ok(run.stop().map_or(1, |stop| stop.reason.exit_code()))
}

fn is_driven(place: &Place, id: &RunId) -> bool {
    lock::owner(&place.owner_file()).is_some_and(|owner| owner.run == *id)
}

/// Whether the run's own process took it up. Whoever holds the tree may be about to let go of it: a `ralph stop` that
/// settles a dead run, or a run that is just ending.
async fn unpause(store: &SqliteStore, place: &Place, id: &RunId) -> Result<bool, Problems> {
    let no = match store.request(id, &Control::Resume, Timestamp::now()).await {
        Ok(no) => no,
        Err(StoreError::RunFinished { .. }) => return Ok(false),
        Err(error) => return Err(store_problem(&error).into()),
    };
    ring(id);
    let give_up = Instant::now() + PATIENCE;
    while Instant::now() < give_up {
        if load(store, id).await?.controls_seen >= no {
            return Ok(is_driven(place, id));
        }
        if !is_driven(place, id) {
            return Ok(false);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // It is alive and busy; what is asked of it is written down.
    Ok(true)
}

fn over(run: &Run) -> Problem {
    let ended = run.stop().map_or("", |stop| stop.reason.name());
    let problem = Problem::new(format!("run {} has ended: {ended}", run.id));
    match &run.in_session {
        Some(_) => problem.next("nothing goes on with a loop that has ended; `loop_start` starts another"),
        None => problem.next("`ralph run` in a terminal starts another"),
    }
}

/// A run that has ended for good says so again, with the exit code it had.
fn finished(run: &Run) -> Outcome {
    let stop = run.stop().expect("a finished run has stopped");
    let text = format!("run {} has ended: {}: {}\n", run.id, stop.reason.name(), stop.evidence);
    crate::words::print(&text);
    Ok(stop.reason.exit_code())
}

pub(crate) fn take_lock(place: &Place, id: &RunId) -> Result<TreeLock, Problems> {
    TreeLock::acquire_within(PATIENCE, &place.root, &place.owner_file(), id).map_err(|error| match &error {
        LockError::Held(Some(owner)) if !owner.is_alive() => {
            let problem = Problem::new("the guard of a dead run still holds this directory");
            problem.next("it is ending what was left; try again in a moment").into()
        }
        _ => lock_problem(&error).into(),
    })
}

pub(crate) async fn load(store: &SqliteStore, id: &RunId) -> Result<Run, Problems> {
    let run = store.run(id).await.map_err(|error| store_problem(&error))?;
    run.ok_or_else(|| Problem::new(format!("no run {id}")).into())
}

async fn take(store: &SqliteStore, id: &RunId) -> Result<Run, Problems> {
    let run = store.take_run(id).await.map_err(|error| store_problem(&error))?;
    run.ok_or_else(|| Problem::new(format!("no run {id}")).into())
}

/// Takes up what was asked while nobody was there, then goes on: whoever resumes no longer wants it stopped.
async fn reopen(
    store: &SqliteStore,
    run: &mut Run,
    hooks: &[Hook],
    keep_tree: bool,
    notices: &[String],
) -> Result<Vec<Entry>, Problems> {
    loop {
        let now = Moment { at: Timestamp::now(), running: run.tally.running };
        let mut next = run.clone();
        next.resume(now);
        if keep_tree {
            next.leave_tree();
        }
        for text in notices.iter().cloned() {
            next.note(now.at, Event::Notice { text });
        }
        let told = deliveries(hooks, &next);
        match store.commit(&next, now.at, &told).await.map_err(|error| store_problem(&error))? {
            Commit::Written(entries) => {
                next.fresh.clear();
                *run = next;
                return Ok(entries);
            }
            Commit::Controls(controls) => {
                for (no, control) in &controls {
                    run.apply(*no, control, now);
                }
            }
        }
    }
}
