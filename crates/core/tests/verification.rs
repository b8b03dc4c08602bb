//! What checks decide: who is believed, when a run gets nowhere, and when it may not even begin.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::collections::BTreeMap;
use std::time::Duration;

use ralph_core::agenda::Selection;
use ralph_core::attempt::Attempt;
use ralph_core::check::{Check, CheckExit, CheckResult, Command, Criterion, Failing, Failure, Verification};
use ralph_core::control::{Control, ControlNo};
use ralph_core::crew::{Crew, Member};
use ralph_core::event::Event;
use ralph_core::id::{AgentName, RunId};
use ralph_core::machine::Judged;
use ralph_core::moment::Moment;
use ralph_core::policy::{Completion, Deadlines, Kind, Limits, Patience, Policy, Promise, Retry, Signal};
use ralph_core::progress::{Sketch, Standing};
use ralph_core::promise::{Claim, Word};
use ralph_core::report::{AgentExit, Fault, Report, Usage};
use ralph_core::run::{Request, Run, Step, Until};
use ralph_core::sandbox::Sandbox;
use ralph_core::stop::StopReason;
use ralph_core::task::Task;
use ralph_core::verdict::{self, Evidence, Verdict};
use ralph_core::{Timestamp, brief};

const NOT_YET: Claim = Claim::None;
const DONE: Claim = Claim::Made { line: 1 };

fn now() -> Moment {
    Moment { at: Timestamp::from_second(1_800_000_000).unwrap(), running: Duration::from_secs(1) }
}

fn by(signals: &[Signal]) -> Completion {
    let promise = Promise { word: Word::parse("DONE").unwrap(), nonce: true };
    Completion { require: signals.iter().copied().collect(), ..Completion::by_promise(promise) }
}

fn verification() -> Verification {
    let check = Check {
        name: "test_pass".to_owned(),
        criterion: Criterion::TestPass,
        command: Command::Shell("make test".to_owned()),
        dir: None,
        env: BTreeMap::new(),
        timeout: Duration::from_secs(60),
        defined_in: vec!["Makefile".to_owned()],
    };
    Verification { checks: vec![check], ..Verification::default() }
}

fn report(claim: Claim) -> Report {
    Report {
        exit: AgentExit::Code { code: 0 },
        claim,
        signals: std::collections::BTreeSet::new(),
        question: None,
        usage: Usage::default(),
        duration_ms: 1,
        output_bytes: 0,
        tail: String::new(),
        leftovers: 0,
        conversation: None,
        ran: Vec::new(),
        stated: String::new(),
    }
}

/// The tree, how much of the check fails, and what of the files was changed.
fn found(tree: &str, failing: u64, pieces: &[u64]) -> Evidence {
    let failing = Failing { count: failing, digest: format!("of {failing}") };
    let failure = Failure {
        fingerprint: "f".to_owned(),
        title: "a price is missing".to_owned(),
        message: "got 1".to_owned(),
    };
    let result = CheckResult {
        name: "test_pass".to_owned(),
        criterion: Criterion::TestPass,
        command: "make test".to_owned(),
        exit: CheckExit::Code { code: i32::from(failing.count > 0) },
        passed: failing.count == 0,
        counts: None,
        tests: Some(6),
        failures: if failing.count == 0 { Vec::new() } else { vec![failure] },
        failing: failing.clone(),
        duration_ms: 1,
        tail: String::new(),
    };
    Evidence {
        checks: vec![result],
        standing: Some(Standing { tree: tree.to_owned(), commit: None, failing }),
        sketch: Sketch { pieces: pieces.to_vec(), files: Vec::new() },
        ..Evidence::default()
    }
}

fn start(verification: Verification, completion: Completion) -> Run {
    let policy = Policy {
        limits: Limits::defaults(Kind::PromptWithCriteria),
        completion,
        verification,
        deadlines: Deadlines::default(),
        retry: Retry { base: Duration::ZERO, ..Retry::default() },
        patience: Patience::default(),
        sandbox: Sandbox::default(),
        on_failure: ralph_core::policy::OnFailure::Keep,
    };
    let request = Request {
        id: RunId::new(now().at, 1),
        task: Task::prompt("make it work"),
        policy,
        crew: Crew::new(
            Member::new(AgentName::parse("command").unwrap(), vec!["agent".to_owned()]),
            Vec::new(),
        ),
        seed: 7,
        version: "0.0.0".to_owned(),
        agenda: None,
        template: None,
        in_session: None,
        forked_from: None,
    };
    Run::start(request, now())
}

fn baseline(run: &mut Run, evidence: Evidence) {
    while run.step != Step::Baseline {
        step(run);
    }
    run.after_baseline(Ok(evidence), BTreeMap::new(), now());
}

fn step(run: &mut Run) {
    match run.step.clone() {
        Step::Select => run.after_select(Selection::prompt(run.task.clone()), now()),
        Step::Think(attempt) => run.after_think(attempt.clone(), brief::compose(run, &attempt), now()),
        Step::Wait(_, then) => run.after_wait(*then, now()),
        Step::Consolidate(attempt, verdict) => run.after_consolidate(attempt, verdict, false, now()),
        Step::Abandon(_, stop) => run.after_abandon(&stop, now()),
        other => panic!("nothing to do for {other:?}"),
    }
}

/// One iteration, after which the checks find this.
fn iterate(run: &mut Run, claim: Claim, evidence: Evidence) {
    while !matches!(run.step, Step::Code(..)) {
        step(run);
    }
    let Step::Code(attempt, _) = run.step.clone() else { unreachable!() };
    run.after_code(attempt, Ok(report(claim)), now());
    let Step::Verify(attempt, report) = run.step.clone() else { panic!("{:?}", run.step) };
    let verdict = verdict::judge(&run.policy.completion, &run.policy.verification, &report, &evidence);
    run.after_verify(attempt, &report, Ok(Judged { verdict, evidence }), now());
    while matches!(run.step, Step::Consolidate(..) | Step::Abandon(..)) {
        step(run);
    }
}

/// Iterations until the run ends, and why it does.
fn play(steps: &[Evidence]) -> (usize, Option<StopReason>) {
    let mut run = start(verification(), by(&[Signal::Criteria]));
    baseline(&mut run, found("start", 3, &[]));
    for (done, evidence) in steps.iter().enumerate() {
        iterate(&mut run, NOT_YET, evidence.clone());
        while matches!(run.step, Step::Select) && run.stop().is_none() {
            step(&mut run);
        }
        if let Some(stop) = run.stop() {
            return (done + 1, Some(stop.reason));
        }
    }
    (steps.len(), None)
}

fn findings(verdict: Verdict) -> Vec<String> {
    match verdict {
        Verdict::Incomplete { findings } => findings,
        Verdict::Complete { evidence } => panic!("it was believed: {evidence}"),
    }
}

#[test]
fn a_claim_is_never_believed_while_a_check_fails() {
    let (rules, report) = (verification(), report(DONE));
    for signals in [&[Signal::Criteria][..], &[Signal::Criteria, Signal::Promise]] {
        let said = findings(verdict::judge(&by(signals), &rules, &report, &found("t", 3, &[1])));
        assert!(said.iter().any(|line| line.contains("a price is missing: got 1")), "{said:?}");
        assert!(verdict::judge(&by(signals), &rules, &report, &found("t", 0, &[1])).is_complete());
    }
    let nothing = findings(verdict::judge(&by(&[Signal::Promise]), &rules, &report, &found("t", 3, &[])));
    assert!(nothing[0].contains("nothing was changed"), "{nothing:?}");
    let unchecked = findings(verdict::judge(&by(&[Signal::Criteria]), &rules, &report, &Evidence::default()));
    assert_eq!(unchecked, ["no check was run"]);
}

#[test]
fn whoever_changes_the_checks_has_not_passed_them() {
    let tampering = vec!["Makefile is part of the checks and was changed".to_owned()];
    let evidence = Evidence { tampering: tampering.clone(), ..found("t", 0, &[1]) };
    let completion = by(&[Signal::Criteria]);
    let judge = |rules: &Verification| verdict::judge(&completion, rules, &report(DONE), &evidence);
    assert_eq!(findings(judge(&verification())), tampering);
    assert!(judge(&Verification { allow_tampering: true, ..verification() }).is_complete());
}

#[test]
fn what_must_be_red_at_first_may_not_be_green() {
    let red_first = Verification { red_first: true, ..verification() };
    let begun = |rules: Verification, failing| {
        let mut run = start(rules, by(&[Signal::Criteria]));
        baseline(&mut run, found("start", failing, &[]));
        run
    };
    let mut green = begun(red_first.clone(), 0);
    assert_eq!(green.stop().unwrap().reason, StopReason::Configuration);
    green.resume(now());
    assert_eq!(green.step, Step::Baseline, "it has to be red even then");
    assert!(begun(red_first, 3).stop().is_none());
    let green = begun(verification(), 0);
    assert!(green.stop().is_none());
    assert!(green.policy.completion.require.contains(&Signal::Promise), "green checks tell nothing");
}

#[test]
fn three_iterations_without_any_change_end_a_run() {
    let still = || found("start", 3, &[]);
    assert_eq!(play(&[still(), still(), still(), still()]), (3, Some(StopReason::NoProgress)));
    assert_eq!(play(&[still(), still(), found("other", 3, &[1])]), (3, None));
    // Any change begins the row anew.
    let interrupted = [still(), still(), found("start", 2, &[]), still(), found("start", 3, &[])];
    assert_eq!(play(&interrupted), (5, None));
    let committed = |commit: &str| {
        let mut evidence = still();
        evidence.standing.as_mut().unwrap().commit = Some(commit.to_owned());
        evidence
    };
    assert_eq!(play(&[committed("a"), committed("b"), committed("c"), committed("d")]), (4, None));
}

#[test]
fn two_wrong_fixes_in_turns_end_a_run() {
    let (one, other) = (|| found("a", 3, &[1, 2]), || found("b", 3, &[3, 4]));
    assert_eq!(play(&[one(), other(), one(), other(), one()]), (4, Some(StopReason::Circular)));
    // The same two with other failures each time are something new each time.
    let moving = [
        found("a", 4, &[1]),
        found("b", 5, &[2]),
        found("a", 6, &[1]),
        found("b", 7, &[2]),
        found("a", 8, &[1]),
    ];
    assert_eq!(play(&moving), (5, None));
}

/// Up to the point at which the checks run, after an attempt of an agent that claims this.
fn to_the_checks(run: &mut Run, claim: Claim) -> (Attempt, Report) {
    while !matches!(run.step, Step::Code(..)) {
        step(run);
    }
    let Step::Code(attempt, _) = run.step.clone() else { unreachable!() };
    run.after_code(attempt, Ok(report(claim)), now());
    match run.step.clone() {
        Step::Verify(attempt, report) => (attempt, *report),
        other => panic!("{other:?}"),
    }
}

/// The guard dies this often, and whether the same attempt is still to be verified after it.
fn lose_guard(run: &mut Run, times: u32) -> bool {
    for _ in 0..times {
        let Step::Verify(attempt, report) = run.step.clone() else { return false };
        run.after_verify(attempt, &report, Err(Fault::GuardLost), now());
    }
    matches!(run.step, Step::Verify(..))
}

#[test]
fn checks_that_were_cut_short_are_run_again_and_the_agent_is_not() {
    let mut run = start(verification(), by(&[Signal::Criteria]));
    baseline(&mut run, found("start", 3, &[]));
    for iteration in 1..=3 {
        let before = to_the_checks(&mut run, NOT_YET);
        assert!(lose_guard(&mut run, 4), "{:?}", run.step);
        assert_eq!(run.step, Step::Verify(before.0.clone(), Box::new(before.1.clone())), "the work is kept");
        assert_eq!((run.tally.attempts_total, run.tally.failures, &run.owed), (iteration, 4, &None));
        let evidence = found(&iteration.to_string(), 3, &[u64::from(iteration)]);
        let verdict = verdict::judge(&run.policy.completion, &run.policy.verification, &before.1, &evidence);
        run.after_verify(before.0, &before.1, Ok(Judged { verdict, evidence }), now());
        assert_eq!(run.tally.failures, 0, "a conclusion ends the row");
    }
    to_the_checks(&mut run, DONE);
    assert!(!lose_guard(&mut run, 5));
    let stop = run.stop().unwrap();
    assert_eq!(stop.reason, StopReason::ConsecutiveFailures);
    assert_eq!(
        stop.evidence,
        "5 failures in a row, the last: its guard process died while the checks were run"
    );
    assert_eq!(run.tally.attempts_total, 4);
}

#[test]
fn an_attempt_that_nothing_was_found_out_about_does_not_end_a_row_of_failures() {
    let mut run = start(verification(), by(&[Signal::Criteria]));
    baseline(&mut run, found("start", 3, &[]));
    while !matches!(run.step, Step::Code(..)) {
        step(&mut run);
    }
    let Step::Code(attempt, _) = run.step.clone() else { unreachable!() };
    run.after_code(attempt, Err(Fault::GuardLost), now());
    to_the_checks(&mut run, NOT_YET);
    assert!(lose_guard(&mut run, 3));
    assert!(!lose_guard(&mut run, 1), "one of the five was the attempt before");
    assert_eq!(run.stop().unwrap().reason, StopReason::ConsecutiveFailures);
}

#[test]
fn a_baseline_that_is_cut_short_again_and_again_ends_the_run() {
    let mut run = start(verification(), by(&[Signal::Criteria]));
    for _ in 0..4 {
        run.after_baseline(Err(Fault::GuardLost), BTreeMap::new(), now());
        assert_eq!(run.step, Step::Baseline);
    }
    let mut goes_on = run.clone();
    baseline(&mut goes_on, found("start", 3, &[]));
    assert_eq!((goes_on.step, goes_on.tally.failures), (Step::Select, 0), "a conclusion ends the row");
    run.after_baseline(Err(Fault::GuardLost), BTreeMap::new(), now());
    let stop = run.stop().unwrap();
    assert_eq!(stop.reason, StopReason::ConsecutiveFailures);
    assert_eq!(
        stop.evidence,
        "5 failures in a row, the last: the checks were cut short before the work began"
    );
}

/// A control that comes while the first checks are run, which then end like this.
fn during_baseline(control: &Control, outcome: Result<Evidence, Fault>) -> (Run, Vec<Event>) {
    let mut run = start(verification(), by(&[Signal::Criteria]));
    run.fresh.clear();
    run.apply(ControlNo(1), control, now());
    assert_eq!(run.step, Step::Baseline, "the checks are still under way");
    run.after_baseline(outcome, BTreeMap::new(), now());
    let events = run.fresh.iter().map(|fresh| fresh.event.clone()).collect();
    (run, events)
}

#[test]
fn what_is_asked_while_the_first_checks_are_run_is_done_when_they_are_over() {
    let red = || Ok(found("start", 3, &[]));
    let stops =
        |events: &[Event]| events.iter().filter(|event| matches!(event, Event::RunStopped { .. })).count();
    let (mut paused, events) = during_baseline(&Control::Pause, red());
    assert_eq!(paused.step, Step::Wait(Until::Told, Box::new(Step::Select)));
    assert!(matches!(events.as_slice(), [_, Event::Baseline { .. }, Event::Paused {}]), "{events:?}");
    paused.apply(ControlNo(2), &Control::Resume, now());
    assert_eq!(paused.step, Step::Select);

    let (stopped, events) = during_baseline(&Control::Stop, red());
    assert_eq!((stopped.stop().unwrap().reason, stops(&events)), (StopReason::Stopped, 1));
    let (lost, events) = during_baseline(&Control::Stop, Err(Fault::GuardLost));
    assert_eq!((lost.stop().unwrap().reason, stops(&events)), (StopReason::Stopped, 1));
    let (aborted, events) = during_baseline(&Control::Abort, Err(Fault::Aborted));
    assert_eq!((aborted.stop().unwrap().reason, stops(&events)), (StopReason::Aborted, 1));
}

#[test]
fn a_tool_that_was_called_and_a_list_that_is_done_count_where_they_are_asked_for() {
    let with = |signals: &[Signal], exit: AgentExit| Report {
        signals: signals.iter().copied().collect(),
        exit,
        ..report(Claim::None)
    };
    let clean = || AgentExit::Code { code: 0 };
    let judged = |required: &[Signal], report: &Report| {
        verdict::judge(&by(required), &Verification::default(), report, &Evidence::default()).is_complete()
    };
    for signal in [Signal::Tool, Signal::Todo] {
        assert!(judged(&[signal], &with(&[signal], clean())), "{signal:?}");
        assert!(!judged(&[signal], &with(&[], clean())), "{signal:?}");
        assert!(!judged(&[signal], &with(&[signal], AgentExit::Unfinished)), "{signal:?}");
        assert!(!judged(&[signal, Signal::Promise], &with(&[signal], clean())), "{signal:?}");
    }
    assert!(!judged(&[Signal::Tool], &with(&[Signal::Todo], clean())));
}
