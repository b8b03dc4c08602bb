//! What is known of a commit afterwards.

use ralph_core::id::NoteId;
use ralph_core::note::{Anchor, Citation, Draft, Kind, KindName, Note, Observation, Origin, Scope};
use ralph_core::redact::Redactor;
use ralph_memory::{Commit, Commits, committed, contradict};
use ralph_store::Notes as _;
use ralph_store::conformance::wait;

use super::Memory;
use super::attempt::{Attempt, task, tests};

impl Memory {
    fn commits(&self, attempt: &Attempt, made: &[(&str, &str)], passed: bool) -> Option<NoteId> {
        let commit =
            |(id, subject): &(&str, &str)| Commit { id: id.to_string(), subject: subject.to_string() };
        let made: Vec<Commit> = made.iter().map(commit).collect();
        let commits = Commits {
            run: &attempt.run,
            task: &attempt.task,
            iteration: attempt.iteration,
            session: None,
            made: &made,
            anchors: &attempt.anchors,
            passed,
        };
        let redactor = Redactor::new([("API_TOKEN".to_owned(), "hunter2hunter2".to_owned())]);
        wait(committed(&self.store, &commits, &redactor, self.now())).unwrap()
    }

    fn note(&self, id: &NoteId) -> Note {
        self.staged().into_iter().find(|note| note.id == *id).unwrap()
    }
}

fn mending() -> Attempt {
    let mut attempt = Attempt::new(2);
    attempt.before = vec![tests(&[("keeps_tabs", "expected 4")])];
    attempt.checks = vec![tests(&[])];
    attempt.said = "Done.\n```ralph-notes\ndecision: tabs stay tabs because makefiles need them\n\
                    approach: replace the tab stops\n```"
        .to_owned();
    attempt
}

const FIRST: (&str, &str) = ("1a2b3c4d5e6f708192a3", "lexer: keep hunter2hunter2 tabs");

#[test]
fn a_commit_is_known_by_what_its_task_learned_since_the_one_before() {
    let memory = Memory::new();
    let mut attempt = mending();
    let (file, symbol, digest) = ("src/lexer.rs", "lex", "d1");
    attempt.anchors =
        vec![Anchor { file: file.to_owned(), symbol: symbol.to_owned(), digest: digest.to_owned() }];
    memory.learn(&attempt);
    let fact = memory.note(&memory.commits(&attempt, &[FIRST], true).unwrap());
    let said = &fact.said;
    assert_eq!(said.title, "Commit 1a2b3c4d5e: lexer: keep [redacted:env] tabs");
    let lines: Vec<&str> = said.content.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "Committed: lexer: keep [redacted:env] tabs",
            "Mended: How keeps_tabs was mended",
            "Decided: tabs stay tabs because makefiles need them",
        ]
    );
    assert!(lines[3].starts_with("Checks: ") && lines.len() == 4, "{lines:?}");
    assert_eq!((said.kind.name(), said.origin), (KindName::Discovery, Origin::Tool));
    assert_eq!(said.files, ["src/lexer.rs"]);
    assert_eq!(said.citations, [Citation::Commit { hash: FIRST.0.to_owned() }]);
    assert_eq!(said.source.commit.as_deref(), Some(FIRST.0));
    assert_eq!(said.scope, Scope::Task { task: task() });
    assert!(fact.verified, "the checks have passed");
    assert!(said.symbols == ["lex"] && said.anchors.is_empty(), "it was so whatever becomes of the code");

    let second = memory.note(&memory.commits(&attempt, &[("ffff", "docs: say so")], false).unwrap());
    assert_eq!(second.said.content, "Committed: docs: say so", "the rest was told before");
    assert!(!second.verified);
}

#[test]
fn a_commit_is_put_down_once_and_nothing_without_one() {
    let memory = Memory::new();
    let attempt = mending();
    memory.learn(&attempt);
    assert_eq!(memory.commits(&attempt, &[], true), None);
    let before = wait(memory.store.memory_state()).unwrap().last;
    let made = [("aaaa", "first step"), FIRST];
    let fact = memory.commits(&attempt, &made, true);
    let content = memory.note(fact.as_ref().unwrap()).said.content;
    assert!(content.starts_with("Committed: first step; lexer: keep [redacted:env] tabs\n"), "{content}");
    assert_eq!(memory.commits(&attempt, &made, true), fact);
    assert_eq!(wait(memory.store.memory_state()).unwrap().last, before + 2, "said and confirmed, once");
}

#[test]
fn what_was_committed_is_not_denied_by_what_is_so_now() {
    let memory = Memory::new();
    let attempt = mending();
    let switch = [("aaaa", "the server listens on port 8080")];
    let fact = memory.note(&memory.commits(&attempt, &switch, true).unwrap());
    let claim = |content: &str| Draft::new(Kind::Observation(Observation::Discovery), content.to_owned());
    let now = claim("The server listens on port 9090");
    assert!(contradict(&claim("The server listens on port 8080"), &now).is_some(), "it can be denied");
    assert_eq!(contradict(&fact.said, &now), None);
}
