//! What happens in a session of a host, told to the user's hooks, where no run is driven.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ralph_core::id::RunId;
use ralph_core::redact::Redactor;
use serde_json::Value;

use super::Hook;
use super::call::{Answer, Desk};
use crate::custody::CgroupUse;
use crate::environment::Variables;

/// What the hooks are started with.
#[derive(Debug)]
pub struct Announcing {
    /// The guard's program, and how it is told that it is one.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub cgroup: CgroupUse,
    pub root: PathBuf,
    pub environment: Variables,
    pub redactor: Redactor,
    /// The loop that lives in the session.
    pub run: Option<RunId>,
}

/// Tells every hook on `event`, one after the other and all of them within this time. Nobody can object; what went
/// wrong is handed back in words.
pub async fn announce(
    hooks: &[Hook],
    event: &str,
    payload: &Value,
    announcing: Announcing,
    within: Duration,
) -> Vec<String> {
    let (begun, run) = (Instant::now(), announcing.run.clone());
    let mut desk = Desk::of_session(announcing);
    let mut complaints = Vec::new();
    for hook in hooks.iter().filter(|hook| hook.is_on(event)) {
        let timeout = hook.timeout.min(within.saturating_sub(begun.elapsed()));
        let hook = Hook { timeout, veto: false, ..hook.clone() };
        let why = match desk.call(&hook, payload.clone(), run.as_ref()).await {
            Ok(Answer::Done | Answer::Veto(_)) => continue,
            Ok(Answer::Failed(why)) => why,
            Err(error) => crate::error::chain(&error),
        };
        complaints.push(format!("hook `{}` failed on {event}: {why}", hook.name));
    }
    desk.close().await;
    complaints
}
