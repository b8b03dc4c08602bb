//! `ralph stop`, `ralph pause`, `ralph steer`: what a person asks of a run.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use ralph_core::control::{Control, ControlNo};
use ralph_core::id::{RunId, TaskId};
use ralph_core::moment::Moment;
use ralph_core::report::Fault;
use ralph_core::run::{Run, Step};
use ralph_engine::lock::{self, TreeLock};
use ralph_engine::ring;
use ralph_store::{Commit, SqliteStore, Store, StoreError};

use super::Outcome;
use crate::asked::Asked;
use crate::desk;
use crate::perform::{lock_problem, redactor, staff};
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, find_run, store_problem};
use crate::servers;
use crate::settings::Given;

/// How long a dead owner's guard may take to end what it held.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Stop a run after this iteration, or now.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ralph stop         after this iteration\n  ralph stop --now   end the agent and stop"
)]
pub(crate) struct StopArgs {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// End the agent now instead of waiting for the iteration
    #[arg(long)]
    now: bool,
}

/// Pause a run before its next attempt; `ralph resume` goes on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ralph pause")]
pub(crate) struct PauseArgs {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
}

/// Go on with a backlog without one of its tasks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph skip               not on with the task at hand; its agent is ended
  ralph skip --task US-7   not with this one, when its turn comes")]
pub(crate) struct SkipArgs {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// A task of the backlog; the one at hand by default
    #[arg(long, value_name = "ID", value_parser = TaskId::parse)]
    task: Option<TaskId>,
}

/// Put a sentence into the next brief.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ralph steer \"leave the public API as it is\"")]
pub(crate) struct SteerArgs {
    text: String,
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
}

pub(crate) fn stop(args: StopArgs) -> Outcome {
    tell(stopping(args.run, args.now))
}

pub(crate) fn pause(args: PauseArgs) -> Outcome {
    tell(pausing(args.run))
}

pub(crate) fn skip(args: SkipArgs) -> Outcome {
    tell(skipping(args.run, args.task))
}

pub(crate) fn steer(args: SteerArgs) -> Outcome {
    super::by_a_person("say it in your last message, or put it down with the tool `remember`")?;
    tell(steering(args.run, &args.text))
}

fn tell(told: Told) -> Outcome {
    crate::words::print(&format!("{}\n", told?));
    Ok(0)
}

/// What was done, in a sentence.
pub(super) type Told = Result<String, Problems>;

pub(super) fn stopping(run: Option<String>, now: bool) -> Told {
    let (control, told) = if now {
        (Control::Abort, "is being stopped now")
    } else {
        (Control::Stop, "stops after this iteration")
    };
    asked_after(run, control, told, |_, _| Ok(()))
}

pub(super) fn pausing(run: Option<String>) -> Told {
    let told = "pauses before its next attempt; `ralph resume` goes on";
    asked_after(run, Control::Pause, told, |_, _| Ok(()))
}

pub(super) fn skipping(run: Option<String>, task: Option<TaskId>) -> Told {
    let told = match &task {
        Some(task) => format!("leaves {task} out"),
        None => "goes on without the task at hand".to_owned(),
    };
    let named = task.clone();
    asked_after(run, Control::Skip { task }, &told, |project, run| match &run.agenda {
        Some(agenda) => named.map_or(Ok(()), |task| desk::may_skip(&task, &agenda.source, &project.place)),
        None => {
            let problem = Problem::new("this run has a prompt, and no task that could be skipped");
            Err(problem.next("`ralph stop` ends it").into())
        }
    })
}

pub(super) fn steering(run: Option<String>, text: &str) -> Told {
    if text.trim().is_empty() {
        return Err(Problem::new("there is nothing to say").next("ralph steer \"SENTENCE\"").into());
    }
    let text = redactor().text(text).into_owned();
    asked_after(run, Control::Steer { text }, "says so in its next brief", |_, _| Ok(()))
}

pub(super) fn ask(named: Option<String>, control: Control, told: &str) -> Outcome {
    ask_after(named, control, told, |_, _| Ok(()))
}

pub(super) fn ask_after(
    named: Option<String>,
    control: Control,
    told: &str,
    check: impl FnOnce(&Project, &Run) -> Result<(), Problems>,
) -> Outcome {
    tell(asked_after(named, control, told, check))
}

/// Writes the control down, tells the running process, and says so: in this order. What the run would be with it must
/// pass the check first.
fn asked_after(
    named: Option<String>,
    control: Control,
    told: &str,
    check: impl FnOnce(&Project, &Run) -> Result<(), Problems>,
) -> Told {
    let project = Project::here(Given::default())?;
    block_on(async {
        let store = Arc::new(project.existing_store()?);
        let id = find_run(&store, &project.place, named.as_deref()).await?;
        let foreseen = foreseen(&store, &id, Some(&control)).await?;
        if let Some(run) = &foreseen {
            check(&project, run)?;
        }
        match store.request(&id, &control, Timestamp::now()).await {
            Ok(_) => {}
            Err(StoreError::RunFinished { reason, .. }) => {
                return Ok(format!("run {id} has already ended: {}", reason.name()));
            }
            Err(error) => return Err(store_problem(&error).into()),
        }
        ring(&id);
        let is_driven = lock::owner(&project.place.owner_file()).is_some_and(|owner| owner.run == id);
        if let Some(place) = foreseen.and_then(|run| run.in_session) {
            let asked = Asked { id: &id, place: &place, control: &control, told, is_driven };
            return asked.settle(store).await;
        }
        if is_driven {
            return Ok(format!("run {id} {told}"));
        }
        settle_without_owner(&project, &store, &id).await
    })
}

/// An unfinished run as it will be once it has taken up all that was asked of it.
pub(super) async fn foreseen(
    store: &SqliteStore,
    id: &RunId,
    next: Option<&Control>,
) -> Result<Option<Run>, Problems> {
    let loaded = store.run(id).await.map_err(|error| store_problem(&error))?;
    let Some(mut run) = loaded.filter(Run::is_unfinished) else { return Ok(None) };
    let now = Moment { at: Timestamp::now(), running: run.tally.running };
    let waiting = store.waiting_controls(id, run.controls_seen).await;
    let mut waiting = waiting.map_err(|error| store_problem(&error))?;
    let last = waiting.last().map_or(run.controls_seen, |(no, _)| *no);
    waiting.extend(next.map(|control| (ControlNo(last.0 + 1), control.clone())));
    for (no, control) in &waiting {
        run.apply(*no, control, now);
    }
    Ok(Some(run))
}

/// Nobody drives the run: a stop takes effect here, and everything else waits for the next resume.
async fn settle_without_owner(project: &Project, store: &SqliteStore, id: &RunId) -> Told {
    let place = &project.place;
    let _lock = TreeLock::acquire_within(PATIENCE, &place.root, &place.owner_file(), id)
        .map_err(|error| lock_problem(&error))?;
    let taken = store.take_run(id).await.map_err(|error| store_problem(&error))?;
    let Some(mut run) = taken else { return Err(Problem::new(format!("no run {id}")).into()) };
    if let Ok(staff) = staff(&project.loaded, &place.root) {
        servers::end_turns(&run, &staff, &place.root).await;
    }
    loop {
        let now = Moment { at: Timestamp::now(), running: run.tally.running };
        wind_up(&mut run, now);
        match store.commit(&run, now.at, &[]).await.map_err(|error| store_problem(&error))? {
            Commit::Written(_) => {
                run.fresh.clear();
                break;
            }
            Commit::Controls(controls) => {
                for (no, control) in &controls {
                    run.apply(*no, control, now);
                }
            }
        }
    }
    if run.stop().is_some() {
        desk::put_down(&mut run, place);
        store.commit(&run, Timestamp::now(), &[]).await.map_err(|error| store_problem(&error))?;
    }
    let how = run.stop().map_or("is interrupted", |_| "is stopped");
    Ok(format!("run {id} {how}; `ralph resume` goes on from there"))
}

/// Closes what a dead process left open, once the run was asked to stop.
fn wind_up(run: &mut Run, now: Moment) {
    use ralph_core::run::Pace;
    if !matches!(run.pace, Pace::Stopping | Pace::Aborting) {
        return;
    }
    if let Step::Code(attempt, _) = run.step.clone() {
        run.after_code(attempt, Err(Fault::Interrupted), now);
    }
}
