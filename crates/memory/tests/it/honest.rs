//! What checks show, and what they do not: a note is only as good as what was seen to hold when it was put down.

use ralph_core::note::{Anchor, Note, Scope, Use};
use ralph_core::redact::Redactor;
use ralph_memory::{Done, consolidate, credit, uplift};
use ralph_store::Notes as _;
use ralph_store::conformance::wait;

use super::attempt::{Attempt, task, tests};
use super::{Memory, draft};

fn anchor(symbol: &str, digest: &str) -> Anchor {
    Anchor { symbol: symbol.into(), file: "src/lexer.rs".into(), digest: digest.into() }
}

fn says(iteration: u32, notes: &str) -> Attempt {
    let mut attempt = Attempt::new(iteration);
    attempt.said = format!("Done.\n```ralph-notes\n{notes}\n```");
    attempt.before = vec![tests(&[("keeps_tabs", "expected 4")])];
    attempt.checks = vec![tests(&[])];
    attempt
}

impl Memory {
    fn told(&self, content: &str) -> Note {
        self.staged().into_iter().find(|note| note.said.content == content).expect(content)
    }
}

#[test]
fn checks_that_were_bent_verify_nothing_and_mend_nothing() {
    let memory = Memory::new();
    let mut attempt = says(1, "pattern: the test script always ends well");
    attempt.bent = true;
    memory.learn(&attempt);
    let notes = memory.staged();
    assert!(notes.iter().all(|note| !note.verified), "{notes:#?}");
    assert!(notes.iter().all(|note| !note.said.title.contains("was mended")), "{notes:#?}");
    let pattern = memory.told("the test script always ends well");
    assert!(pattern.said.confidence.share() < 0.5, "what was said then is doubted");
}

#[test]
fn checks_that_were_green_before_with_nothing_changed_verify_nothing() {
    let memory = Memory::new();
    let mut attempt = says(1, "discovery: the exporter listens on port 6666");
    attempt.before = vec![tests(&[])];
    attempt.sketch.files.clear();
    memory.learn(&attempt);
    assert!(!memory.told("the exporter listens on port 6666").verified);
    let mut changed = says(2, "discovery: the importer listens on port 7777");
    changed.before = vec![tests(&[])];
    memory.learn(&changed);
    assert!(memory.told("the importer listens on port 7777").verified, "what was changed still works");
}

#[test]
fn what_an_agent_says_is_about_the_symbols_that_it_names() {
    let memory = Memory::new();
    let mut attempt = says(
        1,
        "discovery: add subtracts its operands [files: src/lexer.rs]\n\
         discovery: everything here is slow [files: src/lexer.rs]\n\
         discovery: nothing there is known [files: src/other.rs]",
    );
    attempt.anchors = vec![anchor("mul", "1")];
    attempt.named = vec![anchor("add", "1"), anchor("Calc::mul", "1")];
    memory.learn(&attempt);
    assert_eq!(memory.told("add subtracts its operands").said.anchors, [anchor("add", "1")]);
    assert_eq!(memory.told("everything here is slow").said.anchors, attempt.named, "there is little in it");
    assert_eq!(memory.told("nothing there is known").said.anchors, []);
}

#[test]
fn checks_that_pass_say_nothing_for_what_was_said_of_the_code_before_it_changed() {
    let memory = Memory::new();
    let mut first = says(1, "discovery: add subtracts its operands [files: src/lexer.rs]");
    first.named = vec![anchor("add", "1")];
    first.checks = first.before.clone();
    memory.learn(&first);
    let mut second = says(2, "discovery: add sums its operands [files: src/lexer.rs]");
    second.named = vec![anchor("add", "2")];
    second.anchors = second.named.clone();
    memory.learn(&second);
    let old = memory.told("add subtracts its operands");
    assert!(!old.verified && old.is_hypothesis(), "{old:#?}");
    assert!(memory.told("add sums its operands").verified);
    let history = |note: &Note| wait(memory.store.memory_history(&note.id)).unwrap().len();
    let before = history(&old);
    second.iteration = 3;
    memory.learn(&second);
    assert_eq!(history(&old), before, "once");
}

#[test]
fn of_two_that_cannot_both_be_so_the_later_one_stands_also_within_one_attempt() {
    for gate in 1..=6 {
        let memory = Memory::new();
        let (first, last) =
            (format!("Gateway{gate} listens on port 1111"), format!("Gateway{gate} listens on port 2222"));
        memory.learn(&says(1, &format!("discovery: {first}\ndiscovery: {last}")));
        let task = task();
        let done =
            Done { task: &task, run: None, commit: None, branch: None, verified: true, entities_updated: 0 };
        wait(consolidate(&memory.store, &done, &Redactor::new([]), memory.now())).unwrap();
        memory.find("");
        let all = wait(memory.store.newest_notes(None, 100)).unwrap();
        let stands = |content: &str| {
            let is_it = |note: &&Note| note.said.content == content;
            let note = all.iter().map(|(_, note)| note).find(is_it).unwrap();
            note.is_active() && note.said.scope == Scope::Project
        };
        assert_eq!((stands(&first), stands(&last)), (false, true), "{gate}");
    }
}

#[test]
fn an_attempt_that_only_went_on_counts_as_one_that_had_notes() {
    let memory = Memory::new();
    let note = memory.say("the lexer keeps tabs");
    let used = |iteration: u32, succeeded: Option<bool>| Use {
        run: Some(Attempt::new(1).run),
        task: Some(task()),
        iteration: Some(iteration),
        succeeded,
    };
    let mut first = says(1, "approach: nothing");
    first.checks = first.before.clone();
    memory.learn(&first);
    memory.learn(&says(2, "approach: the right thing"));
    for one in [used(1, None), used(2, Some(true))] {
        wait(credit(&memory.store, std::slice::from_ref(&note), None, &one, memory.now())).unwrap();
    }
    let report = wait(uplift(&memory.store, None)).unwrap();
    assert_eq!((report.with.succeeded, report.with.failed, report.with.unchanged), (1, 0, 1));
    assert_eq!((report.tasks_with.completed, report.tasks_without.completed), (1, 0));
    memory.find("");
    let uses = wait(memory.store.note(&note)).unwrap().unwrap().uses;
    assert_eq!((uses.succeeded, uses.failed), (1, 0), "and weighs nothing");
}

#[test]
fn what_only_one_of_two_notes_names_is_not_lost_with_the_other() {
    let pairs = [
        (
            "the metrics server listens on localhost during local development work",
            "the metrics server listens on localhost port 8443 during local development work",
        ),
        (
            "the nightly backup fails when the disk is nearly full",
            "the nightly backup fails when the disk /data is nearly full",
        ),
    ];
    for (vague, sharp) in pairs {
        assert!(!ralph_memory::alike(&draft(vague), &draft(sharp)), "{vague} / {sharp}");
    }
}
