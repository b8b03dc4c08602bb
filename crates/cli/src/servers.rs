//! OpenCode servers that run already: what a run needs of them, and what one whose process is gone left at work there.

use std::collections::BTreeSet;
use std::path::Path;

use ralph_agents::Staff;
use ralph_agents::opencode::{Address, Adopted, TASK_COMPLETE};
use ralph_core::crew::Crew;
use ralph_core::policy::Signal;
use ralph_core::run::Run;

use crate::problem::Problem;

/// Whether every server that may come to work has what shows that a task is done. One that does not answer is no reason to
/// refuse: an attempt waits for it.
pub(crate) async fn check(
    crew: &Crew,
    staff: &Staff,
    root: &Path,
    require: &BTreeSet<Signal>,
) -> Result<(), Problem> {
    if !require.contains(&Signal::Tool) {
        return Ok(());
    }
    for address in addresses(crew, staff) {
        let Some(server) = adopted(&address, root) else { continue };
        if matches!(server.has_tool(TASK_COMPLETE).await, Ok(false)) {
            let what = format!(
                "the OpenCode server at {} has no tool {TASK_COMPLETE}, so nothing would ever be done",
                address.url
            );
            return Err(Problem::new(what)
                .next(
                    "put it there with ralph's plugin: `ralph install opencode`, and start the server again",
                )
                .next("or leave out --attach, or `tool` of --require"));
        }
    }
    Ok(())
}

/// Ends the turns that a run whose process is gone left at work, and names their sessions. A server that cannot be asked
/// is asked again by the next attempt.
pub(crate) async fn end_turns(run: &Run, staff: &Staff, root: &Path) -> Vec<String> {
    let mut ended = Vec::new();
    if !run.is_unfinished() || run.in_session.is_some() {
        return ended;
    }
    for address in addresses(&run.crew, staff) {
        if let Some(server) = adopted(&address, root) {
            ended.extend(server.end_turns_of(run.id.as_str()).await.unwrap_or_default());
        }
    }
    ended
}

/// What is to be told of them.
pub(crate) fn told(ended: &[String]) -> Option<String> {
    let sessions = ended.join(", ");
    (!ended.is_empty()).then(|| format!("the turn that this run had left at work was aborted: {sessions}"))
}

fn addresses(crew: &Crew, staff: &Staff) -> Vec<Address> {
    let mut all: Vec<Address> = Vec::new();
    for member in crew.candidates().iter().chain(crew.asked()) {
        all.extend(staff.adopted(member).filter(|address| !all.contains(address)));
    }
    all
}

/// A server keeps its sessions by directory, as the relay names it: by the path without links.
fn adopted(address: &Address, root: &Path) -> Option<Adopted> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    Adopted::new(address, &root).ok()
}
