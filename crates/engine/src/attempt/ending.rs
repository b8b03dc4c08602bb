//! What an attempt's end is called.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ralph_core::policy::Signal;
use ralph_core::promise::Claim;
use ralph_core::question;
use ralph_core::report::{AgentExit, Fault, Report};

use crate::agent::Heard;
use crate::custody::{SpawnError, Status};
use crate::error::chain;
use crate::watchdog::Overdue;

/// Why the attempt is being ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Overdue(Overdue),
    /// A person wants no more of it.
    Asked(Fault),
}

pub(super) fn not_started(error: &SpawnError, begun: Instant) -> Report {
    silent(AgentExit::NotStarted { why: chain(error) }, begun)
}

/// The agent cannot even be asked for.
pub(super) fn unusable(what: String, begun: Instant) -> Report {
    silent(AgentExit::Misconfigured { what, next: "`ralph agents` shows what there is".to_owned() }, begun)
}

fn silent(exit: AgentExit, begun: Instant) -> Report {
    Report {
        exit,
        claim: Claim::None,
        signals: BTreeSet::new(),
        question: None,
        usage: ralph_core::report::Usage::default(),
        duration_ms: millis(begun.elapsed()),
        output_bytes: 0,
        tail: String::new(),
        leftovers: 0,
        conversation: None,
        ran: Vec::new(),
        stated: String::new(),
    }
}

pub(super) fn fault_of(cause: Cause) -> Option<Fault> {
    match cause {
        Cause::Asked(fault) => Some(fault),
        Cause::Overdue(Overdue::Run) => Some(Fault::TimeUp),
        Cause::Overdue(Overdue::Start | Overdue::Silence | Overdue::Total) => None,
    }
}

pub(super) fn exit_of(cause: Option<Cause>, status: Status) -> AgentExit {
    match cause {
        Some(Cause::Overdue(Overdue::Start)) => AgentExit::StartTimeout,
        Some(Cause::Overdue(Overdue::Silence)) => AgentExit::SilenceTimeout,
        Some(Cause::Overdue(Overdue::Total)) => AgentExit::TotalTimeout,
        Some(Cause::Overdue(Overdue::Run) | Cause::Asked(_)) | None => match status {
            Status::Code(code) => AgentExit::Code { code },
            Status::Signal(signal) => AgentExit::Signal { signal },
        },
    }
}

/// What the agent asked, with its own means or because its final message does nothing else. A claim asks nothing.
pub(super) fn asked(heard: &Heard, exit: &AgentExit, message: &str) -> Option<String> {
    let may = exit.is_clean() && !matches!(heard.claim, Claim::Made { .. });
    let claims = heard.signals.contains(&Signal::Tool);
    let asked = || heard.question.clone().or_else(|| question::only_asks(message).filter(|_| !claims));
    may.then(asked).flatten()
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) fn last_chars(text: &str, count: usize) -> String {
    text.chars().skip(text.chars().count().saturating_sub(count)).collect()
}
