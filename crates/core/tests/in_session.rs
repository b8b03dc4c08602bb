//! What a loop inside a session makes of what its host tells: each turn counts once, and only its own.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::agenda::Selection;
use ralph_core::brief;
use ralph_core::check::Verification;
use ralph_core::control::{Control, ControlNo};
use ralph_core::crew::{Crew, Member};
use ralph_core::event::Event;
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::in_session::{InSession, Listed, RECOVERY, Strategy, Turn, TurnEnding};
use ralph_core::machine::{Heard, Judged, Why};
use ralph_core::moment::Moment;
use ralph_core::policy::{
    Completion, Deadlines, Kind, Limits, OnFailure, Patience, Policy, Promise, Retry, Signal,
};
use ralph_core::promise::Word;
use ralph_core::report::AgentExit;
use ralph_core::run::{Request, Run, Step, Until};
use ralph_core::sandbox::Sandbox;
use ralph_core::stop::StopReason;
use ralph_core::task::Task;
use ralph_core::verdict::{self, Evidence};

fn at(seconds: i64) -> Moment {
    Moment { at: Timestamp::from_second(1_700_000_000 + seconds).unwrap(), running: Duration::ZERO }
}

/// A loop whose agent was given its first brief.
fn started() -> Run {
    let mut run = recorded();
    to_the_brief(&mut run, 0);
    run.briefed(at(0));
    run
}

/// A loop that no host has told anything of yet.
fn recorded() -> Run {
    let host = AgentName::parse("opencode").unwrap();
    let word = Word::parse("DONE").unwrap();
    let place = InSession::new(host.clone(), SessionId::parse("ses_1").unwrap());
    let request = Request {
        id: RunId::new(at(0).at, 7),
        task: Task::prompt("fix it"),
        agenda: None,
        template: None,
        in_session: Some(place),
        policy: Policy {
            limits: Limits::defaults(Kind::InSession { criteria: false }),
            completion: Completion::by_promise(Promise { word, nonce: true }),
            verification: Verification::default(),
            deadlines: Deadlines::default(),
            retry: Retry::default(),
            patience: Patience::For(Duration::ZERO),
            sandbox: Sandbox::default(),
            on_failure: OnFailure::Keep,
        },
        crew: Crew::new(Member::new(host, Vec::new()), Vec::new()),
        seed: 7,
        version: "0".to_owned(),
        forked_from: None,
    };
    let mut run = Run::start(request, at(0));
    if run.step == Step::Select {
        run.after_select(Selection::prompt(run.task.clone()), at(0));
    }
    assert!(matches!(run.step, Step::Think(_)));
    run
}

/// Performs what needs nobody: judges by the promise, and comes to the next brief or to the end.
fn to_the_brief(run: &mut Run, seconds: i64) {
    let now = Moment { running: run.tally.running, ..at(seconds) };
    loop {
        match run.step.clone() {
            Step::Select => run.after_select(Selection::prompt(run.task.clone()), now),
            Step::Think(attempt) => {
                let brief = brief::compose(run, &attempt);
                run.after_think(attempt, brief, now);
            }
            Step::Verify(attempt, report) => {
                let evidence = Evidence::default();
                let policy = &run.policy;
                let verdict = verdict::judge(&policy.completion, &policy.verification, &report, &evidence);
                run.after_verify(attempt, &report, Ok(Judged { verdict, evidence }), now);
            }
            Step::Consolidate(attempt, verdict) => run.after_consolidate(attempt, verdict, false, now),
            Step::Wait(Until::Time { .. }, then) => run.after_wait(*then, now),
            Step::Abandon(_, stop) => run.after_abandon(&stop, now),
            Step::Baseline => run.after_baseline(Ok(Evidence::default()), BTreeMap::new(), now),
            Step::Code(..) | Step::Stop(_) | Step::Wait(..) => return,
        }
    }
}

fn turn(id: &str, text: &str) -> Turn {
    Turn { message: Some(id.to_owned()), text: text.to_owned(), tools: 1, ..Turn::default() }
}

/// A turn that ends, is judged, and is followed by the next brief.
fn hears(run: &mut Run, turn: &Turn, seconds: i64) -> Heard {
    let heard = run.hear(turn, at(seconds));
    if heard == Heard::Taken {
        to_the_brief(run, seconds);
        run.briefed(at(seconds));
    }
    heard
}

fn promise(run: &Run) -> String {
    match &run.step {
        Step::Code(attempt, _) => format!("<promise>{}</promise>", attempt.promise),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_second_idle_for_the_same_message_counts_for_nothing() {
    let mut run = started();
    assert_eq!(hears(&mut run, &turn("m1", "working"), 1), Heard::Taken);
    assert_eq!(run.tally.iterations, 2);
    let before = run.clone();
    for seconds in [1, 2, 60] {
        assert_eq!(hears(&mut run, &turn("m1", "working"), seconds), Heard::Nothing(Why::Known));
        assert_eq!(run, before);
    }
    assert_eq!(hears(&mut run, &Turn::default(), 3), Heard::Nothing(Why::Known));
    assert_eq!(hears(&mut run, &turn("m2", "still"), 61), Heard::Taken);
    assert_eq!(run.tally.iterations, 3);
}

#[test]
fn the_promise_of_the_present_brief_completes_and_an_earlier_one_does_not() {
    let mut run = started();
    let stale = promise(&run);
    hears(&mut run, &turn("m1", "not yet"), 1);
    hears(&mut run, &turn("m2", &stale), 2);
    assert_eq!((run.stop(), run.tally.iterations), (None, 3));
    let text = promise(&run);
    hears(&mut run, &turn("m3", &text), 3);
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::Completed));
    assert_eq!(hears(&mut run, &turn("m4", "more"), 4), Heard::Nothing(Why::Ended));
}

#[test]
fn an_abort_ends_the_loop_for_good_and_leaves_the_tree() {
    let aborted = Turn { ending: TurnEnding::Aborted, ..turn("m1", "") };
    let mut run = started();
    run.begun_from = Some("snapshot".to_owned());
    assert_eq!(run.hear(&aborted, at(1)), Heard::Taken);
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::Aborted));
    assert_eq!((run.owed.clone(), run.is_unfinished()), (None, false));
    let mut told = started();
    told.abort_session("cancelled", at(1));
    assert_eq!(told.stop().map(|stop| stop.reason), Some(StopReason::Aborted));
    let ends = told.fresh.iter().filter(|fresh| matches!(fresh.event, Event::RunStopped { .. })).count();
    told.abort_session("cancelled", at(2));
    assert_eq!((ends, told.fresh.len()), (1, told.fresh.len()));
}

#[test]
fn an_abort_ends_a_loop_that_nobody_was_told_of() {
    let aborted = Turn { ending: TurnEnding::Aborted, ..turn("m1", "") };
    let mut run = recorded();
    assert_eq!(run.hear(&aborted, at(1)), Heard::Taken);
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::Aborted));
    let mut paused = started();
    paused.let_go("the checks took too long", at(1));
    assert_eq!(paused.hear(&aborted, at(2)), Heard::Behind);
    assert!(paused.is_paused());
}

#[test]
fn after_an_error_the_session_is_left_alone_for_a_while_and_then_tried_again() {
    let mut run = started();
    run.stumble("APIError: overloaded", None, at(10));
    let failed = Turn { ending: TurnEnding::Failed { what: "APIError".to_owned() }, ..turn("m1", "") };
    let within = i64::try_from(RECOVERY.as_secs()).unwrap() - 1;
    assert_eq!(hears(&mut run, &failed, 10 + within), Heard::Nothing(Why::Recovering));
    assert_eq!(hears(&mut run, &failed, 15), Heard::Taken);
    assert_eq!((run.tally.iterations, run.tally.attempts, run.tally.failures), (1, 2, 1));
    assert_eq!(hears(&mut run, &failed, 16), Heard::Nothing(Why::Known));
    assert_eq!(hears(&mut run, &turn("m2", "on it"), 17), Heard::Taken);
    assert_eq!((run.tally.iterations, run.tally.failures), (2, 0));
}

#[test]
fn an_error_that_leaves_no_message_is_a_failed_attempt_as_well() {
    let mut run = started();
    hears(&mut run, &turn("m1", "one"), 1);
    run.stumble("the model does not exist", None, at(2));
    assert_eq!(hears(&mut run, &turn("m1", "one"), 8), Heard::Taken);
    assert_eq!((run.tally.iterations, run.tally.attempts), (2, 2));
    for seconds in 9..20 {
        run.stumble("the model does not exist", None, at(seconds * 10));
        hears(&mut run, &turn("m1", "one"), seconds * 10 + 6);
    }
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::TasksUndone));
}

#[test]
fn whoever_recovers_alone_has_failed_at_nothing() {
    let mut run = started();
    run.stumble("a passing error", None, at(1));
    assert_eq!(hears(&mut run, &turn("m1", "did it all the same"), 7), Heard::Taken);
    assert_eq!((run.tally.iterations, run.tally.failures), (2, 0));
}

#[test]
fn a_turn_in_which_something_else_was_asked_counts_all_the_same() {
    let mut run = started();
    run.asked_aside();
    assert_eq!(hears(&mut run, &turn("m1", "the status is fine"), 1), Heard::Taken);
    assert_eq!(run.tally.iterations, 2);
    run.asked_aside();
    let text = format!("the status is fine\n\n{}", promise(&run));
    hears(&mut run, &turn("m2", &text), 2);
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::Completed));
    // Whoever asks again and again hears the same again and again.
    let mut run = started();
    for n in 1..=6 {
        run.asked_aside();
        hears(&mut run, &Turn { tools: 0, ..turn(&format!("m{n}"), "the status is fine") }, n);
    }
    assert_eq!(run.stop(), None);
}

#[test]
fn a_promise_in_a_message_that_was_broken_off_is_none() {
    let mut run = started();
    let text = promise(&run);
    hears(&mut run, &Turn { is_broken_off: true, ..turn("m1", &text) }, 1);
    assert_eq!((run.stop(), run.tally.iterations), (None, 2));
}

#[test]
fn a_list_counts_only_for_the_turn_that_worked_it_off() {
    let list =
        |digest: &str, is_done, is_written| Some(Listed { digest: digest.to_owned(), is_done, is_written });
    let ended = |lists: &[Option<Listed>]| {
        let mut run = started();
        run.policy.completion.require = [Signal::Todo].into();
        for (n, list) in lists.iter().enumerate() {
            hears(&mut run, &Turn { list: list.clone(), ..turn(&format!("m{n}"), "x") }, 1);
        }
        run.stop().is_some()
    };
    // Done before the loop began, or before this attempt.
    assert!(!ended(&[list("a", true, false)]));
    assert!(!ended(&[list("a", true, false), list("a", true, false)]));
    assert!(!ended(&[list("a", false, true)]));
    assert!(ended(&[list("a", true, true)]));
    assert!(ended(&[list("a", false, false), list("b", true, false)]));
    assert!(!ended(&[None]));
}

#[test]
fn what_is_asked_of_a_loop_takes_effect_at_once_except_that_a_turn_counts_before_a_pause() {
    let asked = |run: &mut Run, control| {
        run.apply(ControlNo(run.controls_seen.0 + 1), &control, at(1));
        run.heed(at(1));
    };
    for (control, reason) in [(Control::Stop, StopReason::Stopped), (Control::Abort, StopReason::Aborted)] {
        let mut run = started();
        asked(&mut run, control);
        assert_eq!(run.stop().map(|stop| stop.reason), Some(reason));
    }
    let mut run = started();
    asked(&mut run, Control::Pause);
    assert!(!run.is_paused());
    assert_eq!(hears(&mut run, &turn("m1", "one"), 2), Heard::Taken);
    assert_eq!((run.is_paused(), run.tally.iterations), (true, 1));
    let mut run = started();
    run.untold();
    asked(&mut run, Control::Pause);
    assert!(run.is_paused());
    asked(&mut run, Control::Resume);
    assert_eq!(run.hear(&turn("m1", "one"), at(3)), Heard::Unbriefed);
    let thinks = recorded();
    let checks_first = Run { step: Step::Baseline, ..recorded() };
    for mut run in [thinks, checks_first] {
        let step = run.step.clone();
        asked(&mut run, Control::Pause);
        assert!(run.is_paused(), "{step:?}");
        asked(&mut run, Control::Resume);
        assert_eq!(run.step, step);
    }
}

#[test]
fn a_limit_is_waited_for_and_a_missing_login_ends_the_loop() {
    let limited = AgentExit::Limited { what: "slow down".to_owned(), reset: Some(at(60).at) };
    let mut run = started();
    run.stumble("slow down", Some(&limited), at(1));
    // The error left no message, or one that says less.
    let failed = Turn { ending: TurnEnding::Failed { what: "APIError".to_owned() }, ..turn("m1", "") };
    assert_eq!(run.hear(&failed, at(7)), Heard::Taken);
    assert!(matches!(run.step, Step::Wait(..)), "{:?}", run.step);
    assert_eq!((run.tally.failures, run.tally.limits), (0, 1));
    let exit = AgentExit::Unauthenticated { what: "who".to_owned(), next: "log in".to_owned() };
    let mut run = started();
    run.hear(&Turn { ending: TurnEnding::Recognised { exit }, ..turn("m1", "") }, at(1));
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::Authentication));
}

#[test]
fn the_same_answer_without_a_tool_is_sent_back_three_times() {
    let idle = |n: u32| Turn { tools: 0, ..turn(&format!("m{n}"), "I am done.") };
    let mut run = started();
    for n in 1..=3 {
        assert_eq!(hears(&mut run, &idle(n), n.into()), Heard::Taken);
        assert_eq!(run.stop(), None, "{n}");
    }
    hears(&mut run, &idle(4), 4);
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::NoProgress));
    for other in [turn("x", "I am done."), Turn { tools: 0, ..turn("x", "Something else.") }] {
        let mut run = started();
        for n in 1..=3 {
            hears(&mut run, &idle(n), n.into());
        }
        hears(&mut run, &other, 5);
        assert_eq!(run.stop(), None);
    }
}

#[test]
fn whatever_is_required_the_same_answer_is_sent_back_three_times() {
    let idle = |n: u32| Turn { tools: 0, ..turn(&format!("m{n}"), "I am done.") };
    for require in [&[Signal::Tool][..], &[Signal::Criteria], &[Signal::Criteria, Signal::Tool]] {
        let mut run = started();
        run.policy.completion.require = require.iter().copied().collect();
        for n in 1..=3 {
            hears(&mut run, &idle(n), n.into());
            assert_eq!(run.stop(), None, "{require:?} {n}");
        }
        hears(&mut run, &idle(4), 4);
        assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::NoProgress), "{require:?}");
    }
    // Whoever claims what is asked for is judged by what it claims.
    let mut run = started();
    run.policy.completion.require = BTreeSet::from([Signal::Criteria, Signal::Tool]);
    for n in 1..=6 {
        hears(&mut run, &Turn { signals: vec![Signal::Tool], ..idle(n) }, n.into());
    }
    assert_eq!(run.stop(), None);
}

#[test]
fn while_a_session_is_being_replaced_nothing_counts_and_then_the_new_one_does() {
    let mut run = started();
    run.in_session.as_mut().unwrap().strategy = Strategy::Compact;
    hears(&mut run, &turn("m1", "one"), 1);
    assert_eq!(hears(&mut run, &turn("summary", "in short"), 2), Heard::Nothing(Why::Replacing));
    run.moved_to(SessionId::parse("ses_2").unwrap(), at(3));
    assert_eq!(hears(&mut run, &turn("m1", "the ids of another session"), 4), Heard::Taken);
    assert_eq!(run.tally.iterations, 3);
    // A host that never comes back from it does not hold the loop for ever.
    assert_eq!(hears(&mut run, &turn("m9", "x"), 5), Heard::Nothing(Why::Replacing));
    assert_eq!(hears(&mut run, &turn("m9", "x"), 400), Heard::Taken);
}

#[test]
fn a_brief_that_did_not_arrive_is_a_failed_attempt() {
    let mut run = started();
    hears(&mut run, &turn("m1", "one"), 1);
    run.undelivered("no such session", at(2));
    to_the_brief(&mut run, 3);
    assert_eq!((run.tally.iterations, run.tally.attempts, run.tally.failures), (2, 2, 1));
}

#[test]
fn what_the_host_saw_counts_where_it_is_required() {
    for signal in [Signal::Tool, Signal::Todo] {
        let mut run = started();
        run.policy.completion.require = [signal].into();
        hears(&mut run, &turn("m1", "no signal"), 1);
        assert_eq!(run.stop(), None);
        hears(&mut run, &Turn { signals: vec![signal], ..turn("m2", "signal") }, 2);
        assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::Completed));
    }
}

#[test]
fn a_loop_that_is_let_go_stands_still() {
    let mut run = started();
    run.let_go("the checks took too long", at(1));
    assert!(run.is_paused());
    assert_eq!(run.hear(&turn("m1", "x"), at(2)), Heard::Behind);
    assert!(run.is_paused());
}

#[test]
fn the_time_of_the_turns_is_the_time_of_the_loop() {
    let mut run = started();
    let long = Turn { duration: Duration::from_secs(8 * 3600), ..turn("m1", "slow") };
    hears(&mut run, &long, 1);
    assert_eq!(run.stop().map(|stop| stop.reason), Some(StopReason::MaxDuration));
}

#[test]
fn what_is_said_by_a_tool_counts_and_goes_before_what_the_last_words_ask() {
    let mut run = started();
    run.policy.completion.require = BTreeSet::from([Signal::Tool]);
    let asked = Turn { question: Some("Which port?".to_owned()), ..turn("m1", "I wait.") };
    run.hear(&asked, at(1));
    let Step::Verify(_, report) = &run.step else { panic!("{:?}", run.step) };
    assert_eq!(report.question.as_deref(), Some("Which port?"));
    let mut run = started();
    run.policy.completion.require = BTreeSet::from([Signal::Tool]);
    let signals = vec![Signal::Tool];
    let said = Turn { signals, summary: Some("made".to_owned()), ..turn("m1", "Shall I go on?") };
    run.hear(&said, at(1));
    let Step::Verify(_, report) = &run.step else { panic!("{:?}", run.step) };
    assert_eq!((report.question.as_deref(), report.signals.contains(&Signal::Tool)), (None, true));
    let is_noted =
        |event: &Event| matches!(event, Event::Notice { text } if text.ends_with("`task_complete`: made"));
    assert!(run.fresh.iter().any(|fresh| is_noted(&fresh.event)));
}

#[test]
fn a_loop_without_a_host_falls_to_the_one_that_presents_it_and_to_no_other() {
    let mut run = recorded();
    let [unknown, claude, codex] = ["unknown", "claude", "codex"].map(|name| AgentName::parse(name).unwrap());
    run.in_session.as_mut().unwrap().host = None;
    run.crew = Crew::new(Member::new(unknown, Vec::new()), Vec::new());
    run.let_go("paused before anybody came", at(1));
    run.presented_by(&claude, at(2));
    run.presented_by(&codex, at(3));
    assert_eq!(run.in_session.as_ref().unwrap().host.as_ref(), Some(&claude));
    assert_eq!(run.crew.at_work().agent, claude);
    let Step::Wait(Until::Told, then) = &run.step else { panic!("{:?}", run.step) };
    assert!(matches!(&**then, Step::Think(attempt) if attempt.agent == claude));
    let told = run.fresh.iter().filter(|fresh| matches!(fresh.event, Event::SessionPresented { .. }));
    assert_eq!(told.count(), 1);
}

#[test]
fn a_run_that_was_stored_with_its_host_still_reads() {
    let place = recorded().in_session.unwrap();
    let stored = serde_json::json!({ "host": "opencode", "session": "ses_1" });
    assert_eq!(serde_json::from_value::<InSession>(stored).unwrap(), place);
}
