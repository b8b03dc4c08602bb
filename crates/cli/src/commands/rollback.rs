//! `ralph rollback`.

use std::path::PathBuf;

use jiff::Timestamp;
use ralph_core::event::Event;
use ralph_core::id::RunId;
use ralph_core::moment::Moment;
use ralph_core::put_back::{Extent, PutBack, Restored, Why};
use ralph_core::run::Run;
use ralph_engine::Place;
use ralph_engine::lock::{self, LockError, TreeLock};
use ralph_engine::{carry_out, custody, head, restored};
use ralph_snapshot::{Report, Restore, SnapshotId, Vault};
use ralph_store::{SqliteStore, Store};

use super::Outcome;
use super::control::PATIENCE;
use super::resume::load;
use crate::amend::amend;
use crate::history::{History, Taken, short};
use crate::paths::below_root;
use crate::perform::lock_problem;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, find_run, store_problem};
use crate::restoring::{RollbackShown, agreed, head_moved, told};
use crate::settings::Given;
use crate::words::{print, print_json};
use crate::{follow, vault};

/// Put the files back: as they were before a run, or when one of its iterations began.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph rollback                    everything as it was before the latest run
  ralph rollback --to 3 --dry-run   what would be put back, to when iteration 3 began
  ralph rollback --yes src/lib.rs   one file, without being asked
  ralph rollback --undo             as it was before the last rollback

What is there now is kept first, so a rollback can be taken back. Ignored files, `.git`, HEAD and the index are
left alone. On a terminal it asks first; elsewhere it needs --yes.")]
pub(crate) struct Args {
    /// Only these files and directories
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// As it was when this iteration began; before the run by default
    #[arg(long, value_name = "N", conflicts_with_all = ["undo", "snapshot"])]
    to: Option<u32>,
    /// As this snapshot has it, by its id or the beginning of it
    #[arg(long, value_name = "ID", conflicts_with = "undo")]
    snapshot: Option<String>,
    /// The run's id or the beginning of it; the latest by default
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Take the last rollback back
    #[arg(long, conflicts_with = "paths")]
    undo: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print what is done, or would be, as JSON
    #[arg(long)]
    json: bool,
}

/// What is to be put back.
struct Aim {
    run: RunId,
    target: SnapshotId,
    paths: Vec<PathBuf>,
    iteration: Option<u32>,
    why: Why,
    /// When the tree was like this, for people.
    when: String,
    /// What git's HEAD pointed at then.
    head: Option<String>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    block_on(async {
        let store = project.existing_store()?;
        let vault = vault::existing(&project.place)?;
        let paths = below_root(&project.place.root, &args.paths)?;
        let run = find_run(&store, &project.place, args.run.as_deref()).await?;
        let _lock = take_tree(&project.place, &run)?;
        if !args.dry_run {
            for id in [&run, &find_run(&store, &project.place, None).await?] {
                let reaped = custody::reap_run(id.as_str());
                reaped.map_err(|error| Problem::new(ralph_engine::chain(&error)).exit(1))?;
            }
        }
        finish_first(&store, &project.place, &vault, &run, &args).await?;
        let aim = match &args.snapshot {
            _ if args.undo => last(&store, &vault, run).await?,
            Some(id) => named(&vault, run, id, paths)?,
            None => wanted(&History::read(&store, &run).await?, args.to, paths)?,
        };
        let moved = head_moved(aim.head.as_deref(), head(&project.place.root).as_deref());
        roll_back(&store, &vault, &aim, &args, moved).await
    })
}

/// Nobody may be at work in the tree; a dead run's guard is waited for.
pub(crate) fn take_tree(place: &Place, run: &RunId) -> Result<TreeLock, Problems> {
    if let Some(owner) = lock::owner(&place.owner_file()) {
        return Err(lock_problem(&LockError::Held(Some(owner))).into());
    }
    TreeLock::acquire_within(PATIENCE, &place.root, &place.owner_file(), run)
        .map_err(|error| lock_problem(&error).into())
}

/// A rollback that was cut short is finished before anything else is done to the tree.
async fn finish_first(
    store: &SqliteStore,
    place: &Place,
    vault: &Vault,
    run: &RunId,
    args: &Args,
) -> Result<(), Problems> {
    let pending = vault.pending_restore().map_err(|error| vault::problem(&error))?;
    let Some(pending) = pending else { return Ok(()) };
    let say = |text: &str| if args.json { eprint!("{text}") } else { print(text) };
    if args.dry_run {
        let target = short(&pending.target);
        say(&format!("a rollback to snapshot {target} was cut short; it would be finished first\n"));
        return Ok(());
    }
    let finished = vault.finish_restore().map_err(|error| vault::problem(&error))?;
    if let Some(report) = finished {
        let text = ralph_engine::finished(&report);
        amend(store, run, |run, now| run.note(now.at, Event::Notice { text: text.clone() })).await?;
        let latest = find_run(store, place, None).await?;
        let (target, extent) = (pending.target.to_string(), Extent::of(&pending.paths));
        let change = |run: &mut Run, now| run.restore_finished(&target, extent, restored(&report), now);
        if would_change(&load(store, &latest).await?, change) {
            amend(store, &latest, change).await?;
        }
        say(&format!("{text}\n{}", told(&report, false)));
    }
    Ok(())
}

fn wanted(history: &History, to: Option<u32>, paths: Vec<PathBuf>) -> Result<Aim, Problem> {
    let (kept, when): (&Taken, String) = match to {
        None => (history.origin()?, format!("before run {}", history.run)),
        Some(n) => (history.begin(n)?, format!("when iteration {n} of run {} began", history.run)),
    };
    let head = kept.head.clone().filter(|_| paths.is_empty());
    let (run, target) = (history.run.clone(), kept.id);
    Ok(Aim { run, target, paths, iteration: to, why: Why::Asked, when, head })
}

/// A snapshot that a person names.
fn named(vault: &Vault, run: RunId, id: &str, paths: Vec<PathBuf>) -> Result<Aim, Problems> {
    let all = vault.list().map_err(|error| vault::problem(&error))?;
    let mut like = all.iter().map(|kept| kept.id).filter(|kept| kept.to_string().starts_with(id));
    let target = match (like.next(), like.next()) {
        (Some(only), None) => only,
        (None, _) => return Err(Problem::new(format!("there is no snapshot `{id}`")).into()),
        (Some(_), Some(_)) => {
            return Err(Problem::new(format!("more than one snapshot begins with `{id}`")).into());
        }
    };
    let when = format!("in snapshot {}", short(&target));
    Ok(Aim { run, target, paths, iteration: None, why: Why::Chosen, when, head: None })
}

/// What the last rollback, whoever made it, began with.
async fn last(store: &SqliteStore, vault: &Vault, latest: RunId) -> Result<Aim, Problems> {
    let last = vault.last_restore().map_err(|error| vault::problem(&error))?;
    let Some(last) = last else {
        return Err(Problem::new("nothing was rolled back in this project")
            .next("`ralph rollback` puts the files back as they were before the latest run")
            .into());
    };
    let run = whose(store, &last.before.to_string()).await?.unwrap_or(latest);
    let when = "before the last rollback".to_owned();
    let (target, paths) = (last.before, last.paths);
    Ok(Aim { run, target, paths, iteration: None, why: Why::Undone, when, head: None })
}

/// The run whose journal tells of the rollback that this undoes.
async fn whose(store: &SqliteStore, undo: &str) -> Result<Option<RunId>, Problems> {
    let runs = store.runs(usize::MAX).await.map_err(|error| store_problem(&error))?;
    for run in runs {
        let journal = follow::journal(store, &run.id).await?;
        let tells = |event: &Event| matches!(event, Event::RolledBack { undo: its, .. } if its == undo);
        if journal.iter().any(|entry| tells(&entry.event)) {
            return Ok(Some(run.id));
        }
    }
    Ok(None)
}

async fn roll_back(
    store: &SqliteStore,
    vault: &Vault,
    aim: &Aim,
    args: &Args,
    moved: Option<String>,
) -> Outcome {
    let restore = Restore { paths: aim.paths.clone(), dry_run: true };
    let plan = vault.restore(aim.target, &restore).map_err(|error| vault::problem(&error))?;
    if !args.json {
        announce(aim, &plan);
    }
    if args.dry_run {
        return Ok(show(aim, &plan, args, moved));
    }
    if plan.changes.is_empty() {
        let whoever_goes_on = journal(store, aim, None).await;
        return whoever_goes_on.map(|()| show(aim, &plan, args, moved));
    }
    let hint = "`ralph rollback --dry-run` shows what would be done, `--yes` does it";
    if !agreed(args.yes, args.json, "Put this back? [y/N] ", hint)? {
        print("nothing was changed\n");
        return Ok(0);
    }
    let report = carry_out(vault, aim.target, &aim.paths).map_err(|error| vault::problem(&error))?;
    journal(store, aim, restored(&report)).await?;
    if !args.json {
        print(&told(&report, false));
        print(if aim.why == Why::Undone {
            "taken back; `ralph rollback --undo` does it again\n"
        } else {
            "`ralph rollback --undo` takes this back\n"
        });
    }
    Ok(show(aim, &report, args, moved))
}

/// The run that was aimed at tells of it, and so does the latest one if it is to go on with this tree: what it owed the
/// tree, and what it was about to judge, are done with. So they are where everything was as it is wanted already.
async fn journal(store: &SqliteStore, aim: &Aim, restored: Option<Restored>) -> Result<(), Problems> {
    let extent = Extent::of(&aim.paths);
    let latest = store.latest_run().await.map_err(|error| store_problem(&error))?;
    let beside = latest.filter(|latest| latest.id != aim.run && latest.is_unfinished());
    let beside = beside.map(|latest| (latest.id, None, Why::Chosen));
    for (id, iteration, why) in [(aim.run.clone(), aim.iteration, aim.why)].into_iter().chain(beside) {
        let done = PutBack { snapshot: aim.target.to_string(), iteration, why };
        let done = restored.clone().map(|restored| (done, restored));
        let change = |run: &mut Run, now| run.rolled_back(extent, done.clone(), now);
        if done.is_some() || would_change(&load(store, &id).await?, change) {
            amend(store, &id, change).await?;
        }
    }
    Ok(())
}

fn would_change(run: &Run, change: impl Fn(&mut Run, Moment)) -> bool {
    let mut next = run.clone();
    change(&mut next, Moment { at: Timestamp::now(), running: run.tally.running });
    next != *run
}

fn announce(aim: &Aim, plan: &Report) {
    if plan.changes.is_empty() {
        print(&format!("everything is as it was {}\n", aim.when));
    } else {
        print(&format!("as it was {} (snapshot {}):\n", aim.when, short(&aim.target)));
        print(&told(plan, true));
    }
}

/// The end of what is said, and the exit code.
fn show(aim: &Aim, report: &Report, args: &Args, moved: Option<String>) -> u8 {
    if args.json {
        print_json(&RollbackShown::new(&aim.run, aim.iteration, report, args.dry_run));
    } else {
        print(&moved.unwrap_or_default());
    }
    u8::from(!report.problems.is_empty())
}
