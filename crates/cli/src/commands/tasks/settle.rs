//! `ralph tasks done`, `block` and `reopen`: a person's word on how a task stands, whatever keeps it.

use jiff::Timestamp;
use ralph_core::backlog::Status;
use ralph_core::id::TaskId;
use ralph_store::{By, TaskEdit, Tasks};
use ralph_trackers::{Kept, Kind};

use super::text::kept;
use crate::backlog::{Chosen, TrackerFlags, tracker_problem};
use crate::commands::Outcome;
use crate::problem::{Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::print;

/// Say that a task is done.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks done T-3
  ralph tasks done US-7 --prd prd.json --reason \"merged by hand\"")]
pub(crate) struct DoneArgs {
    /// The task
    #[arg(value_parser = TaskId::of_backlog)]
    id: TaskId,
    /// Why it counts as done; kept where the backlog has a place for it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    tracker: TrackerFlags,
}

/// Say that a task cannot be worked on now, so that no run takes it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks block T-3 --why \"the key for the test server has not come\"
  ralph tasks reopen T-3")]
pub(crate) struct BlockArgs {
    /// The task
    #[arg(value_parser = TaskId::of_backlog)]
    id: TaskId,
    /// Why; kept where the backlog has a place for it
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    #[command(flatten)]
    tracker: TrackerFlags,
}

/// Say that a task is to be worked on again: one that was done, blocked or cancelled.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks reopen T-3")]
pub(crate) struct ReopenArgs {
    /// The task
    #[arg(value_parser = TaskId::of_backlog)]
    id: TaskId,
    #[command(flatten)]
    tracker: TrackerFlags,
}

pub(crate) fn done(args: &DoneArgs) -> Outcome {
    set(&args.tracker, &args.id, Status::Completed, args.reason.as_deref())
}

pub(crate) fn block(args: &BlockArgs) -> Outcome {
    set(&args.tracker, &args.id, Status::Blocked, args.why.as_deref())
}

pub(crate) fn reopen(args: &ReopenArgs) -> Outcome {
    set(&args.tracker, &args.id, Status::Open, None)
}

fn set(flags: &TrackerFlags, id: &TaskId, status: Status, reason: Option<&str>) -> Outcome {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty()).map(kept);
    let mut chosen = flags.choose()?;
    let has_changed = match chosen.tracker.kind() {
        Kind::Native => {
            let own = flags.own("edit tasks of")?;
            let edit = TaskEdit::Status(status, reason);
            let edited = block_on(own.store.edit_task(id, vec![edit], Timestamp::now(), By::Person));
            edited.map_err(|error| store_problem(&error))?.has_changed
        }
        Kind::Prd
        | Kind::Markdown
        | Kind::Beads
        | Kind::BeadsBv
        | Kind::Github
        | Kind::Linear
        | Kind::Jira => set_elsewhere(&mut chosen, id, status, reason.as_deref())?,
    };
    let said = match (status, has_changed) {
        (Status::Completed, true) => "is done",
        (Status::Blocked, true) => "is blocked; `ralph tasks reopen` takes that back",
        (Status::Open | Status::InProgress | Status::Cancelled, true) => "is open",
        (status, false) => {
            print(&format!("nothing has changed: {id} is {} already\n", status.name()));
            return Ok(0);
        }
    };
    print(&format!("{id} {said}\n"));
    Ok(0)
}

/// Whether it was something new.
fn set_elsewhere(
    chosen: &mut Chosen,
    id: &TaskId,
    status: Status,
    reason: Option<&str>,
) -> Result<bool, Problems> {
    let tracker = chosen.tracker.as_mut();
    let before = tracker.load().map_err(|error| tracker_problem(&error))?;
    let before = before.item(id).map(|item| item.status);
    let kept = match (status, reason) {
        (Status::Completed, Some(reason)) => tracker.complete(id, reason).map(|()| Kept::ByTracker),
        (status, _) => tracker.set_status(id, status),
    };
    match kept.map_err(|error| tracker_problem(&error))? {
        Kept::ByTracker => Ok(before != Some(status)),
        Kept::Nowhere => {
            let what = format!("{} has no way to say that a task is {}", tracker.source(), status.name());
            let next =
                "`ralph tasks import FILE` copies a backlog to where every status is kept (--tracker native)";
            Err(Problem::new(what).next("nothing was written").next(next).into())
        }
    }
}
