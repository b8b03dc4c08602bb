//! What people and agents are told in a session, in words.

use std::collections::BTreeSet;
use std::time::Duration;

use ralph_core::id::RunId;
use ralph_core::policy::Signal;
use ralph_core::run::Run;
use ralph_core::stop::{RunState, StopReason};
use ralph_core::view::{Doing, RunView};
use ralph_engine::loops::LoopError;
use ralph_engine::session::{Ended, Next};

use crate::wire::{Act, Action, Variant};

/// A toast is small.
const LONGEST_REASON: usize = 300;
const ONLY_TELL: &str = "Repeat the following to the person in one or two sentences, as it is. Do nothing else and use no \
                         tool; this is not part of any task.\n\n";

/// Why no loop begins in a session whose agent may only plan.
pub(crate) const PLANS: &str = "ralph did not start a loop: this session is in plan mode, in which nothing is judged; \
                                leave plan mode, then start it again";
pub(crate) const WAITS_FOR_PLAN: &str = "ralph: this session is in plan mode, so the turn is not judged; the loop goes on \
                                         with what you say once plan mode is left";

pub(crate) fn toast(title: &str, message: String, variant: Variant, seconds: u64) -> Action {
    let duration_ms = seconds * 1_000;
    Act::Toast { title: title.to_owned(), message, variant, duration_ms }.into()
}

pub(crate) fn started(view: &RunView, require: &BTreeSet<Signal>) -> Action {
    let most = view
        .max_iterations
        .map_or("no limit on iterations".to_owned(), |max| format!("at most {max} iterations"));
    let time = view.limits.max_duration_ms.map(Duration::from_millis);
    let time = time.map_or(String::new(), |time| format!(", {} min", time.as_secs().div_ceil(60)));
    let shows: Vec<String> = require.iter().map(|signal| shown(*signal, &view.promise)).collect();
    let message = format!("{most}{time}; done when {}", shows.join(" and "));
    toast("ralph: loop started", message, Variant::Info, 3)
}

/// How it shows that a task is done.
fn shown(signal: Signal, promise: &str) -> String {
    match signal {
        Signal::Promise => format!("it promises {promise}"),
        Signal::Tool => "it calls `task_complete`".to_owned(),
        Signal::Todo => "its list of things to do is done".to_owned(),
        Signal::Tracker => "the tracker has closed it".to_owned(),
        Signal::Criteria => "the criteria hold".to_owned(),
    }
}

pub(crate) fn iteration(next: &Next) -> Action {
    let of = next.max_iterations.map_or(String::new(), |max| format!("/{max}"));
    let again = if next.attempt > 1 { format!(", attempt {}", next.attempt) } else { String::new() };
    toast("ralph", format!("iteration {}{of}{again}", next.iteration), Variant::Info, 2)
}

pub(crate) fn ended(ended: &Ended) -> Action {
    let Ended { stop, iteration } = ended;
    let evidence = &stop.evidence;
    match stop.reason {
        StopReason::Completed => {
            let iterations = if *iteration == 1 { "iteration" } else { "iterations" };
            let message = format!("done after {iteration} {iterations}: {evidence}");
            toast("ralph: loop complete", message, Variant::Success, 5)
        }
        StopReason::MaxIterations
        | StopReason::MaxDuration
        | StopReason::NoProgress
        | StopReason::Circular
        | StopReason::Budget => {
            toast("ralph: limit reached", format!("{}: {evidence}", stop.reason.name()), Variant::Warning, 5)
        }
        StopReason::Stopped | StopReason::Aborted => cancelled(*iteration, evidence),
        StopReason::TasksUndone
        | StopReason::ConsecutiveFailures
        | StopReason::Authentication
        | StopReason::Configuration
        | StopReason::Disk
        | StopReason::Database
        | StopReason::NoTasks
        | StopReason::AgentsExhausted => failed(evidence),
    }
}

pub(crate) fn cancelled(iteration: u32, why: &str) -> Action {
    let why = if why == "cancelled" { String::new() } else { format!(": {why}") };
    toast("ralph: loop cancelled", format!("stopped at iteration {iteration}{why}"), Variant::Info, 2)
}

/// It stands still until a person goes on with it.
pub(crate) fn paused(why: &str, run: &RunId) -> Action {
    let why: String = why.chars().take(LONGEST_REASON).collect();
    let message = format!("{why}; `ralph resume {run}` goes on with the next turn");
    toast("ralph: loop paused", message, Variant::Warning, 5)
}

/// Why a loop stands still that waits for a person. None where it does not.
pub(crate) fn stands_still(run: &Run) -> Option<Action> {
    match run.asks() {
        Some(question) => Some(asks(&question.text, &run.id)),
        None => run.is_paused().then(|| paused("as it was asked to", &run.id)),
    }
}

fn asks(question: &str, run: &RunId) -> Action {
    let question: String = question.chars().take(LONGEST_REASON).collect();
    let message =
        format!("{question} `ralph answer --run {run} TEXT` lets the loop go on with the next turn");
    toast("ralph: the agent asks", message, Variant::Warning, 5)
}

/// It goes on by itself, some time after an error.
pub(crate) fn waiting(why: &str, after: Duration) -> Action {
    let why: String = why.chars().take(LONGEST_REASON).collect();
    let message = format!("{why}; the session is looked at again in {} s", after.as_secs());
    toast("ralph: loop paused", message, Variant::Warning, 5)
}

/// The loop goes on by itself, but not soon.
pub(crate) fn waits(after: Duration, why: &str) -> Action {
    let seconds = after.as_secs();
    let time = if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) };
    toast("ralph: waiting", format!("{why}; it goes on in {time}"), Variant::Warning, 5)
}

/// What a person is shown where ralph failed; nothing where the journal alone is to know.
pub fn let_go(error: &LoopError) -> Vec<Action> {
    match error {
        LoopError::LetGo { why, run, is_paused: true } => vec![paused(why, run)],
        LoopError::LetGo { why, .. } => vec![failed(why)],
        LoopError::Session(_)
        | LoopError::Promise(_)
        | LoopError::EmptyPrompt
        | LoopError::Unbounded
        | LoopError::Store(_) => Vec::new(),
    }
}

pub(crate) fn no_loop() -> Action {
    toast("ralph: no active loop", "no loop goes on in this session".to_owned(), Variant::Info, 3)
}

pub(crate) fn failed(why: &str) -> Action {
    toast("ralph: failed", why.to_owned(), Variant::Error, 5)
}

/// Where a command has nothing for the agent to do, the turn that it begins anyway is spent on telling the person.
pub(crate) fn only_tell(what: &str) -> Action {
    Act::Prompt { text: format!("{ONLY_TELL}{what}") }.into()
}

/// What a person is to be told, if that is all that a prompt is for.
pub(crate) fn told(prompt: &str) -> Option<&str> {
    prompt.strip_prefix(ONLY_TELL)
}

/// How a loop stands.
pub(crate) fn status(view: &RunView) -> String {
    let of = view.max_iterations.map_or(String::new(), |max| format!(" of {max}"));
    let how = match (view.status, &view.doing, &view.stop_reason) {
        (RunState::Running | RunState::Paused, Doing::Waiting { until, why }, _) => {
            format!("waits until {until:.0} ({why})")
        }
        (RunState::Running, ..) => "goes on".to_owned(),
        (RunState::Paused, ..) => format!("is paused; `ralph resume {}` goes on", view.run),
        (_, _, Some(reason)) => {
            format!("has ended: {reason}: {}", view.evidence.as_deref().unwrap_or_default())
        }
        (state, _, None) => format!("is {}", state.name()),
    };
    format!("ralph loop {} ({}): iteration {}{of}; it {how}.", view.run, view.description, view.iteration)
}
