//! What an agent's own word about its end means for a run.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ralph_core::report::AgentExit;

use crate::limit::{Evidence, Reset, recognise};
use crate::stream::{Manners, Outcome};

/// What an agent that is not driven by ralph says about its failure, where that is known. `reset` is what a field of its
/// own says, and `now` when it said so.
pub fn trouble(
    manners: &Manners,
    evidence: &Evidence<'_>,
    reset: Option<Reset>,
    now: Timestamp,
    zone: &TimeZone,
) -> Option<AgentExit> {
    let found = recognise(&manners.rules, evidence)?;
    let otherwise = evidence.kind.or(evidence.message).unwrap_or("an error");
    let outcome = manners.outcome(&found, reset, otherwise);
    let failed = AgentExit::Failed { what: otherwise.to_owned() };
    Some(ended(outcome, &failed, now, zone))
}

/// The agent's own word for its end, where it has one.
pub(crate) fn ended(outcome: Outcome, exit: &AgentExit, now: Timestamp, zone: &TimeZone) -> AgentExit {
    match outcome {
        Outcome::Finished | Outcome::Asked { .. } => exit.clone(),
        Outcome::Unfinished if exit.is_clean() => AgentExit::Unfinished,
        Outcome::Unfinished => exit.clone(),
        Outcome::Limited { reset, what } => {
            AgentExit::Limited { what, reset: reset.map(|reset| reset.resolve(now, zone)) }
        }
        Outcome::Overloaded { what } => AgentExit::Overloaded { what },
        Outcome::Network { what } => AgentExit::Network { what },
        Outcome::Unauthenticated { what, next } => AgentExit::Unauthenticated { what, next },
        Outcome::Misconfigured { what, next } => AgentExit::Misconfigured { what, next },
        Outcome::SessionGone { what } => AgentExit::SessionGone { what },
        Outcome::Failed { what } => AgentExit::Failed { what },
    }
}
