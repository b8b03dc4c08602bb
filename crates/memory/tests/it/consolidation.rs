//! What a task leaves to its project.

use ralph_core::check::{CheckResult, Criterion};
use ralph_core::id::NoteId;
use ralph_core::note::{
    Anchor, Citation, Draft, Evidence, Kind, KindName, MemoryEvent, Note, Observation, Origin, Scope, Status,
};
use ralph_core::redact::Redactor;
use ralph_memory::{Consolidation, Done, Ground, consolidate, contradictions, learn, rot};
use ralph_store::Notes as _;
use ralph_store::conformance::wait;

use super::attempt::{Attempt, ran, task, tests};
use super::fragile::Fragile;
use super::{Memory, draft};

fn of_task(content: &str) -> Draft {
    let mut draft = draft(content);
    draft.source.task = Some(task());
    draft.scope = Scope::Task { task: task() };
    draft
}

fn cited(mut draft: Draft) -> Draft {
    draft.citations.push(Citation::File { path: "Makefile".into(), line: Some(3) });
    draft
}

impl Memory {
    fn done(&self, done: &Done<'_>) -> Consolidation {
        wait(consolidate(&self.store, done, &Redactor::new([]), self.now())).unwrap()
    }

    fn all(&self) -> Vec<Note> {
        self.find("");
        wait(self.store.newest_notes(None, 1000)).unwrap().into_iter().map(|(_, note)| note).collect()
    }

    fn one(&self, id: &NoteId) -> Note {
        self.find("");
        wait(self.store.note(id)).unwrap().unwrap()
    }

    fn names(&self, id: &NoteId) -> Vec<String> {
        wait(self.store.memory_history(id)).unwrap().into_iter().map(|line| line.name).collect()
    }

    /// The notes that others can see, by what they say.
    fn project(&self) -> Vec<String> {
        let mut seen: Vec<String> = self
            .all()
            .into_iter()
            .filter(|note| note.said.scope == Scope::Project && note.is_active())
            .map(|note| note.said.content)
            .collect();
        seen.sort_unstable();
        seen
    }
}

fn completed(task: &ralph_core::id::TaskId) -> Done<'_> {
    Done { task, run: None, commit: None, branch: None, verified: true, entities_updated: 7 }
}

/// Duplicates, near-duplicates, contradictions and entries of no value, among themselves and against the project.
struct Planted {
    handlers: NoteId,
    make_db: NoteId,
    postgres: NoteId,
    warm: NoteId,
    mysql: NoteId,
    short_timeout: NoteId,
}

fn plant(memory: &Memory) -> Planted {
    let handlers = memory.say("Every handler returns an Outcome");
    let make_db = memory.say("Run `make db` before the integration tests");
    let postgres = memory.say("The project uses Postgres as its database");
    memory.say("Snapshots are kept for a week");
    let warm = memory.put(of_task("The cache of the resolver is warm after start"));
    memory.put(of_task("the cache of the resolver is warm after start."));
    memory.put(of_task("The resolver's cache is warm after the start"));
    memory.put(of_task("All handlers return an Outcome"));
    memory.put(cited(of_task("Before the integration tests, run `make db`")));
    let mysql = memory.put(of_task("We migrated from Postgres to MySQL."));
    let short_timeout = memory.put(of_task("The request timeout is 30 seconds"));
    memory.put(of_task("The request timeout is 60 seconds"));
    let mut tool = of_task("Read src/lexer.rs from the beginning to the end");
    tool.kind = Kind::Observation(Observation::ToolUse { tool: "read".into() });
    memory.put(tool);
    memory.put(of_task("Done."));
    memory.put(of_task("All tests pass now, the bug is fixed"));
    let doubtful = memory.put(of_task("The scheduler shares one mutex with the journal"));
    for _ in 0..4 {
        memory.happens(MemoryEvent::Doubted { note: doubtful.clone(), evidence: Evidence::TestsFailed });
    }
    let mut gotcha = of_task("Fixtures are stale until the schema is rebuilt");
    gotcha.kind = Kind::Gotcha { triggers: vec!["the schema changes".into()], terminal: None };
    memory.put(gotcha);
    let mut elsewhere = draft("Another task keeps this to itself for now");
    elsewhere.source.task = ralph_core::id::TaskId::parse("T-9").ok();
    memory.put(elsewhere);
    Planted { handlers, make_db, postgres, warm, mysql, short_timeout }
}

const EXPECTED: Consolidation =
    Consolidation { promoted: 5, deduplicated: 4, conflicts_resolved: 2, dropped: 4, entities_updated: 7 };

#[test]
fn the_counts_of_what_was_planted_are_exact() {
    let memory = Memory::new();
    let planted = plant(&memory);
    let task = task();
    assert_eq!(memory.done(&completed(&task)), EXPECTED);
    assert_eq!(
        memory.project(),
        [
            "Before the integration tests, run `make db`",
            "Every handler returns an Outcome",
            "Fixtures are stale until the schema is rebuilt",
            "Snapshots are kept for a week",
            "The cache of the resolver is warm after start",
            "The request timeout is 60 seconds",
            "We migrated from Postgres to MySQL.",
        ]
    );
    assert!(memory.one(&planted.handlers).verified, "what was said again is confirmed");
    assert_eq!(memory.names(&planted.warm), ["OBSERVED", "CONFIRMED", "PROMOTED"]);
    assert!(!memory.one(&planted.make_db).is_active(), "the one that rests on something stays");
    let postgres = memory.one(&planted.postgres);
    assert!(matches!(&postgres.status, Status::Superseded { by, .. } if *by == planted.mysql));
    assert!(postgres.valid_to.is_some() && !postgres.verified);
    assert_eq!(postgres.said.content, "The project uses Postgres as its database", "nothing is rewritten");
    assert!(!memory.one(&planted.short_timeout).is_active());
}

#[test]
fn nothing_is_the_projects_that_was_not_promoted_and_doing_it_twice_changes_nothing() {
    let memory = Memory::new();
    plant(&memory);
    let task = task();
    memory.done(&completed(&task));
    for note in memory.all().into_iter().filter(|note| note.said.source.task.is_some()) {
        let is_promoted = memory.names(&note.id).iter().any(|name| name == "PROMOTED");
        assert_eq!(note.said.scope == Scope::Project, is_promoted, "{}", note.said.content);
    }
    let (log, notes) = (memory.log(), memory.all());
    let again = memory.done(&completed(&task));
    assert_eq!((again.promoted, again.deduplicated, again.conflicts_resolved), (0, 0, 0));
    assert_eq!((memory.log(), memory.all()), (log, notes));
}

#[test]
fn a_kill_at_any_moment_loses_nothing_and_the_next_call_completes_it() {
    let task = task();
    let whole = Memory::new();
    plant(&whole);
    whole.done(&completed(&task));
    let mut killed = 0;
    for moments in 0..5 {
        let memory = Memory::new();
        plant(&memory);
        let before = memory.all().len();
        let fragile = Fragile::until(&memory.store, moments);
        let first = wait(consolidate(&fragile, &completed(&task), &Redactor::new([]), memory.now()));
        killed += usize::from(first.is_err());
        assert_eq!(memory.all().len(), before, "nothing is lost");
        memory.done(&completed(&task));
        assert_eq!(memory.all(), whole.all(), "killed after {moments}");
        assert_eq!(memory.log(), whole.log());
    }
    assert_eq!(killed, 2, "before it was written, and after");
}

#[test]
fn a_merge_is_evidence_once_whenever_it_comes() {
    let memory = Memory::new();
    let planted = plant(&memory);
    let task = task();
    memory.done(&completed(&task));
    let merged = Done { commit: Some("abc123"), branch: Some("main"), ..completed(&task) };
    let before = memory.one(&planted.warm).said.confidence;
    memory.done(&merged);
    assert!(memory.one(&planted.warm).said.confidence > before);
    let log = memory.log();
    memory.done(&merged);
    assert_eq!(memory.log(), log);
    assert_eq!(memory.names(&planted.handlers), ["OBSERVED", "CONFIRMED"], "it is not of this task");
}

#[test]
fn what_was_not_verified_does_not_overrule_and_no_agent_overrules_a_person() {
    let task = task();
    for (origin, verified, overruled) in
        [(Origin::Agent, true, true), (Origin::Agent, false, false), (Origin::Person, true, false)]
    {
        let memory = Memory::new();
        let mut known = draft("The API server listens on port 8080");
        known.origin = origin;
        let known = memory.put(known);
        memory.put(of_task("The API server listens on port 9090"));
        let flagged = wait(contradictions(&memory.store, &task)).unwrap();
        assert_eq!(flagged.len(), 1);
        assert_eq!(
            (flagged[0].known.id.clone(), flagged[0].conflict.ground),
            (known.clone(), Ground::Number)
        );
        let report = memory.done(&Done { verified, ..completed(&task) });
        assert_eq!(memory.one(&known).is_active(), !overruled, "{origin:?} {verified}");
        assert_eq!((report.conflicts_resolved == 1, report.dropped == 1), (overruled, !overruled));
        assert_eq!(memory.project().len(), 1);
    }
}

#[test]
fn everything_that_a_verified_note_denies_gives_way_to_it() {
    let memory = Memory::new();
    let short = memory.say("The billing exporter uses Postgres");
    let long = memory.say("The billing exporter uses Postgres with nightly replicas and backups");
    memory.put(of_task("The billing exporter uses MySQL"));
    let task = task();
    let report = memory.done(&completed(&task));
    assert_eq!((report.promoted, report.conflicts_resolved, report.dropped), (1, 2, 0));
    assert!(!memory.one(&short).is_active() && !memory.one(&long).is_active());
    assert_eq!(memory.project(), ["The billing exporter uses MySQL"]);
}

#[test]
fn skills_and_patterns_follow_from_what_was_seen_to_work() {
    let memory = Memory::new();
    let learned = |attempt: &Attempt| {
        wait(learn(&memory.store, &attempt.seen(), &Redactor::new([]), memory.now())).unwrap();
    };
    let mut first = Attempt::new(1);
    first.before = vec![tests(&[])];
    first.checks = vec![tests(&[("keeps_tabs", "expected 4")])];
    learned(&first);
    let mut second = Attempt::new(2);
    second.before = first.checks;
    second.ran = vec![ran("make setup", 0)];
    second.checks = vec![tests(&[])];
    learned(&second);
    let task = task();
    let report = memory.done(&completed(&task));
    let made: Vec<(KindName, String, Origin)> = memory
        .all()
        .into_iter()
        .filter(|note| note.said.scope == Scope::Project && note.is_active())
        .map(|note| (note.said.kind.name(), note.said.title, note.said.origin))
        .collect();
    let has = |kind, title: &str| made.iter().any(|(a, b, _)| *a == kind && b == title);
    assert!(has(KindName::Skill, "Run `make setup` before `cargo test`"), "{made:?}");
    assert!(has(KindName::Pattern, "`keeps_tabs` guards what it covers"), "{made:?}");
    assert!(has(KindName::Gotcha, "How keeps_tabs was mended"), "{made:?}");
    assert!(made.iter().all(|(kind, _, origin)| *kind != KindName::Skill || !origin.is_tainted()));
    assert!(!has(KindName::Gotcha, "Test failure: keeps_tabs"), "how it is mended says it all");
    // The skill, the pattern, how it was mended and the failed approach; the command and the failure are said by others now.
    assert_eq!((report.promoted, report.deduplicated, report.dropped), (4, 2, 2));
    let log = memory.log();
    memory.done(&completed(&task));
    assert_eq!(memory.log(), log);
}

#[test]
fn what_was_said_of_code_that_has_changed_gives_way_to_what_is_seen_now() {
    let memory = Memory::new();
    let mended = |task: &ralph_core::id::TaskId, file: &str, digest: &str| {
        let mut attempt = Attempt::new(1);
        attempt.task = task.clone();
        attempt.before = vec![tests(&[("keeps_tabs", "expected 4")])];
        attempt.checks = vec![tests(&[])];
        attempt.sketch.files = vec![file.to_owned()];
        attempt.anchors =
            vec![Anchor { symbol: "Lexer".into(), file: "src/lexer.rs".into(), digest: digest.into() }];
        wait(learn(&memory.store, &attempt.seen(), &Redactor::new([]), memory.now())).unwrap();
        memory.done(&completed(task))
    };
    assert_eq!(mended(&task(), "src/lexer.rs", "1").promoted, 1);
    let changed = Anchor { symbol: "Lexer".into(), file: "src/lexer.rs".into(), digest: "2".into() };
    let rotten = wait(rot(&memory.store, &[changed], memory.now())).unwrap();
    assert!(memory.one(&rotten[0]).is_hypothesis());
    let later = ralph_core::id::TaskId::parse("T-2").unwrap();
    let report = mended(&later, "src/tabs.rs", "2");
    assert_eq!((report.promoted, report.deduplicated), (1, 1));
    assert!(!memory.one(&rotten[0]).is_active());
    assert_eq!(
        memory.project(),
        ["`keeps_tabs` failed (expected 4) and passes since changes in src/tabs.rs."]
    );
}

/// What a task mended, where the check says no more than how it ended.
fn mend(memory: &Memory, id: &str, error: &str, file: &str) -> Consolidation {
    let mut attempt = Attempt::new(1);
    attempt.task = ralph_core::id::TaskId::parse(id).unwrap();
    let mut failed = tests(&[("exit code 1", error)]);
    (failed.name, failed.criterion) = ("custom".to_owned(), Criterion::Custom);
    let passed = CheckResult { name: failed.name.clone(), ..tests(&[]) };
    (attempt.before, attempt.checks) = (vec![failed], vec![passed]);
    attempt.sketch.files = vec![file.to_owned()];
    wait(learn(&memory.store, &attempt.seen(), &Redactor::new([]), memory.now())).unwrap();
    memory.done(&completed(&attempt.task))
}

#[test]
fn what_ends_with_the_same_code_is_mended_in_as_many_ways_as_there_are_errors() {
    let memory = Memory::new();
    mend(&memory, "T-1", "Traceback\nAssertionError: totals differ", "src/app.py");
    let refused = "handshake refused: plaintext connection to upstream";
    let report = mend(&memory, "T-2", refused, "src/net.py");
    assert_eq!((report.promoted, report.deduplicated), (1, 0));
    let found = memory.find("handshake refused plaintext upstream");
    assert_eq!(
        found[0],
        format!("`custom: {refused}` failed and passes since changes in src/net.py."),
        "{found:?}"
    );
    assert_eq!(
        memory.project()[0],
        "`custom: AssertionError: totals differ` failed and passes since changes in src/app.py."
    );
}

#[test]
fn of_the_ways_in_which_the_same_was_mended_the_last_one_stays() {
    let memory = Memory::new();
    mend(&memory, "T-1", "error: port in use", "src/app.py");
    let report = mend(&memory, "T-2", "error: port in use", "src/net.py");
    assert_eq!((report.promoted, report.deduplicated), (1, 1));
    assert_eq!(
        memory.project(),
        ["`custom: error: port in use` failed and passes since changes in src/net.py."]
    );
    let report = mend(&memory, "T-3", "error: port in use", "src/net.py");
    assert_eq!((report.promoted, report.deduplicated), (0, 1), "the same way is confirmed");
}

#[test]
fn a_task_with_very_many_notes_is_consolidated() {
    let memory = Memory::new();
    for number in 0..120 {
        memory.put(of_task(&format!("Module m{number} keeps its fixtures in tests/m{number}/data.json")));
    }
    let task = task();
    assert_eq!(memory.done(&completed(&task)).promoted, 120);
}
