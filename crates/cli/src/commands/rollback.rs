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
use crate::perform::{lock_problem, staff};
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, find_run, store_problem};
use crate::restoring::{HeadMoved, RollbackShown, agreed, told, undoing};
use crate::servers;
use crate::settings::Given;
use crate::vault;
use crate::words::{print, print_json};

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
        let lock = take_tree(&project.place, &nobodys())?;
        if !args.dry_run {
            nobody_at_work(&store).await?;
            let latest =
                store.latest_run().await.map_err(|error| store_problem(&error))?.map(|latest| latest.id);
            for id in [Some(&run), latest.as_ref()].into_iter().flatten() {
                let reaped = custody::reap_run(id.as_str());
                reaped.map_err(|error| Problem::new(ralph_engine::chain(&error)).exit(1))?;
                end_turns(&project, &store, id).await?;
            }
        }
        finish_first(&store, &project.place, &vault, &run, &args).await?;
        let aim = match &args.snapshot {
            _ if args.undo => last(&store, &vault, run).await?,
            Some(id) => named(&store, &vault, run, id, paths).await?,
            None => wanted(&History::read(&store, &run).await?, args.to, paths)?,
        };
        let ground = Ground { store: &store, place: &project.place, vault: &vault };
        ground.roll_back(&aim, &args, lock).await
    })
}

/// An agent in a session of a host holds no lock while it works.
async fn nobody_at_work(store: &SqliteStore) -> Result<(), Problems> {
    for (berth, loop_) in store.loops().await.map_err(|error| store_problem(&error))? {
        let run = store.run(&loop_.id).await.map_err(|error| store_problem(&error))?;
        if run.is_some_and(|run| run.is_briefed()) {
            let what = format!("an agent is at work in {berth}");
            let next = format!("end its turn there first; or, if there is none: `ralph stop {}`", loop_.id);
            return Err(Problem::new(what).next(next).into());
        }
    }
    Ok(())
}

/// What an agent on a server still writes would be written over what is put back.
async fn end_turns(project: &Project, store: &SqliteStore, id: &RunId) -> Result<(), Problems> {
    let root = &project.place.root;
    let run = store.run(id).await.map_err(|error| store_problem(&error))?;
    if let (Some(run), Ok(staff)) = (run, staff(&project.loaded, root)) {
        servers::end_turns(&run, &staff, root).await;
    }
    Ok(())
}

/// An id of its own: no run is alive while its files are put back.
fn nobodys() -> RunId {
    RunId::new(Timestamp::now(), ralph_engine::entropy())
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
        let latest = store.latest_run().await.map_err(|error| store_problem(&error))?;
        let latest = latest.map_or_else(|| run.clone(), |latest| latest.id);
        let (target, extent) = (pending.target.to_string(), Extent::of(&pending.paths));
        let done = restored(vault, &report, head(&place.root)).map_err(|error| vault::problem(&error))?;
        let change = |run: &mut Run, now| run.restore_finished(&target, extent, done.clone(), now);
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
async fn named(
    store: &SqliteStore,
    vault: &Vault,
    run: RunId,
    id: &str,
    paths: Vec<PathBuf>,
) -> Result<Aim, Problems> {
    let all = vault.list().map_err(|error| vault::problem(&error))?;
    let mut like = all.iter().map(|kept| kept.id).filter(|kept| kept.to_string().starts_with(id));
    let target = match (like.next(), like.next()) {
        (Some(only), None) => only,
        (None, _) => {
            return Err(Problem::new(format!("there is no snapshot `{id}`"))
                .next("`ralph snapshots --all` lists those that there are")
                .into());
        }
        (Some(one), Some(other)) => {
            return Err(Problem::new(format!("more than one snapshot begins with `{id}`"))
                .next(format!("give more of it: `{}` and `{}` are among them", short(&one), short(&other)))
                .into());
        }
    };
    let when = format!("in snapshot {}", short(&target));
    let (_, head) = when_kept(store, target, |_| true).await?.unzip();
    let head = head.flatten().filter(|_| paths.is_empty());
    Ok(Aim { run, target, paths, iteration: None, why: Why::Chosen, when, head })
}

/// What the last rollback, whoever made it, began with.
async fn last(store: &SqliteStore, vault: &Vault, latest: RunId) -> Result<Aim, Problems> {
    let last = vault.last_restore().map_err(|error| vault::problem(&error))?;
    let Some(last) = last else {
        return Err(Problem::new("nothing was rolled back in this project")
            .next("`ralph rollback` puts the files back as they were before the latest run")
            .into());
    };
    let told = when_kept(store, last.before, |taken| taken.put_back.is_some()).await?;
    let (run, head) = told.unwrap_or((latest, None));
    let when = "before the last rollback".to_owned();
    let (target, paths) = (last.before, last.paths);
    let head = head.filter(|_| paths.is_empty());
    Ok(Aim { run, target, paths, iteration: None, why: Why::Undone, when, head })
}

/// The run whose journal tells of a snapshot last, and what git's HEAD pointed at then. A rollback tells of the one that
/// undoes it.
async fn when_kept(
    store: &SqliteStore,
    snapshot: SnapshotId,
    is_meant: impl Fn(&Taken) -> bool,
) -> Result<Option<(RunId, Option<String>)>, Problems> {
    let runs = store.runs(usize::MAX).await.map_err(|error| store_problem(&error))?;
    for run in runs {
        let history = History::read(store, &run.id).await?;
        let mut taken = history.taken.into_iter().rev();
        if let Some(taken) = taken.find(|taken| taken.id == snapshot && is_meant(taken)) {
            return Ok(Some((run.id, taken.head)));
        }
    }
    Ok(None)
}

/// What a rollback is done with.
struct Ground<'a> {
    store: &'a SqliteStore,
    place: &'a Place,
    vault: &'a Vault,
}

impl Ground<'_> {
    /// Nobody waits for the tree while a person is being asked.
    async fn roll_back(&self, aim: &Aim, args: &Args, lock: TreeLock) -> Outcome {
        let head = head(&self.place.root);
        let moved = HeadMoved::between(aim.head.as_deref(), head.as_deref());
        let plan = self.plan(aim)?;
        if !args.json {
            announce(aim, &plan);
        }
        if args.dry_run {
            return Ok(show(aim, &plan, args, moved));
        }
        if plan.changes.is_empty() {
            journal(self.store, aim, None).await?;
            return Ok(show(aim, &plan, args, moved));
        }
        drop(lock);
        let hint = "`ralph rollback --dry-run` shows what would be done, `--yes` does it";
        if !agreed(args.yes, args.json, "Put this back? [y/N] ", hint)? {
            print("nothing was changed\n");
            return Ok(0);
        }
        let _lock = take_tree(self.place, &nobodys())?;
        if self.plan(aim)?.changes != plan.changes {
            return Err(Problem::new("something was changed meanwhile; nothing was put back")
                .next("`ralph rollback --dry-run` shows what would be done now")
                .into());
        }
        let report = carry_out(self.vault, aim.target, &aim.paths).map_err(|error| vault::problem(&error))?;
        let done = restored(self.vault, &report, head).map_err(|error| vault::problem(&error))?;
        journal(self.store, aim, done).await?;
        if !args.json {
            print(&told(&report, false));
            let run = load(self.store, &aim.run).await?;
            let undo = undoing(run.in_session.is_some().then_some(&run.id));
            print(&if aim.why == Why::Undone {
                format!("taken back; {undo} does it again\n")
            } else {
                format!("{undo} takes this back\n")
            });
        }
        Ok(show(aim, &report, args, moved))
    }

    fn plan(&self, aim: &Aim) -> Result<Report, Problems> {
        let restore = Restore { paths: aim.paths.clone(), dry_run: true };
        self.vault.restore(aim.target, &restore).map_err(|error| vault::problem(&error).into())
    }
}

/// The run that was aimed at tells of it, and so does the latest one if it is to go on with this tree: what it owed the
/// tree, and what it was about to judge, are done with. So they are where everything was as it is wanted already.
async fn journal(store: &SqliteStore, aim: &Aim, restored: Option<Restored>) -> Result<(), Problems> {
    let extent = Extent::of(&aim.paths);
    let latest = store.latest_run().await.map_err(|error| store_problem(&error))?;
    let beside = latest.filter(|latest| latest.id != aim.run && latest.is_unfinished());
    let beside = beside.map(|latest| (latest.id, None, Why::Chosen));
    for (id, iteration, why) in [(aim.run.clone(), aim.iteration, aim.why)].into_iter().chain(beside) {
        let done = PutBack { snapshot: aim.target.to_string(), iteration, why, head: aim.head.clone() };
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
fn show(aim: &Aim, report: &Report, args: &Args, moved: Option<HeadMoved>) -> u8 {
    if args.json {
        print_json(&RollbackShown::new(&aim.run, aim.iteration, report, args.dry_run, moved));
    } else {
        print(&moved.map_or(String::new(), |moved| moved.told()));
    }
    u8::from(!report.problems.is_empty())
}
