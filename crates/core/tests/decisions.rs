//! The machine's decisions one by one: what each limit, claim, fault and control comes to.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use ralph_core::agenda::{Agenda, Selection, Source};
use ralph_core::check::Verification;
use ralph_core::choice::ChosenBy;
use ralph_core::control::{Control, ControlNo};
use ralph_core::crew::{Conversation, Crew, Member, Sessions};
use ralph_core::event::Event;
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::machine::Judged;
use ralph_core::moment::Moment;
use ralph_core::policy::{
    Completion, Cost, Deadlines, Kind, Limits, OnError, Patience, Policy, Promise, Retry,
};
use ralph_core::promise::{Claim, Word};
use ralph_core::report::{AgentExit, Fault, Report, Usage};
use ralph_core::route::{Condition, Route, Span};
use ralph_core::run::{Pace, Request, Run, Step, Until};
use ralph_core::sandbox::Sandbox;
use ralph_core::stop::StopReason;
use ralph_core::task::Task;
use ralph_core::verdict::{self, Evidence, Verdict};
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
        verification: Verification::default(),
        deadlines: Deadlines::default(),
        retry: Retry { base: Duration::ZERO, ..Retry::default() },
        patience: Patience::default(),
        sandbox: Sandbox::default(),
        on_failure: ralph_core::policy::OnFailure::Keep,
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
        agenda: None,
        template: None,
        in_session: None,
        forked_from: None,
    };
    Run::start(request, now(0))
}

fn now(seconds: u64) -> Moment {
    let at = Timestamp::from_second(1_800_000_000 + i64::try_from(seconds).unwrap()).unwrap();
    Moment { at, running: Duration::from_secs(seconds) }
}

fn report(code: i32, claim: Claim) -> Report {
    let usage = Usage {
        input_tokens: 60,
        cached_tokens: 0,
        output_tokens: 40,
        cost: Cost(1_000_000),
        ..Usage::default()
    };
    Report {
        exit: AgentExit::Code { code },
        claim,
        signals: std::collections::BTreeSet::new(),
        question: None,
        usage,
        duration_ms: 1,
        output_bytes: 0,
        tail: String::new(),
        leftovers: 0,
        conversation: None,
        ran: Vec::new(),
        stated: String::new(),
    }
}

/// Up to the point at which the agent runs, if the run gets there.
fn begin(run: &mut Run, at: Moment) {
    loop {
        match run.step.clone() {
            Step::Baseline => run.after_baseline(Ok(Evidence::default()), BTreeMap::new(), at),
            Step::Select => run.after_select(Selection::prompt(run.task.clone()), at),
            Step::Think(attempt) => run.after_think(attempt.clone(), brief::compose(run, &attempt), at),
            Step::Wait(_, then) if !run.is_paused() => run.after_wait(*then, at),
            Step::Code(..) | Step::Stop(_) | Step::Wait(..) => return,
            Step::Verify(..) | Step::Consolidate(..) | Step::Abandon(..) => panic!("{:?}", run.step),
        }
    }
}

fn judge(policy: &Policy, report: &Report) -> Verdict {
    verdict::judge(&policy.completion, &policy.verification, report, &Evidence::default())
}

/// One attempt from its beginning to where the next could begin.
fn attempt(run: &mut Run, outcome: Result<Report, Fault>, at: Moment) {
    begin(run, at);
    let Step::Code(attempt, _) = run.step.clone() else { panic!("no attempt begins: {:?}", run.step) };
    run.after_code(attempt, outcome, at);
    if let Step::Verify(attempt, report) = run.step.clone() {
        let verdict = judge(&run.policy, &report);
        run.after_verify(attempt, &report, Ok(Judged { verdict, evidence: Evidence::default() }), at);
    }
    if let Step::Consolidate(attempt, verdict) = run.step.clone() {
        run.after_consolidate(attempt, verdict, false, at);
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
    let policy = run.policy.clone();
    assert!(judge(&policy, &report(0, DONE)).is_complete());
    for unclean in [AgentExit::Code { code: 1 }, AgentExit::Signal { signal: 9 }, AgentExit::SilenceTimeout] {
        let judged = judge(&policy, &Report { exit: unclean.clone(), ..report(0, DONE) });
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

fn name(text: &str) -> AgentName {
    AgentName::parse(text).unwrap()
}

/// A run with agents one and two, and a third that a route brings in from an iteration on.
fn crewed(routed_from: Option<u32>, sessions: Sessions) -> Run {
    let member = |text: &str| Member::new(name(text), Vec::new());
    let route = |from: u32| Route {
        when: vec![Condition::Iteration(Span { from, to: None })],
        agent: Some(name("three")),
        model: Some("large".to_owned()),
        effort: None,
    };
    let mut run = start(limits(|limits| limits.max_iterations = NonZeroU32::new(9)));
    run.crew = Crew::new(member("one"), vec![member("two")])
        .with(routed_from.map(route).into_iter().collect(), sessions);
    run
}

/// Who works in the attempt that begins, with which model, and whether its brief speaks of a hand-over.
fn working(run: &mut Run) -> (String, Option<String>, bool) {
    begin(run, now(1));
    let Step::Code(attempt, brief) = &run.step else { panic!("{:?}", run.step) };
    let model = run.crew.at_work().model.clone();
    (attempt.agent.to_string(), model, brief.text.contains("You take over"))
}

fn who(agent: &str, model: Option<&str>, takes_over: bool) -> (String, Option<String>, bool) {
    (agent.to_owned(), model.map(str::to_owned), takes_over)
}

#[test]
fn another_agent_is_taken_from_the_next_iteration_on_and_is_told_so() {
    let mut run = crewed(None, Sessions::Fresh);
    assert_eq!(working(&mut run), who("one", None, false));
    run.apply(ControlNo(1), &Control::SetAgent { agent: name("two") }, now(1));
    run.apply(ControlNo(2), &Control::SetModel { model: "small".to_owned() }, now(1));
    attempt(&mut run, Ok(report(1, NOT_YET)), now(1));
    assert_eq!(working(&mut run), who("one", None, false), "a further attempt is of the same iteration");
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    assert_eq!(working(&mut run), who("two", Some("small"), true));
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    assert_eq!(working(&mut run), who("two", Some("small"), false));
    let changed = |fresh: &&ralph_core::run::Fresh| matches!(fresh.event, Event::AgentChanged { .. });
    assert_eq!(run.fresh.iter().filter(changed).count(), 1);
}

#[test]
fn asking_for_the_same_agent_twice_changes_nothing() {
    let mut run = crewed(None, Sessions::Fresh);
    for (no, expected) in [(1, true), (2, false)] {
        run.apply(ControlNo(no), &Control::SetAgent { agent: name("two") }, now(1));
        let Some(Event::ControlApplied { changed, .. }) = run.fresh.last().map(|fresh| &fresh.event) else {
            panic!("{:?}", run.fresh)
        };
        assert_eq!(*changed, expected, "{no}");
    }
}

#[test]
fn a_stopped_run_takes_up_another_agent_when_it_is_resumed() {
    let mut run = crewed(None, Sessions::Fresh);
    begin(&mut run, now(1));
    let login = AgentExit::Unauthenticated { what: "no key".to_owned(), next: "log in".to_owned() };
    attempt(&mut run, Ok(Report { exit: login, ..report(0, NOT_YET) }), now(1));
    assert_eq!(reason(&run), Some(StopReason::Authentication));
    run.apply(ControlNo(1), &Control::SetAgent { agent: name("two") }, now(2));
    assert_eq!(reason(&run), Some(StopReason::Authentication));
    run.resume(now(3));
    assert_eq!(working(&mut run), who("two", None, true));
    assert_eq!(run.tally.iterations, 1);
}

#[test]
fn with_everyone_limited_a_person_s_choice_ends_the_standstill() {
    let mut run = crewed(None, Sessions::Fresh);
    let far = Timestamp::from_second(now(7_200).at.as_second()).unwrap();
    let limited = || AgentExit::Limited { what: "usage".to_owned(), reset: Some(far) };
    for _ in 0..2 {
        attempt(&mut run, Ok(Report { exit: limited(), ..report(0, NOT_YET) }), now(1));
    }
    assert!(matches!(run.step, Step::Wait(Until::Reset { .. }, _)), "{:?}", run.step);
    run.apply(ControlNo(1), &Control::SetAgent { agent: name("two") }, now(2));
    assert!(matches!(run.step, Step::Wait(Until::Reset { .. }, _)), "it is limited as well");
    run.apply(ControlNo(2), &Control::SetAgent { agent: name("four") }, now(2));
    assert_eq!(working(&mut run), who("four", None, true));
}

#[test]
fn a_route_chooses_from_its_iteration_on_until_a_person_does() {
    let mut run = crewed(Some(2), Sessions::Fresh);
    assert_eq!(working(&mut run), who("one", None, false));
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    assert_eq!(working(&mut run), who("three", Some("large"), true));
    let by = |run: &Run| {
        let chosen = |event: &Event| match event {
            Event::AgentChosen { agent, by, .. } => Some((agent.to_string(), by.clone())),
            _ => None,
        };
        run.fresh.iter().rev().find_map(|fresh| chosen(&fresh.event))
    };
    let route = ChosenBy::Route { number: 1, when: "iteration >=2".to_owned() };
    assert_eq!(by(&run), Some(("three".to_owned(), route)));
    run.apply(ControlNo(1), &Control::SetAgent { agent: name("one") }, now(1));
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    assert_eq!(working(&mut run), who("one", None, true));
    assert_eq!(by(&run), Some(("one".to_owned(), ChosenBy::Person)));
}

#[test]
fn a_task_that_fails_too_often_is_skipped_and_a_skipped_prompt_has_failed() {
    let strategies = [(OnError::Retry, 4), (OnError::Skip, 1), (OnError::Abort, 1)];
    for (on_error, attempts) in strategies {
        let mut run = start(limits(|limits| limits.max_consecutive_failures = NonZeroU32::new(5).unwrap()));
        run.policy.retry.on_error = on_error;
        for _ in 0..attempts {
            assert_eq!(reason(&run), None, "{on_error:?}");
            attempt(&mut run, Ok(report(7, NOT_YET)), now(1));
        }
        let stop = run.stop().unwrap();
        assert_eq!(stop.reason, StopReason::TasksUndone, "{on_error:?}");
        let told = ["task `prompt` was skipped", "exit code 7"];
        assert!(told.iter().all(|told| stop.evidence.contains(told)), "{}", stop.evidence);
        assert!(run.is_skipped(&run.task) && !run.mid_iteration);
    }
}

#[test]
fn failures_in_a_row_end_the_run_before_a_task_is_skipped_for_them() {
    for (most, expected) in [(4, StopReason::ConsecutiveFailures), (5, StopReason::TasksUndone)] {
        let mut run = start(limits(|limits| {
            limits.max_consecutive_failures = NonZeroU32::new(most).unwrap();
        }));
        for _ in 0..4 {
            attempt(&mut run, Ok(report(1, NOT_YET)), now(1));
        }
        assert_eq!(reason(&run), Some(expected), "{most}");
    }
}

fn agenda() -> Agenda {
    let source = Source { tracker: "prd".to_owned(), name: "prd.json".to_owned(), file: None, open: 2 };
    Agenda::new(source, ralph_core::backlog::Filter::default())
}

#[test]
fn a_skipped_task_of_a_backlog_is_followed_by_others_and_never_taken_again() {
    let mut run = start(limits(|_| {}));
    run.policy.retry.on_error = OnError::Skip;
    run.agenda = Some(agenda());
    let other = |id: &str| Task { id: ralph_core::id::TaskId::parse(id).unwrap(), ..Task::prompt("x") };
    run.after_select(Selection::prompt(other("t1")), now(1));
    attempt(&mut run, Ok(report(1, NOT_YET)), now(1));
    assert_eq!((run.step.clone(), run.tally.errors), (Step::Select, 1));
    run.after_select(Selection::prompt(other("t2")), now(1));
    assert_eq!((run.tally.errors, run.tally.on_task), (0, 1));
    attempt(&mut run, Ok(report(0, NOT_YET)), now(1));
    run.after_select(Selection::prompt(other("t1")), now(1));
    assert_eq!(run.step, Step::Select, "another is chosen");
    run.after_select(Selection::Nothing(run.skipped.clone()), now(1));
    assert_eq!(reason(&run), Some(StopReason::TasksUndone));
}

#[test]
fn what_passes_is_tried_again_whatever_the_strategy() {
    let mut run = start(limits(|limits| limits.max_consecutive_failures = NonZeroU32::new(9).unwrap()));
    run.policy.retry.on_error = OnError::Abort;
    for exit in
        [AgentExit::Overloaded { what: "529".to_owned() }, AgentExit::Network { what: "down".to_owned() }]
    {
        attempt(&mut run, Ok(Report { exit, ..report(0, NOT_YET) }), now(1));
        assert_eq!(reason(&run), None);
    }
    attempt(&mut run, Ok(report(1, NOT_YET)), now(1));
    assert_eq!(reason(&run), Some(StopReason::TasksUndone));
}

/// A claim that the checks do not bear out changes neither whose error it was nor what a person said.
#[test]
fn a_claim_of_an_agent_whose_servers_failed_is_judged_and_then_tried_again() {
    let mut run = start(limits(|limits| limits.max_consecutive_failures = NonZeroU32::new(9).unwrap()));
    run.policy.retry.on_error = OnError::Abort;
    run.apply(ControlNo(1), &Control::Steer { text: "mind the tests".to_owned() }, now(0));
    begin(&mut run, now(0));
    let Step::Code(attempt, _) = run.step.clone() else { panic!("{:?}", run.step) };
    let failed = Report { exit: AgentExit::Overloaded { what: "529".to_owned() }, ..report(0, DONE) };
    let verdict = Verdict::Incomplete { findings: vec!["1 failing".to_owned()] };
    let judged = Judged { verdict, evidence: Evidence::default() };
    run.after_verify(attempt, &failed, Ok(judged), now(1));
    assert_eq!((reason(&run), run.tally.failures), (None, 1));
    begin(&mut run, now(2));
    let Step::Code(_, brief) = &run.step else { panic!("{:?}", run.step) };
    assert!(brief.text.contains("mind the tests"), "{}", brief.text);
}

#[test]
fn a_question_that_the_run_was_paused_over_is_the_agent_s_to_decide() {
    let mut run = start(limits(|_| {}));
    run.policy.patience = Patience::For(Duration::from_secs(600));
    begin(&mut run, now(0));
    let Step::Code(attempt, _) = run.step.clone() else { panic!("{:?}", run.step) };
    run.apply(ControlNo(1), &Control::Pause, now(1));
    run.asked = Some("Which port?".to_owned());
    run.after_consolidate(attempt, Verdict::Incomplete { findings: Vec::new() }, true, now(1));
    assert!(run.is_paused(), "{:?}", run.step);
    run.apply(ControlNo(2), &Control::Resume, now(2));
    begin(&mut run, now(2));
    let Step::Code(_, brief) = &run.step else { panic!("{:?}", run.step) };
    assert!(brief.text.contains("> Which port?") && brief.text.contains("Nobody is there"), "{}", brief.text);
}

#[test]
fn a_conversation_is_gone_on_with_until_it_is_gone() {
    let talk = |id: &str| Some(Conversation::new(SessionId::parse(id).unwrap(), Usage::default()));
    let said = |id: &str, code: i32| Report { conversation: talk(id).map(Box::new), ..report(code, NOT_YET) };
    let conversation = |run: &Run| run.crew.at_work().conversation.clone();
    let mut run = crewed(None, Sessions::Continue);
    attempt(&mut run, Ok(said("s1", 0)), now(1));
    assert_eq!(conversation(&run), talk("s1"));
    let gone = AgentExit::SessionGone { what: "no conversation found".to_owned() };
    attempt(&mut run, Ok(Report { exit: gone.clone(), ..report(1, NOT_YET) }), now(1));
    assert_eq!((conversation(&run), run.tally.failures), (None, 0));
    attempt(&mut run, Ok(Report { exit: gone, ..report(1, NOT_YET) }), now(1));
    assert_eq!(run.tally.failures, 1, "there was nothing to go on with, so it failed");
    attempt(&mut run, Ok(said("s2", 1)), now(1));
    assert_eq!(conversation(&run), talk("s2"), "the first failure may go on");
    attempt(&mut run, Ok(said("s2", 0)), now(1));
    attempt(&mut run, Ok(said("s2", 1)), now(1));
    assert_eq!(conversation(&run), None, "going on failed");
    let mut fresh = crewed(None, Sessions::Fresh);
    attempt(&mut fresh, Ok(said("s1", 0)), now(1));
    assert_eq!(conversation(&fresh), None);
}

#[test]
fn a_run_that_was_stored_before_there_were_choices_is_read_as_one_without() {
    let run = crewed(None, Sessions::Fresh);
    let mut stored = serde_json::to_value(&run).unwrap();
    let newer = [
        ("/crew", &["guests", "lead", "asked", "routes", "sessions"][..]),
        ("/crew/members/0", &["conversation"]),
        ("/crew/members/1", &["conversation"]),
        ("/tally", &["on_task", "errors"]),
        ("/task", &["labels", "priority"]),
        ("/policy/retry", &["on_error", "max_retries"]),
        ("", &["skipped"]),
    ];
    for (place, keys) in newer {
        let object = stored.pointer_mut(place).unwrap().as_object_mut().unwrap();
        for key in keys {
            assert!(object.remove(*key).is_some(), "{place} has no {key}");
        }
    }
    assert_eq!(serde_json::from_value::<Run>(stored).unwrap(), Run { fresh: Vec::new(), ..run });
}
