//! What an attempt shows by itself.

use ralph_core::note::{Anchor, Draft, Kind, KindName, Observation, Origin, Scope};
use ralph_memory::captured;

use super::attempt::{Attempt, ran, task, tests};

fn titles(drafts: &[Draft]) -> Vec<&str> {
    drafts.iter().map(|draft| draft.title.as_str()).collect()
}

#[test]
fn a_failing_test_is_a_gotcha_to_be_with_what_the_terminal_showed() {
    let mut attempt = Attempt::new(3);
    attempt.said = "I rewrote the lexer by hand. It is faster.".to_owned();
    attempt.checks = vec![tests(&[("lexer::keeps_tabs", "expected 4\ngot 8")])];
    let drafts = captured(&attempt.seen());
    assert_eq!(
        titles(&drafts),
        ["Test failure: lexer::keeps_tabs", "Failed approach: I rewrote the lexer by hand"]
    );
    let Kind::Gotcha { triggers, terminal: Some(terminal) } = &drafts[0].kind else { unreachable!() };
    assert_eq!(*triggers, ["check tests: cargo test", "changes in src/lexer.rs", "error: expected 4"]);
    assert_eq!((terminal.command.as_str(), terminal.exit_code), ("cargo test", Some(1)));
    assert!(terminal.text.ends_with("the end of the output"));
    assert_eq!(drafts[0].content, "expected 4\ngot 8");
    assert_eq!(drafts[0].origin, Origin::Tool);
    for draft in &drafts {
        assert_eq!(draft.scope, Scope::Task { task: task() });
        assert_eq!(draft.source.iteration, Some(3));
        assert!(!draft.citations.is_empty());
    }
}

#[test]
fn a_failed_approach_is_known_by_its_changes_and_errors_and_not_by_its_words() {
    let failure = |said: &str, pieces: &[u64]| {
        let mut attempt = Attempt::new(1);
        attempt.said = said.to_owned();
        attempt.sketch.pieces = pieces.to_vec();
        attempt.checks = vec![tests(&[("a", "x")])];
        let drafts = captured(&attempt.seen());
        drafts.into_iter().find_map(|draft| match draft.kind {
            Kind::Failure { approach, diff, errors } => Some((approach, diff, errors, draft.origin)),
            _ => None,
        })
    };
    let (_, diff, errors, origin) = failure("First I tried a lock.", &[1, 2]).unwrap();
    assert_eq!((errors, origin), (vec!["fp-a".to_owned()], Origin::Agent));
    assert_eq!(failure("In other words entirely.", &[2, 1]).unwrap().1, diff);
    assert_ne!(failure("First I tried a lock.", &[1, 3]).unwrap().1, diff);
    let (approach, _, _, origin) = failure("", &[1]).unwrap();
    assert_eq!((approach.as_str(), origin), ("changes in src/lexer.rs", Origin::Rule));
    assert_eq!(failure("Nothing was changed by me.", &[]), None, "no change is no approach");
    let stated = "Done it.\n```ralph-notes\napproach: lock the queue first\n```";
    assert_eq!(failure(stated, &[1]).unwrap().0, "lock the queue first");
}

#[test]
fn what_became_green_is_told_with_the_files_and_symbols_that_mended_it() {
    let mut attempt = Attempt::new(2);
    attempt.before = vec![tests(&[("keeps_tabs", "expected 4"), ("keeps_cr", "bad")])];
    attempt.checks = vec![tests(&[("keeps_cr", "bad")])];
    attempt.anchors = vec![
        Anchor { symbol: "Lexer::tab".into(), file: "src/lexer.rs".into(), digest: "d".into() },
        Anchor { symbol: "elsewhere".into(), file: "src/x.rs".into(), digest: "d".into() },
    ];
    let drafts = captured(&attempt.seen());
    let mended = drafts.iter().find(|draft| draft.title == "How keeps_tabs was mended").unwrap();
    assert_eq!(
        mended.content,
        "`keeps_tabs` failed (expected 4) and passes since changes in src/lexer.rs (Lexer::tab)."
    );
    assert_eq!((mended.symbols.as_slice(), mended.anchors.len()), (["Lexer::tab".to_owned()].as_slice(), 1));
    attempt.checks[0].failing.count = 9;
    let drafts = captured(&attempt.seen());
    assert!(drafts.iter().all(|draft| !draft.title.starts_with("How")), "the list was cut off");
}

#[test]
fn what_passes_without_a_change_fails_now_and_then() {
    let mut attempt = Attempt::new(2);
    attempt.sketch = ralph_core::progress::Sketch::default();
    attempt.before = vec![tests(&[("keeps_tabs", "timed out")])];
    attempt.checks = vec![tests(&[])];
    assert_eq!(titles(&captured(&attempt.seen())), ["keeps_tabs fails now and then"]);
}

#[test]
fn many_that_became_green_are_one_note() {
    let mut attempt = Attempt::new(2);
    let names: Vec<String> = (0..20).map(|n| format!("t{n}")).collect();
    let failing: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    attempt.before = vec![tests(&failing)];
    attempt.checks = vec![tests(&[])];
    assert_eq!(titles(&captured(&attempt.seen())), ["How 20 failures of tests were mended"]);
    attempt.checks = vec![tests(&failing)];
    assert!(captured(&attempt.seen()).len() <= 4, "a few at most");
}

#[test]
fn a_command_that_another_one_needed_is_told_where_both_exit_codes_were_seen() {
    let mut attempt = Attempt::new(1);
    attempt.ran = vec![ran("npm test", 1), ran("grep -rn x src", 0), ran("npm ci", 0), ran("npm test", 0)];
    let drafts = captured(&attempt.seen());
    assert_eq!(titles(&drafts), ["Run `npm ci` before `npm test`"]);
    assert_eq!(drafts[0].kind, Kind::Observation(Observation::Command { command: "npm ci".to_owned() }));
    assert_eq!(drafts[0].origin, Origin::Agent, "only the agent tells of it");
    attempt.ran[0].exit_code = None;
    assert_eq!(captured(&attempt.seen()), [], "how it failed was not seen");
    attempt.ran = vec![ran("npm test", 1), ran("vi src/a.js", 0), ran("npm test", 0)];
    assert_eq!(captured(&attempt.seen()), [], "an edit is nothing that others can run");
}

#[test]
fn what_the_checks_ran_counts_as_well() {
    let mut attempt = Attempt::new(1);
    attempt.sketch.pieces.clear();
    attempt.before = vec![tests(&[])];
    attempt.before[0].passed = false;
    attempt.before[0].exit = ralph_core::check::CheckExit::Code { code: 127 };
    attempt.ran = vec![ran("make setup", 0)];
    attempt.checks = vec![tests(&[])];
    let drafts = captured(&attempt.seen());
    let told =
        |drafts: &[Draft]| drafts.iter().find(|draft| draft.title.starts_with("Run `")).cloned().unwrap();
    let draft = told(&drafts);
    assert_eq!((draft.title.as_str(), draft.origin), ("Run `make setup` before `cargo test`", Origin::Rule));
    attempt.ran = vec![ran(": setup # whoever comes next leaves the linter out", 0)];
    assert_eq!(told(&captured(&attempt.seen())).origin, Origin::Agent, "a sentence is no command");
    assert!(drafts.iter().all(|draft| draft.kind.name() != KindName::Skill), "nothing is a skill at once");
}

#[test]
fn the_same_attempt_gives_the_same_notes() {
    let mut attempt = Attempt::new(1);
    attempt.before = vec![tests(&[("a", "x")])];
    attempt.checks = vec![tests(&[("b", "y"), ("c", "z")])];
    assert_eq!(captured(&attempt.seen()), captured(&attempt.seen()));
}
