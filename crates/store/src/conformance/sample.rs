//! Runs to try a store with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::agenda::Selection;
use ralph_core::brief::Brief;
use ralph_core::crew::{Conversation, Crew, Member, Sessions};
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::machine::Judged;
use ralph_core::moment::Moment;
use ralph_core::policy::{Completion, Cost, Deadlines, Kind, Limits, Policy, Promise, Retry, Signal};
use ralph_core::promise::{Claim, Word};
use ralph_core::report::{AgentExit, Report, Usage};
use ralph_core::route::{Condition, Route, Span, Trouble};
use ralph_core::run::{Request, Run, Step, Until};
use ralph_core::sandbox::Sandbox;
use ralph_core::task::Task;
use ralph_core::verdict::{Evidence, Verdict};

use crate::session::Seat;

/// Some time, to the nanosecond: what is kept must be as exact.
pub fn at(second: i64) -> Timestamp {
    Timestamp::new(1_800_000_000 + second, 123_456_789).expect("a time within range")
}

pub fn moment(second: i64) -> Moment {
    Moment { at: at(second), running: Duration::new(second.unsigned_abs(), 7) }
}

pub fn agent() -> AgentName {
    AgentName::parse("scripted").expect("a name")
}

pub fn seat(host: &str, session: &str) -> Seat {
    Seat {
        host: AgentName::parse(host).expect("a host"),
        session: SessionId::parse(session).expect("a session"),
    }
}

/// A new run with an id of its own.
pub fn run() -> Run {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    run_with_id(RunId::new(at(0), NEXT.fetch_add(1, Ordering::Relaxed)))
}

pub fn run_with_id(id: RunId) -> Run {
    let promise = Promise { word: Word::parse("DONE").expect("a word"), nonce: true };
    let policy = Policy {
        limits: Limits::defaults(Kind::Prompt),
        completion: Completion::by_promise(promise),
        verification: ralph_core::check::Verification::default(),
        deadlines: Deadlines::default(),
        retry: Retry { base: Duration::ZERO, longest: Duration::ZERO, ..Retry::default() },
        patience: ralph_core::policy::Patience::default(),
        sandbox: Sandbox::default(),
        on_failure: ralph_core::policy::OnFailure::Keep,
    };
    let request = Request {
        id,
        task: Task::prompt("make the tests pass 'quoted' \u{1f980}\n\0 and go on"),
        policy,
        crew: Crew::new(member(), Vec::new()).with(vec![route()], Sessions::Continue),
        seed: 42,
        version: "0.0.0".to_owned(),
        agenda: None,
        template: None,
        in_session: None,
        forked_from: None,
    };
    Run::start(request, moment(0))
}

pub fn report(exit: AgentExit) -> Report {
    let usage =
        Usage { input_tokens: 11, cached_tokens: 5, output_tokens: 3, cost: Cost(17), ..Usage::default() };
    let (duration_ms, output_bytes) = (1200, 90);
    let tail = "the end \u{1b}[0m".to_owned();
    let conversation = Conversation::new(SessionId::parse("s-1").expect("a session"), usage);
    let conversation = Some(Box::new(conversation));
    let (claim, question) = (Claim::None, None);
    let signals = BTreeSet::from([Signal::Todo]);
    Report {
        exit,
        claim,
        signals,
        question,
        usage,
        duration_ms,
        output_bytes,
        tail,
        leftovers: 1,
        conversation,
        ran: Vec::new(),
        stated: String::new(),
    }
}

pub fn clean() -> Report {
    report(AgentExit::Code { code: 0 })
}

pub fn incomplete() -> Verdict {
    Verdict::Incomplete { findings: vec!["the promise was not given".to_owned()] }
}

pub fn complete() -> Verdict {
    Verdict::Complete { evidence: "the promise was given".to_owned() }
}

fn member() -> Member {
    let command = vec!["scripted".to_owned(), "--quick".to_owned()];
    Member::new(agent(), command).with(Some("small".to_owned()), None)
}

fn route() -> Route {
    let when = vec![
        Condition::Labels(vec!["'hard'".to_owned()]),
        Condition::Priority(Span { from: 0, to: Some(1) }),
        Condition::Iteration(Span { from: 3, to: None }),
        Condition::Trouble(Trouble::ALL.to_vec()),
    ];
    Route { when, agent: Some(agent()), model: Some("large".to_owned()), effort: Some("high".to_owned()) }
}

/// Performs the next step of a run with the given outcome of the agent and the checks.
pub fn advance(run: &mut Run, report: Report, verdict: Verdict, second: i64) {
    let now = moment(second);
    match run.step.clone() {
        Step::Baseline => run.after_baseline(Ok(Evidence::default()), BTreeMap::new(), now),
        Step::Select => run.after_select(Selection::prompt(run.task.clone()), now),
        Step::Think(attempt) => {
            run.after_think(attempt, Brief { text: "do it".to_owned() }, now);
        }
        Step::Code(attempt, _) => run.after_code(attempt, Ok(report), now),
        Step::Verify(attempt, report) => run.after_verify(attempt, &report, Ok(judged(verdict)), now),
        Step::Consolidate(attempt, verdict) => run.after_consolidate(attempt, verdict, false, now),
        Step::Wait(Until::Time { .. } | Until::Reset { .. } | Until::Answer { .. }, then) => {
            run.after_wait(*then, now);
        }
        Step::Abandon(_, stop) => run.after_abandon(&stop, now),
        Step::Wait(Until::Told, _) | Step::Stop(_) => {}
    }
}

/// Ends a run for good.
pub fn finish(run: &mut Run) {
    for second in 1..20 {
        advance(run, clean(), complete(), second);
    }
    assert!(!run.is_unfinished(), "the sample run ends");
}

/// As it is read back: what was to be written has been.
pub fn written(run: &Run) -> Run {
    Run { fresh: Vec::new(), ..run.clone() }
}

fn judged(verdict: Verdict) -> Judged {
    Judged { verdict, evidence: Evidence::default() }
}
