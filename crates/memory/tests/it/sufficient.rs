//! Whether what a task names is there.

use ralph_core::id::TaskId;
use ralph_core::note::{Citation, Kind, Note, Observation, Scope};
use ralph_memory::{
    Knows, Mention, MentionKind, Query, Recommendation, Searched, Shelves, Standing, Sufficiency, Visible,
    expand, mentions, sufficiency,
};
use ralph_store::conformance::wait;

use super::hydration::of;
use super::{Memory, draft};

/// Knows these, and nothing else.
struct Code(&'static [&'static str]);

impl Knows for Code {
    fn knows(&self, mention: &Mention) -> bool {
        self.0.contains(&&*mention.text)
    }
}

fn named(text: &str) -> Vec<(MentionKind, String, Standing)> {
    mentions(text).into_iter().map(|one| (one.kind, one.text, one.standing)).collect()
}

fn check(text: &str, expected: &[(MentionKind, &str, Standing)]) {
    let expected: Vec<_> =
        expected.iter().map(|(kind, text, standing)| (*kind, (*text).to_owned(), *standing)).collect();
    assert_eq!(named(text), expected, "{text}");
}

use MentionKind::{Command, File, Symbol, Test};
use Standing::{Explicit, Passing, ToBeMade};

#[test]
fn a_task_names_files_symbols_commands_and_tests() {
    check(
        "Fix the overflow in `parse_config` (src/config/parse.rs:12).",
        &[(Symbol, "parse_config", Explicit), (File, "src/config/parse.rs", Explicit)],
    );
    check(
        "`cargo test -p core` fails in test `keeps_order`, see `Queue::push()`",
        &[
            (Command, "cargo test -p core", Explicit),
            (Test, "keeps_order", Explicit),
            (Symbol, "Queue::push", Explicit),
        ],
    );
    check(
        "make `HttpClient` retry; parseHeaders() is fine, README.md too",
        &[(Symbol, "HttpClient", Explicit), (Symbol, "parseHeaders", Passing), (File, "README.md", Passing)],
    );
    check(
        "`tests/test_api.py::test_login` and `test_logout` are red",
        &[(Test, "tests/test_api.py::test_login", Explicit), (Test, "test_logout", Explicit)],
    );
}

#[test]
fn what_only_looks_like_a_name_is_none() {
    for text in [
        "Use Node.js and/or TypeScript on macOS, e.g. version 2.0.1, i.e. the newest.",
        "See https://example.com/a/b.html and `https://docs.rs/x.rs`",
        "Return `true`, not `null`; pass `--no-cache` with `Content-Type: application/json`",
        "Serve `application/json` at `/api/users` for `GET /users/{id}`",
        "The word is `done`. It's well-known, state-of-the-art.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn what_is_to_be_made_need_not_be_there() {
    for text in [
        "Create `src/new/thing.rs`",
        "Add a new file `src/new/thing.rs` with the rest",
        "Write src/new/thing.rs and test it",
        "`src/new/thing.rs` should be created for this",
        "Move the code from the parser to `src/new/thing.rs`",
        "The file `src/new/thing.rs` (new) holds the rest.",
        "Read `src/new/thing.rs` at the start. Before, create `src/new/thing.rs`.",
    ] {
        check(text, &[(File, "src/new/thing.rs", ToBeMade)]);
    }
    check(
        "Add a function `parse_all` to `src/lib.rs`",
        &[(Symbol, "parse_all", ToBeMade), (File, "src/lib.rs", Passing)],
    );
    check("Write a test for `parse_all`", &[(Symbol, "parse_all", Explicit)]);
    check("Create the report and fix `parse_all`", &[(Symbol, "parse_all", Explicit)]);
    check(
        "Rename `parse_all` to `parse_every`",
        &[(Symbol, "parse_all", Explicit), (Symbol, "parse_every", ToBeMade)],
    );
    check("Make a module `pool_drain`", &[(Symbol, "pool_drain", ToBeMade)]);
    check("Keep it in a file, e.g. `src/some/where.rs`", &[(File, "src/some/where.rs", Passing)]);
    check("It returns `not_found`", &[(Symbol, "not_found", Passing)]);
    check("`src/gone.rs` does not exist", &[(File, "src/gone.rs", Passing)]);
}

#[test]
fn blocks_of_code_are_examples() {
    check(
        "It fails:\n```\nthread panicked at src/main.rs:4:5\nfoo_bar() = 3\n```\nFix `run_all`.",
        &[(File, "src/main.rs", Passing), (Symbol, "run_all", Explicit)],
    );
}

const TASK: &str = "Fix `drain_pool` in `src/pool.rs` so that `make check` passes";

fn judged(code: &'static [&'static str], notes: &[Note], searched: Searched) -> Sufficiency {
    sufficiency(TASK, &Code(code), notes, searched)
}

#[test]
fn what_is_missing_is_looked_for_and_then_asked_for_if_it_is_essential() {
    use Recommendation::{ExpandSearch, RequestHuman};
    let all = &["drain_pool", "src/pool.rs", "make check"];
    for (code, near, wide) in [
        (all as &'static [&'static str], None, None),
        (&["drain_pool", "src/pool.rs"], Some(ExpandSearch), None),
        (&["src/pool.rs", "make check"], Some(ExpandSearch), Some(RequestHuman)),
        (&["drain_pool", "make check"], Some(ExpandSearch), Some(RequestHuman)),
        (&[], Some(ExpandSearch), Some(RequestHuman)),
    ] {
        let [first, second] =
            [Searched::Nearby, Searched::Widely].map(|searched| judged(code, &[], searched));
        assert_eq!((first.recommendation, second.recommendation), (near, wide), "{code:?}");
        assert_eq!((first.named, first.resolved.len() + first.missing.len()), (3, 3));
        assert_eq!(first.is_complete(), code.len() == 3);
        assert_eq!(first.questions, [""; 0], "nobody is asked before everything was tried");
        assert_eq!(second.questions.is_empty(), wide.is_none());
    }
    let missing = judged(&["drain_pool"], &[], Searched::Widely);
    assert_eq!(missing.missing_kinds(), [File, Command]);
    assert_eq!(
        missing.questions,
        [
            "The task names the file `src/pool.rs`, which is not in the project, and no note tells of it. Which file is meant, or is it to \
         be made?"
        ]
    );
}

#[test]
fn a_task_that_names_nothing_is_complete() {
    let found = sufficiency("Make it faster.", &Code(&[]), &[], Searched::Nearby);
    assert!(found.is_complete() && found.named == 0 && found.recommendation.is_none());
}

#[test]
fn a_wider_search_finds_the_notes_that_tell_of_it() {
    let memory = Memory::new();
    let mut staged = draft("the pool is emptied by drain_pool, which lives in another crate");
    staged.scope = Scope::Task { task: TaskId::parse("T-2").unwrap() };
    let staged = memory.put(staged);
    let mut cited = of(Kind::Pattern, "pools are generated");
    cited.citations.push(Citation::File { path: "gen/src/pool.rs".to_owned(), line: None });
    cited.files.push("gen/src/pool.rs".to_owned());
    let cited = memory.put(cited);
    let command = Kind::Observation(Observation::Command { command: "make check FAST=1".to_owned() });
    let command = memory.put(of(command, "checks are quick that way"));
    memory.say("the pool is drained at night, and make the check");
    let seen = memory.ask(&Query { visible: Visible::Shared, ..Query::new("drain_pool") });
    assert!(seen.iter().all(|one| one.note.id != staged), "it is another task's");

    let first = judged(&[], &[], Searched::Nearby);
    let shelves = Shelves { project: &memory.store, global: None };
    let found = wait(expand(&shelves, &first.missing, memory.now())).unwrap();
    let second = judged(&[], &found, Searched::Widely);
    let by: Vec<_> = second.resolved.iter().map(|one| (&*one.mention.text, one.note.clone())).collect();
    assert_eq!(
        by,
        [("drain_pool", Some(staged)), ("src/pool.rs", Some(cited)), ("make check", Some(command))]
    );
    assert!(second.is_complete() && second.recommendation.is_none());
}
