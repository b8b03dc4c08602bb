use super::{Account, Moved};
use crate::Timestamp;
use crate::event::{Entry, Event};
use crate::stop::StopReason;

/// A journal as its lines are documented, without what every line has.
fn journal(lines: &[&str]) -> Vec<Entry> {
    let started = include_str!("../../../../docs/events.md");
    let started = started.lines().find(|line| line.contains(r#""type":"run_started""#)).expect("an example");
    let started: Event = serde_json::from_str(started).expect("an event");
    let rest =
        lines.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")));
    let numbered = std::iter::once(started).chain(rest).enumerate();
    numbered.map(|(n, event)| Entry { seq: n as u64 + 1, at: Timestamp::UNIX_EPOCH, event }).collect()
}

fn checks(failing: &[&str]) -> String {
    let failures: Vec<String> = failing
        .iter()
        .map(|name| format!(r#"{{"fingerprint":"{name}","title":"test {name}","message":""}}"#))
        .collect();
    let (code, failed, passed) = (i32::from(!failing.is_empty()), failing.len(), failing.is_empty());
    format!(
        r#"[{{"name":"test_pass","criterion":"test_pass","command":"sh t","exit":{{"kind":"code","code":{code}}},
        "passed":{passed},"counts":{{"passed":1,"failed":{failed},"skipped":0}},"failures":[{}],
        "failing":{{"count":{failed},"digest":"{}"}},"duration_ms":3,"tail":""}}]"#,
        failures.join(","),
        failing.concat()
    )
}

fn checked(iteration: u32, failing: &[&str]) -> String {
    format!(
        r#"{{"type":"checked","iteration":{iteration},"attempt":1,"checks":{},"judgement":null,"tampering":[]}}"#,
        checks(failing)
    )
}

fn started(iteration: u32) -> String {
    format!(r#"{{"type":"iteration_started","iteration":{iteration},"max_iterations":9,"task":"prompt"}}"#)
}

#[test]
fn failures_come_stay_and_go_from_one_iteration_to_the_next() {
    let baseline = format!(r#"{{"type":"baseline","checks":{}}}"#, checks(&["a", "b"]));
    let lines = [baseline, started(1), checked(1, &["b", "c"]), started(2), checked(2, &["c"])];
    let account = Account::of(&journal(&lines.each_ref().map(String::as_str))).expect("a journal");
    let names = |failures: &[crate::check::Failure]| -> String {
        failures.iter().map(|failure| failure.fingerprint.as_str()).collect()
    };
    let moves = account.iterations.iter().map(|pass| {
        let check = &pass.checks[0];
        (names(&check.came), names(&check.stayed), names(&check.went), check.failing_before)
    });
    let expected = [("c", "b", "a", Some(2)), ("", "c", "b", Some(2))];
    assert_eq!(
        moves.collect::<Vec<_>>(),
        expected.map(|(came, stayed, went, before)| (
            came.to_owned(),
            stayed.to_owned(),
            went.to_owned(),
            before
        ))
    );
    assert_eq!(account.failing(), [(0, 2), (1, 2), (2, 1)]);
}

#[test]
fn a_run_that_is_resumed_has_no_reason_to_have_stopped() {
    let stopped = r#"{"type":"run_stopped","stop_reason":"stopped","detail":"stopped","status":"stopped","exit_code":130,"evidence":"asked to stop"}"#;
    let account = Account::of(&journal(&[stopped])).expect("a journal");
    assert_eq!(account.stopped.map(|stopped| stopped.detail), Some(StopReason::Stopped));
    let account = Account::of(&journal(&[stopped, r#"{"type":"run_resumed"}"#])).expect("a journal");
    assert_eq!(account.stopped, None);
}

#[test]
fn a_journal_of_an_earlier_version_says_less_and_is_read_all_the_same() {
    let progress =
        r#"{"type":"progress","iteration":1,"failing":1,"files":2,"unchanged":0,"repeats":1,"again":1}"#;
    let account = Account::of(&journal(&[&started(1), progress])).expect("a journal");
    let moved = Moved { files: 2, unchanged: 0, repeats: 1, again: Some(1), alike: None };
    assert_eq!(account.iterations[0].movement, Some(moved));
}
