//! Whether a tree is free for a run, and what helps whoever finds it taken.

use ralph_engine::lock::LockError;
use ralph_store::{SqliteStore, Store};

use crate::perform::lock_problem;
use crate::problem::Problem;
use crate::project::store_problem;

const APART: &str = "run in a work tree of its own: --worktree";

/// Two agents in one tree undo each other's work, unless a person says otherwise.
pub(crate) async fn alone(store: &SqliteStore, force: bool) -> Result<(), Problem> {
    if force {
        return Ok(());
    }
    let loops = store.loops().await.map_err(|error| store_problem(&error))?;
    let Some((berth, run)) = loops.first() else { return Ok(()) };
    let what = format!("a loop goes on here, in {berth}: {}", run.id);
    let host = berth.host.as_ref().map_or(String::new(), |host| format!(" --host {host}"));
    let cancel = format!("ralph loop cancel --session {}{host}", berth.session);
    Err(Problem::new(what)
        .next(format!("end it: `{cancel}`; or run beside it: --force"))
        .next(format!("or {APART}")))
}

pub(crate) fn in_use(error: &LockError) -> Problem {
    match error {
        LockError::Held(_) => lock_problem(error).next(format!("or {APART}")),
        LockError::Io { .. } => lock_problem(error),
    }
}
