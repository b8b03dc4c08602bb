//! The machine's decisions one by one: what each limit, claim, fault and control comes to.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::num::NonZeroU32;
use std::time::Duration;

use ralph_core::control::{Control, ControlNo};
use ralph_core::crew::{Crew, Member};
use ralph_core::event::Event;
use ralph_core::id::{AgentName, RunId};
use ralph_core::moment::Moment;
use ralph_core::policy::{Completion, Cost, Deadlines, Kind, Limits, Policy, Promise, Retry};
use ralph_core::promise::{Claim, Word};
use ralph_core::report::{AgentExit, Fault, Report, Usage};
use ralph_core::run::{Pace, Request, Run, Step};
use ralph_core::sandbox::Sandbox;
use ralph_core::stop::StopReason;
use ralph_core::task::Task;
use ralph_core::verdict::{self, Verdict};
use ralph_core::{Timestamp, brief};

const NOT_YET: Claim = Claim::None;
const DONE: Claim = Claim::Made { line: 1 };

fn limits(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::defaults(Kind::Prompt);
    limits.max_iterations = NonZeroU32::new(3);
    limits.max_consecutive_failures = NonZeroU32::new(3).unwrap();
    change(&mut limits);
    limits
}

fn start(limits: Limits) -> Run {
    let at = now(0).at;
    let promise = Promise { word: Word::parse("DONE").unwrap(), nonce: true };
    let policy = Policy {
        limits,
        completion: Completion::by_promise(promise),
        deadlines: Deadlines::default(),
        retry: Retry { base: Duration::ZERO, ..Retry::default() },
        sandbox: Sandbox::default(),
    };
    let request = Request {
        id: RunId::new(at, 1),
        task: Task::prompt("make it work"),
        policy,
        crew: Crew::new(
            Member::new(AgentName::parse("command").unwrap(), vec!["agent".to_owned()]),
            Vec::new(),
        ),
        seed: 7,
        version: "0.0.0".to_owned(),
    };
    Run::start(request, now(0))
}

fn now(seconds: u64) -> Moment {
    let at = Timestamp::from_second(1_800_000_000 + i64::try_from(seconds).unwrap()).unwrap();
    Moment { at, running: Duration::from_secs(seconds) }
}

fn report(code: i32, claim: Claim) -> Report {
    let usage = Usage { input_tokens: 60, cached_tokens: 0, output_tokens: 40, cost: Cost(1_000_000) };
    Report {
        exit: AgentExit::Code { code },
        claim,
        usage,
        duration_ms: 1,
        output_bytes: 0,
        tail: String::new(),
        leftovers: 0,
    }
}

/// Up to the point at which the agent runs, if the run gets there.
fn begin(run: &mut Run, at: Moment) {
    loop {
        match run.step.clone() {
            Step::Select => run.after_select(Some(run.task.clone()), at),
            Step::Think(attempt) => run.after_think(attempt.clone(), brief::compose(run, &attempt), at),
            Step::Wait(_, then) if !run.is_paused() => run.after_wait(*then, at),
            Step::Code(..) | Step::Stop(_) | Step::Wait(..) => return,
            Step::Verify(..) | Step::Consolidate(..) | Step::Abandon(..) => panic!("{:?}", run.step),
        }
    }
}

/// One attempt from its beginning to where the next could begin.
fn attempt(run: &mut Run, outcome: Result<Report, Fault>, at: Moment) {
    begin(run, at);
    let Step::Code(attempt, _) = run.step.clone() else { panic!("no attempt begins: {:?}", run.step) };
    run.after_code(attempt, outcome, at);
    if let Step::Verify(attempt, report) = run.step.clone() {
        let verdict = verdict::judge(&run.policy.completion, &report);
        run.after_verify(attempt, Ok(verdict), &report.tail, at);
    }
    if let Step::Consolidate(attempt, verdict) = run.step.clone() {
        run.after_consolidate(attempt, verdict, at);
    }
    if let Step::Abandon(_, stop) = run.step.clone() {
        run.after_abandon(&stop, at);
    }
}

fn reason(run: &Run) -> Option<StopReason> {
    run.stop().map(|stop| stop.reason)
}

#[test]
fn exactly_as_many_iterations_are_begun_as_there_may_be() {
    let mut run = start(limits(|_| {}));
    for done in 1..=3 {
        assert_eq!(reason(&run), None, "before iteration {done}");
        attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    }
    assert_eq!((reason(&run), run.tally.iterations), (Some(StopReason::MaxIterations), 3));
}

#[test]
fn a_promise_in_the_last_iteration_completes_the_run() {
    let mut run = start(limits(|limits| limits.max_iterations = NonZeroU32::new(1)));
    attempt(&mut run, Ok(report(0, DONE)), now(1));
    assert_eq!(reason(&run), Some(StopReason::Completed));
}

#[test]
fn failures_end_a_run_only_when_they_come_in_a_row() {
    let mut run = start(limits(|_| {}));
    for code in [1, 1, 0, 1, 1, 0] {
        attempt(&mut run, Ok(report(code, NOT_YET)), now(1));
        assert_eq!(reason(&run), None);
    }
    assert_eq!((run.tally.iterations, run.tally.attempts_total), (2, 6));
    for _ in 0..3 {
        attempt(&mut run, Ok(report(1, NOT_YET)), now(1));
    }
    assert_eq!(reason(&run), Some(StopReason::ConsecutiveFailures));
}

#[test]
fn a_failed_attempt_is_tried_again_in_the_same_iteration() {
    let mut run = start(limits(|_| {}));
    attempt(&mut run, Ok(report(1, NOT_YET)), now(1));
    attempt(&mut run, Err(Fault::GuardLost), now(1));
    begin(&mut run, now(1));
    let Step::Code(third, _) = &run.step else { panic!("{:?}", run.step) };
    assert_eq!((third.iteration, third.number), (1, 3));
}

#[test]
fn a_promise_of_an_agent_that_failed_does_not_count() {
    let mut run = start(limits(|_| {}));
    attempt(&mut run, Ok(report(1, DONE)), now(1));
    assert_eq!(reason(&run), None);
    let completion = run.policy.completion.clone();
    assert!(verdict::judge(&completion, &report(0, DONE)).is_complete());
    for unclean in [AgentExit::Code { code: 1 }, AgentExit::Signal { signal: 9 }, AgentExit::SilenceTimeout] {
        let judged = verdict::judge(&completion, &Report { exit: unclean.clone(), ..report(0, DONE) });
        let expected = format!("the promise was given, but the agent ended with {unclean}");
        assert_eq!(judged, Verdict::Incomplete { findings: vec![expected] });
    }
}

#[test]
fn each_attempt_has_to_give_a_promise_of_its_own() {
    let mut run = start(limits(|_| {}));
    let mut words = Vec::new();
    for _ in 0..3 {
        begin(&mut run, now(1));
        let Step::Code(attempt_now, _) = &run.step else { panic!("{:?}", run.step) };
        words.push(attempt_now.promise.to_string());
        attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    }
    words.sort();
    words.dedup();
    assert_eq!(words.len(), 3, "{words:?}");
}

#[test]
fn time_tokens_and_money_end_a_run_before_its_next_attempt() {
    let mut run = start(limits(|limits| limits.max_duration = Some(Duration::from_secs(60))));
    attempt(&mut run, Ok(report(0, NOT_YET)), now(59));
    assert_eq!(reason(&run), None);
    attempt(&mut run, Ok(report(0, NOT_YET)), now(60));
    assert_eq!(reason(&run), Some(StopReason::MaxDuration));

    let mut run = start(limits(|limits| limits.max_tokens = Some(200.try_into().unwrap())));
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    assert_eq!(reason(&run), None);
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    assert_eq!(reason(&run), Some(StopReason::Budget));

    let mut run = start(limits(|limits| limits.max_cost = Some(Cost(1_000_000))));
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    assert_eq!(reason(&run), Some(StopReason::Budget));
}

#[test]
fn a_stop_lets_the_attempt_end_and_no_other_begin() {
    let mut run = start(limits(|_| {}));
    begin(&mut run, now(1));
    run.apply(ControlNo(1), &Control::Stop, now(1));
    assert!(matches!(run.step, Step::Code(..)));
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    assert_eq!((reason(&run), run.tally.attempts_total), (Some(StopReason::Stopped), 1));
}

#[test]
fn a_resumed_run_goes_on_at_full_pace() {
    let mut run = start(limits(|_| {}));
    run.apply(ControlNo(1), &Control::Stop, now(1));
    assert_eq!(reason(&run), Some(StopReason::Stopped));
    run.resume(now(2));
    assert_eq!((run.pace, reason(&run)), (Pace::Going, None));
    attempt(&mut run, Ok(report(0, DONE)), now(2));
    assert_eq!(reason(&run), Some(StopReason::Completed));
}

#[test]
fn an_interrupted_attempt_is_neither_an_iteration_nor_a_failure() {
    let mut run = start(limits(|_| {}));
    begin(&mut run, now(1));
    for _ in 0..10 {
        run.resume(now(1));
        begin(&mut run, now(1));
    }
    assert_eq!((reason(&run), run.tally.iterations, run.tally.failures), (None, 1, 0));
    assert_eq!((run.tally.attempts, run.tally.attempts_total), (11, 11));
}

#[test]
fn a_control_that_was_seen_is_not_taken_up_again() {
    let mut run = start(limits(|_| {}));
    let steer = Control::Steer { text: "mind the tests".to_owned() };
    run.apply(ControlNo(1), &steer, now(1));
    run.apply(ControlNo(1), &steer, now(1));
    assert_eq!(run.steering, ["mind the tests"]);
    let applied =
        run.fresh.iter().filter(|fresh| matches!(fresh.event, Event::ControlApplied { .. })).count();
    assert_eq!(applied, 1);
}
