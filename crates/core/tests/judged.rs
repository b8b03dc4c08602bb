//! What a judge's word is worth beside the checks, and that what it uses up counts.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::time::Duration;

use ralph_core::agenda::Selection;
use ralph_core::check::{
    Check, CheckExit, CheckResult, Command, Criterion, Failing, Judge, Judgement, Opinion, Verification,
};
use ralph_core::control::{Control, ControlNo};
use ralph_core::crew::{Crew, Member, Sessions};
use ralph_core::event::Event;
use ralph_core::id::{AgentName, RunId};
use ralph_core::judge::{Answered, Judging};
use ralph_core::machine::Judged;
use ralph_core::moment::Moment;
use ralph_core::policy::{
    Completion, Deadlines, Kind, Limits, OnFailure, Patience, Policy, Promise, Retry, Signal,
};
use ralph_core::progress::{Sketch, Standing};
use ralph_core::promise::{Claim, Word};
use ralph_core::report::{AgentExit, Report, Usage};
use ralph_core::route::{Condition, Route, Trouble};
use ralph_core::run::{Request, Run, Step};
use ralph_core::sandbox::Sandbox;
use ralph_core::stop::StopReason;
use ralph_core::task::Task;
use ralph_core::verdict::{self, Evidence, Verdict};
use ralph_core::{Timestamp, brief};

fn name(text: &str) -> AgentName {
    AgentName::parse(text).unwrap()
}

fn now() -> Moment {
    Moment { at: Timestamp::from_second(1_800_000_000).unwrap(), running: Duration::ZERO }
}

fn policy(judge: Judge, checks: usize) -> Policy {
    let check = Check {
        name: "custom".to_owned(),
        criterion: Criterion::Custom,
        command: Command::Shell("make check".to_owned()),
        dir: None,
        env: Default::default(),
        timeout: Duration::from_secs(1),
        defined_in: Vec::new(),
    };
    Policy {
        limits: Limits::defaults(Kind::PromptWithCriteria),
        completion: Completion {
            require: BTreeSet::from([Signal::Criteria]),
            promise: Promise { word: Word::parse("DONE").unwrap(), nonce: true },
        },
        verification: Verification { checks: vec![check; checks], judge, ..Verification::default() },
        deadlines: Deadlines::default(),
        retry: Retry::default(),
        patience: Patience::default(),
        sandbox: Sandbox::default(),
        on_failure: OnFailure::Keep,
    }
}

fn run(policy: Policy) -> Run {
    let crew = Crew::new(Member::new(name("one"), Vec::new()), vec![Member::new(name("two"), Vec::new())]);
    let (id, task) = (RunId::new(now().at, 1), Task::prompt("make it work"));
    let version = "0.0.0".to_owned();
    Run::start(
        Request {
            id,
            task,
            policy,
            crew,
            seed: 7,
            version,
            agenda: None,
            template: None,
            in_session: None,
            forked_from: None,
        },
        now(),
    )
}

fn report() -> Report {
    Report {
        exit: AgentExit::Code { code: 0 },
        claim: Claim::None,
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

fn evidence(passed: Option<bool>, opinion: Option<Opinion>) -> Evidence {
    let result = |passed: bool| CheckResult {
        name: "custom".to_owned(),
        criterion: Criterion::Custom,
        command: "make check".to_owned(),
        exit: CheckExit::Code { code: i32::from(!passed) },
        passed,
        counts: None,
        tests: None,
        failures: Vec::new(),
        failing: Failing::default(),
        duration_ms: 1,
        tail: String::new(),
    };
    let judgement = opinion.map(|opinion| Judgement {
        opinion,
        reason: "because".to_owned(),
        suggestions: vec!["look again".to_owned()],
    });
    let sketch = Sketch { pieces: vec![1], files: vec!["a".to_owned()] };
    Evidence { checks: passed.map(result).into_iter().collect(), judgement, sketch, ..Evidence::default() }
}

fn verdict(judge: Judge, evidence: &Evidence) -> Verdict {
    let policy = policy(judge, evidence.checks.len());
    verdict::judge(&policy.completion, &policy.verification, &report(), evidence)
}

const OPINIONS: [Option<Opinion>; 4] =
    [None, Some(Opinion::Unsure), Some(Opinion::Failure), Some(Opinion::Success)];

#[test]
fn nothing_but_an_agreeing_judge_and_passing_checks_is_success_where_both_decide() {
    for passed in [None, Some(false), Some(true)] {
        for opinion in OPINIONS {
            let complete = verdict(Judge::Both, &evidence(passed, opinion)).is_complete();
            let expected = passed == Some(true) && opinion == Some(Opinion::Success);
            assert_eq!(complete, expected, "{passed:?} {opinion:?}");
        }
    }
}

#[test]
fn a_judge_alone_decides_whatever_the_checks_say_and_silence_is_never_success() {
    for passed in [None, Some(false), Some(true)] {
        for opinion in OPINIONS {
            let complete = verdict(Judge::Agent, &evidence(passed, opinion)).is_complete();
            assert_eq!(complete, opinion == Some(Opinion::Success), "{passed:?} {opinion:?}");
        }
    }
}

#[test]
fn where_the_exit_status_decides_no_judge_is_heard() {
    for opinion in OPINIONS {
        assert!(!verdict(Judge::Exit, &evidence(Some(false), opinion)).is_complete(), "{opinion:?}");
        assert!(verdict(Judge::Exit, &evidence(Some(true), opinion)).is_complete(), "{opinion:?}");
    }
}

#[test]
fn a_judge_that_overrules_a_check_is_told_as_such() {
    let overruled = verdict(Judge::Agent, &evidence(Some(false), Some(Opinion::Success)));
    let expected = "custom fails (exit code 1), the judge overrules that: because";
    assert_eq!(overruled, Verdict::Complete { evidence: expected.to_owned() });
    let agreed = verdict(Judge::Agent, &evidence(Some(true), Some(Opinion::Success)));
    assert_eq!(agreed, Verdict::Complete { evidence: "custom passes, the judge agrees: because".to_owned() });
}

#[test]
fn what_a_judge_changed_fails_the_verdict_unless_that_is_allowed() {
    let tampered = Evidence {
        tampering: vec!["the judge changed src/a.rs".to_owned()],
        ..evidence(Some(true), Some(Opinion::Success))
    };
    let mut policy = policy(Judge::Both, 1);
    let judge = |policy: &Policy| {
        verdict::judge(&policy.completion, &policy.verification, &report(), &tampered).is_complete()
    };
    assert!(!judge(&policy));
    policy.verification.allow_tampering = true;
    assert!(judge(&policy));
}

#[test]
fn objections_and_suggestions_are_in_the_next_brief() {
    let mut run = run(policy(Judge::Both, 1));
    run.after_baseline(Ok(Evidence::default()), Default::default(), now());
    iterate(&mut run, evidence(Some(true), Some(Opinion::Failure)));
    run.after_select(Selection::prompt(run.task.clone()), now());
    let Step::Think(attempt) = run.step.clone() else { panic!("{:?}", run.step) };
    let brief = brief::compose(&run, &attempt).text;
    for part in ["the judge is not satisfied: because", "suggestion: look again", "decides as well"] {
        assert!(brief.contains(part), "{part} in {brief}");
    }
}

/// One attempt with this evidence, to the end of its iteration.
fn iterate(run: &mut Run, evidence: Evidence) {
    run.after_select(Selection::prompt(run.task.clone()), now());
    let Step::Think(attempt) = run.step.clone() else { panic!("{:?}", run.step) };
    run.after_think(attempt.clone(), brief::compose(run, &attempt), now());
    run.after_code(attempt.clone(), Ok(report()), now());
    let policy = run.policy.clone();
    let verdict = verdict::judge(&policy.completion, &policy.verification, &report(), &evidence);
    run.after_verify(attempt, &report(), Ok(Judged { verdict, evidence }), now());
    let Step::Consolidate(attempt, verdict) = run.step.clone() else { panic!("{:?}", run.step) };
    run.after_consolidate(attempt, verdict, false, now());
}

#[test]
fn what_a_judge_uses_up_counts_towards_the_limits() {
    let mut policy = policy(Judge::Agent, 0);
    policy.limits.max_tokens = NonZeroU64::new(150);
    let mut run = run(policy);
    run.after_baseline(Ok(Evidence::default()), Default::default(), now());
    let answered = Answered {
        agent: name("one"),
        model: None,
        judgement: Judgement::unsure("its message has no JSON object"),
        exit: AgentExit::Code { code: 0 },
        usage: Usage { input_tokens: 60, output_tokens: 20, ..Usage::default() },
        duration_ms: 5,
    };
    run.after_select(Selection::prompt(run.task.clone()), now());
    let Step::Think(attempt) = run.step.clone() else { panic!("{:?}", run.step) };
    run.after_think(attempt.clone(), brief::compose(&run, &attempt), now());
    run.after_code(attempt.clone(), Ok(report()), now());
    for asking in 1..=2 {
        run.after_judge(&attempt, asking, answered.clone(), now());
    }
    assert_eq!(run.tally.usage.tokens(), 160);
    let evidence = evidence(None, Some(Opinion::Unsure));
    let verdict = Verdict::Incomplete { findings: Vec::new() };
    run.after_verify(attempt, &report(), Ok(Judged { verdict, evidence }), now());
    let Step::Consolidate(attempt, verdict) = run.step.clone() else { panic!("{:?}", run.step) };
    run.after_consolidate(attempt, verdict, false, now());
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::Budget));
}

#[test]
fn with_a_judge_alone_iterations_that_change_nothing_end_the_run() {
    let mut run = run(policy(Judge::Agent, 0));
    assert_eq!(run.step, Step::Baseline, "how things stand is found out first");
    let standing = Some(Standing { tree: "t".to_owned(), commit: None, failing: Failing::default() });
    let baseline = Evidence { standing: standing.clone(), ..Evidence::default() };
    run.after_baseline(Ok(baseline), Default::default(), now());
    for _ in 0..3 {
        assert_eq!(run.stop(), None);
        let sketch = Sketch::default();
        let standing = standing.clone();
        iterate(&mut run, Evidence { standing, sketch, ..evidence(None, Some(Opinion::Failure)) });
    }
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::NoProgress));
}

/// Left as they were, one after the other, until the run stops or so many are through; who worked in each.
fn in_vain(run: &mut Run, iterations: u32) -> Vec<String> {
    let standing = Some(Standing { tree: "t".to_owned(), commit: None, failing: Failing::default() });
    let mut workers = Vec::new();
    for _ in 0..iterations {
        if run.stop().is_some() {
            break;
        }
        let (standing, sketch) = (standing.clone(), Sketch::default());
        let evidence = Evidence { standing, sketch, ..evidence(None, Some(Opinion::Failure)) };
        iterate(run, evidence);
        workers.push(run.crew.at_work().agent.to_string());
    }
    workers
}

fn stuck(routes: Vec<Route>) -> Run {
    let mut run = run(policy(Judge::Agent, 0));
    run.crew = run.crew.with(routes, Sessions::Fresh);
    let standing = Some(Standing { tree: "t".to_owned(), commit: None, failing: Failing::default() });
    run.after_baseline(Ok(Evidence { standing, ..Evidence::default() }), Default::default(), now());
    run
}

fn after(trouble: Trouble, agent: &str) -> Route {
    Route {
        when: vec![Condition::Trouble(vec![trouble])],
        agent: Some(name(agent)),
        model: None,
        effort: None,
    }
}

#[test]
fn a_run_that_gets_nowhere_goes_on_by_a_route_for_that_and_ends_when_that_does_not_help() {
    let mut run = stuck(vec![after(Trouble::NoProgress, "two")]);
    assert_eq!(in_vain(&mut run, 9), ["one", "one", "one", "two", "two", "two"]);
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::NoProgress));
    let told = run.fresh.iter().filter_map(|fresh| match &fresh.event {
        Event::Notice { text } => Some(text.as_str()),
        _ => None,
    });
    let told: Vec<&str> = told.filter(|text| text.contains("something is changed")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("3 iterations in a row") && told[0].contains("route 1: after no_progress"));
}

#[test]
fn a_route_for_another_trouble_or_to_the_same_choice_or_against_a_person_changes_nothing() {
    let ends_at_three = |run: &mut Run| {
        assert_eq!(in_vain(run, 9).len(), 3);
        assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::NoProgress));
    };
    ends_at_three(&mut stuck(vec![after(Trouble::Circular, "two")]));
    ends_at_three(&mut stuck(vec![after(Trouble::NoProgress, "one")]));
    let mut asked = stuck(vec![after(Trouble::NoProgress, "two")]);
    asked.apply(ControlNo(1), &Control::SetAgent { agent: name("three") }, now());
    ends_at_three(&mut asked);
}

#[test]
fn a_judge_is_the_first_agent_unless_another_is_named() {
    let crew = Crew::new(
        Member::new(name("one"), Vec::new()).with(Some("large".to_owned()), Some("high".to_owned())),
        vec![Member::new(name("two"), Vec::new())],
    );
    let judge = |agent: Option<&str>, model: Option<&str>| {
        let judging =
            Judging { agent: agent.map(name), model: model.map(str::to_owned), ..Judging::default() };
        let member = crew.judge(&judging);
        (member.agent.to_string(), member.model)
    };
    let expected = |agent: &str, model: Option<&str>| (agent.to_owned(), model.map(str::to_owned));
    assert_eq!(judge(None, None), expected("one", Some("large")));
    assert_eq!(judge(None, Some("small")), expected("one", Some("small")));
    assert_eq!(judge(Some("one"), None), expected("one", Some("large")));
    assert_eq!(judge(Some("three"), None), expected("three", None));
    assert_eq!(judge(Some("three"), Some("m")), expected("three", Some("m")));
}

#[test]
fn a_judge_is_asked_only_where_its_word_is_required() {
    let wants = |judge, require: &[Signal]| {
        let mut policy = policy(judge, 1);
        policy.completion.require = require.iter().copied().collect();
        run(policy).wants_a_judge()
    };
    assert!(wants(Judge::Agent, &[Signal::Criteria]));
    assert!(wants(Judge::Both, &[Signal::Criteria, Signal::Promise]));
    assert!(!wants(Judge::Exit, &[Signal::Criteria]));
    assert!(!wants(Judge::Both, &[Signal::Promise]));
}
