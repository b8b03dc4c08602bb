//! What cannot both be true, and what can.

use ralph_core::note::{Citation, Draft, Kind, Observation, TerminalSnapshot};
use ralph_memory::{alike, contradict};

use super::draft;
use super::pairs::{COMPATIBLE, CONTRADICTIONS, DIFFERENT, SAME};

#[test]
fn what_cannot_both_be_true_is_found_without_a_model() {
    let missed: Vec<_> = CONTRADICTIONS
        .iter()
        .filter(|(one, other, ground)| {
            let found = |a: &str, b: &str| contradict(&draft(a), &draft(b)).map(|conflict| conflict.ground);
            found(one, other) != Some(*ground) || found(other, one) != Some(*ground)
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_can_both_be_true_is_let_stand() {
    let found: Vec<_> = COMPATIBLE
        .iter()
        .flat_map(|(one, other)| [(one, other), (other, one)])
        .filter_map(|(one, other)| Some((one, other, contradict(&draft(one), &draft(other))?)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn nothing_contradicts_itself() {
    for text in CONTRADICTIONS.iter().flat_map(|(one, other, _)| [one, other]) {
        assert_eq!(contradict(&draft(text), &draft(text)), None, "{text}");
    }
}

#[test]
fn what_a_terminal_showed_denies_nothing() {
    let terminal = TerminalSnapshot { command: "make".into(), exit_code: Some(1), text: String::new() };
    let gotcha = Kind::Gotcha { triggers: Vec::new(), terminal: Some(terminal) };
    let record = Draft::new(gotcha, "The server's port is 8080");
    assert_eq!(contradict(&record, &draft("The server's port is 3000")), None);
}

#[test]
fn what_says_the_same_in_other_words_is_alike_and_what_differs_in_a_name_is_not() {
    for (one, other) in SAME {
        assert!(alike(&draft(one), &draft(other)) && alike(&draft(other), &draft(one)), "{one} / {other}");
    }
    for (one, other) in DIFFERENT {
        assert!(!alike(&draft(one), &draft(other)) && !alike(&draft(other), &draft(one)), "{one} / {other}");
    }
    for (one, other, _) in CONTRADICTIONS {
        assert!(!alike(&draft(one), &draft(other)), "{one} / {other}");
    }
}

#[test]
fn failures_are_alike_by_their_fingerprints() {
    let failure = |approach: &str, diff: &str| {
        let kind = Kind::Failure {
            approach: approach.to_owned(),
            diff: Some(diff.to_owned()),
            errors: vec!["e1".to_owned()],
        };
        Draft::new(kind, approach)
    };
    assert!(alike(&failure("rewrote the lexer", "d1"), &failure("another word for it", "d1")));
    assert!(!alike(
        &failure("rewrote the lexer by hand", "d1"),
        &failure("rewrote the lexer by hand again", "d2")
    ));
    let mut command = Draft::new(
        Kind::Observation(Observation::Command { command: "make db".into() }),
        "`make db` creates the tables",
    );
    command.citations.push(Citation::Other { text: "seen".into() });
    assert!(!alike(&failure("make db creates the tables", "d1"), &command));
}
