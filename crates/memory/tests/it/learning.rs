//! Learning from attempts, one after the other.

use ralph_core::id::RunId;
use ralph_core::note::{Anchor, Evidence, KindName, MemoryEvent, Note, Origin, Scope, Use};
use ralph_core::redact::Redactor;
use ralph_memory::{
    Finding, ForAll, Refusal, Staged, credit, failed_like, learn, repeated, rot, stage, staged, uplift,
};
use ralph_store::Notes as _;
use ralph_store::conformance::wait;

use super::attempt::{Attempt, task, tests};
use super::fragile::Fragile;
use super::{Memory, draft};

impl Memory {
    pub(super) fn learn(&self, attempt: &Attempt) -> Vec<ralph_core::id::NoteId> {
        self.days.set(self.days.get() + 1);
        let redactor = Redactor::new([("API_TOKEN".to_owned(), "hunter2hunter2".to_owned())]);
        wait(learn(&self.store, &attempt.seen(), &redactor, self.now())).unwrap()
    }

    pub(super) fn staged(&self) -> Vec<Note> {
        wait(staged(&self.store, &task())).unwrap()
    }

    pub(super) fn log(&self) -> u64 {
        wait(self.store.memory_state()).unwrap().last
    }
}

fn failing() -> Attempt {
    let mut attempt = Attempt::new(1);
    attempt.said = "I locked the queue first. The token is hunter2hunter2.\n```ralph-notes\n\
                    discovery: the lexer holds a lock [files: src/lexer.rs]\n```"
        .to_owned();
    attempt.checks = vec![tests(&[("keeps_tabs", "expected 4")])];
    attempt
}

fn passing(iteration: u32) -> Attempt {
    let mut attempt = Attempt::new(iteration);
    attempt.before = failing().checks;
    attempt.checks = vec![tests(&[])];
    attempt
}

#[test]
fn learning_twice_changes_nothing_and_a_crash_loses_nothing() {
    let whole = Memory::new();
    let ids = whole.learn(&failing());
    let log = whole.log();
    assert_eq!(whole.learn(&failing()), ids);
    assert_eq!(whole.log(), log);
    for moments in 0..4 {
        let memory = Memory::new();
        let fragile = Fragile::until(&memory.store, moments);
        let killed = wait(learn(&fragile, &failing().seen(), &Redactor::new([]), memory.now()));
        assert_eq!(killed.is_err(), moments < 2);
        assert_eq!((memory.learn(&failing()), memory.log()), (ids.clone(), log), "{moments}");
    }
}

#[test]
fn everything_begins_with_its_task_and_without_secrets() {
    let memory = Memory::new();
    memory.learn(&failing());
    let notes = memory.staged();
    let kinds: Vec<KindName> = notes.iter().map(|note| note.said.kind.name()).collect();
    assert_eq!(kinds, [KindName::Gotcha, KindName::Failure, KindName::Discovery, KindName::ToolUse]);
    for note in &notes {
        assert_eq!(note.said.scope, Scope::Task { task: task() });
        assert!(!format!("{note:?}").contains("hunter2"));
    }
    assert!(memory.find("lexer lock").is_empty(), "others do not see it");
}

#[test]
fn checks_that_pass_verify_what_the_task_has_said_and_those_that_fail_throw_doubt_on_the_agents_words() {
    let memory = Memory::new();
    memory.learn(&failing());
    let by = |notes: &[Note], kind: KindName| {
        notes.iter().find(|note| note.said.kind.name() == kind).cloned().unwrap()
    };
    let doubted = memory.staged();
    assert!(by(&doubted, KindName::Discovery).said.confidence.share() < 0.5);
    assert!(by(&doubted, KindName::Gotcha).said.confidence.share() >= 0.5, "ralph has seen it itself");
    memory.learn(&passing(2));
    memory.learn(&passing(2));
    let history = wait(memory.store.memory_history(&by(&doubted, KindName::Discovery).id)).unwrap();
    let names: Vec<&str> = history.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["OBSERVED", "DOUBTED", "CONFIRMED"], "once for each attempt");
    let after = memory.staged();
    assert!(by(&after, KindName::Discovery).verified && !by(&after, KindName::Failure).verified);
    assert!(after.iter().any(|note| note.said.title == "How keeps_tabs was mended" && note.verified));
}

#[test]
fn what_is_seen_again_is_not_put_down_again() {
    let memory = Memory::new();
    memory.learn(&failing());
    let mut again = failing();
    again.iteration = 2;
    memory.learn(&again);
    let titles: Vec<String> = memory.staged().into_iter().map(|note| note.said.title).collect();
    assert_eq!(titles.iter().filter(|title| title.starts_with("Test failure")).count(), 1, "{titles:?}");
}

#[test]
fn a_tool_never_makes_a_skill_and_nobody_but_a_person_writes_for_the_project() {
    let memory = Memory::new();
    let mut skill = draft("run the installer from the readme");
    skill.kind = ralph_core::note::Kind::Skill;
    skill.origin = Origin::Tool;
    let id = memory.put(skill.clone());
    let note = |id| wait(memory.store.note(id)).unwrap();
    memory.find("");
    assert_eq!(note(&id).unwrap().said.kind.name(), KindName::Discovery);
    skill.source.task = Some(task());
    let id = memory.put(skill.clone());
    memory.find("");
    assert_eq!(note(&id).unwrap().said.scope, Scope::Task { task: task() });
    skill.origin = Origin::Person;
    let id = memory.put(skill);
    memory.find("");
    let said = note(&id).unwrap().said;
    assert_eq!((said.kind.name(), said.scope), (KindName::Skill, Scope::Project));
}

#[test]
fn what_is_more_than_an_attempt_may_leave_is_refused_and_said_to_be() {
    let memory = Memory::new();
    let put = |number: u64, origin: Origin| {
        let mut draft = draft(&format!("thing number {number} was seen in the lexer"));
        draft.origin = origin;
        draft.source.task = Some(task());
        draft.source.run = Some(Attempt::new(1).run);
        draft.source.iteration = Some(1);
        wait(stage(&memory.store, draft, &Redactor::new([]), memory.now(), number)).unwrap()
    };
    let kept = (0..40).filter(|number| matches!(put(*number, Origin::Agent), Staged::Kept(_))).count();
    assert_eq!(kept, 16);
    assert_eq!(put(50, Origin::Agent), Staged::Refused(Refusal::OverQuota));
    assert!(matches!(put(51, Origin::Tool), Staged::Kept(_)), "each has room of its own");
    memory.learn(&failing());
    let outcome = memory.staged().into_iter().find(|note| note.said.kind.name() == KindName::ToolUse);
    assert!(outcome.unwrap().said.content.ends_with("2 notes were more than an attempt may leave"));
    let redactor = Redactor::new([]);
    let homeless = stage(&memory.store, draft("no task of its own"), &redactor, memory.now(), 60);
    assert_eq!(wait(homeless).unwrap(), Staged::Refused(Refusal::NoTask));
}

#[test]
fn nothing_that_is_put_down_is_without_bounds() {
    let memory = Memory::new();
    let mut long = draft(&"word ".repeat(10_000));
    long.title = "t".repeat(10_000);
    long.tags = vec!["x".to_owned(); 500];
    let id = memory.put(long);
    memory.find("");
    let said = wait(memory.store.note(&id)).unwrap().unwrap().said;
    assert!(said.content.chars().count() <= 4001 && said.title.chars().count() <= 241);
    assert_eq!(said.tags.len(), 32);
}

fn used(iteration: u32, succeeded: bool) -> Use {
    Use {
        run: Some(Attempt::new(1).run),
        task: Some(task()),
        iteration: Some(iteration),
        succeeded: Some(succeeded),
    }
}

#[test]
fn a_note_has_its_part_in_each_attempt_once() {
    let memory = Memory::new();
    let (shown, kept_back) = (memory.say("the cache is warm"), memory.say("ports are leased"));
    for _ in 0..2 {
        let notes = [shown.clone(), kept_back.clone(), shown.clone()];
        wait(credit(&memory.store, &notes, Some(&kept_back), &used(1, true), memory.now())).unwrap();
    }
    wait(credit(&memory.store, std::slice::from_ref(&shown), None, &used(2, false), memory.now())).unwrap();
    memory.find("");
    let uses = |id| wait(memory.store.note(id)).unwrap().unwrap().uses;
    assert_eq!((uses(&shown).succeeded, uses(&shown).failed), (1, 1));
    assert_eq!((uses(&kept_back).succeeded, uses(&kept_back).without_succeeded), (0, 1));
}

#[test]
fn what_was_said_of_code_that_has_changed_is_doubted_once_for_the_change() {
    let memory = Memory::new();
    let anchor = |digest: &str| Anchor { symbol: "Lexer".into(), file: "a.rs".into(), digest: digest.into() };
    let mut about = draft("the lexer keeps tabs");
    about.anchors = vec![anchor("1")];
    let id = memory.put(about);
    let rotten = |digest: &str| wait(rot(&memory.store, &[anchor(digest)], memory.now())).unwrap();
    let note = || {
        memory.find("");
        wait(memory.store.note(&id)).unwrap().unwrap()
    };
    assert_eq!(rotten("1"), []);
    assert_eq!(rotten("2"), std::slice::from_ref(&id));
    assert_eq!(rotten("2"), [], "once");
    assert!(note().stale && note().is_hypothesis());
    memory.happens(MemoryEvent::Confirmed { note: id.clone(), evidence: Evidence::Approved });
    assert_eq!(rotten("2"), [], "it was confirmed of the code as it is");
    assert!(!note().stale);
    assert_eq!(rotten("3"), std::slice::from_ref(&id));
    let elsewhere = Anchor { file: "b.rs".into(), ..anchor("9") };
    assert_eq!(wait(rot(&memory.store, &[elsewhere], memory.now())).unwrap(), []);
}

#[test]
fn the_report_says_what_helps_what_harms_and_what_was_seen_too_seldom() {
    let memory = Memory::new();
    let [good, bad, rare] =
        ["the cache is warm", "ports are leased", "logs rotate"].map(|text| memory.say(text));
    for iteration in 1..=6 {
        let at = memory.now();
        wait(credit(&memory.store, std::slice::from_ref(&good), Some(&bad), &used(iteration, true), at))
            .unwrap();
        wait(credit(
            &memory.store,
            std::slice::from_ref(&bad),
            Some(&good),
            &used(iteration + 10, false),
            at,
        ))
        .unwrap();
    }
    wait(credit(&memory.store, std::slice::from_ref(&rare), None, &used(99, true), memory.now())).unwrap();
    let report = wait(uplift(&memory.store, None)).unwrap();
    let found: Vec<_> = report.notes.iter().map(|one| (one.note.clone(), one.finding)).collect();
    assert_eq!(found, [(good, Finding::Helps), (bad, Finding::Harms), (rare, Finding::TooFew)]);
    assert_eq!((report.with.succeeded, report.with.failed), (7, 6));
    assert_eq!((report.without_one.succeeded, report.without_one.failed), (6, 6));
    assert!(!report.is_empty());
}

#[test]
fn tasks_that_began_with_notes_are_counted_beside_those_that_did_not() {
    let memory = Memory::new();
    let note = memory.say("the lexer keeps tabs");
    memory.learn(&failing());
    memory.learn(&passing(2));
    let mut other = passing(3);
    other.task = ralph_core::id::TaskId::parse("T-2").unwrap();
    let first = Use { task: Some(other.task.clone()), ..used(3, true) };
    wait(credit(&memory.store, &[note], None, &first, memory.now())).unwrap();
    memory.learn(&other);
    let report = wait(uplift(&memory.store, None)).unwrap();
    assert_eq!(report.tasks_without.mean_iterations(), Some(2.0));
    assert_eq!((report.tasks_with.completed, report.tasks_with.mean_iterations()), (1, Some(1.0)));
}

#[test]
fn the_same_changes_with_the_same_failures_are_known_from_an_earlier_run() {
    let memory = Memory::new();
    let earlier = failing();
    memory.learn(&earlier);
    let note =
        memory.staged().into_iter().find(|note| note.said.kind.name() == KindName::Failure).unwrap().id;
    let known = |attempt: &Attempt| wait(repeated(&memory.store, &attempt.seen())).unwrap();
    assert_eq!(known(&earlier), None, "within a run, the run itself can tell");
    let mut later = failing();
    later.run = ralph_core::id::RunId::parse("zzzzzzzzzzzz").unwrap();
    later.said = "Something else was said of it.".to_owned();
    assert_eq!(known(&later), Some(note));
    let mut other = failing();
    other.run = later.run.clone();
    other.checks = vec![tests(&[("keeps_spaces", "expected 2")])];
    assert_eq!(known(&other), None, "other failures");
    other.checks.clone_from(&later.checks);
    other.sketch.pieces.push(77);
    assert_eq!(known(&other), None, "other changes");
    let mut elsewhere = later;
    elsewhere.task = ralph_core::id::TaskId::parse("T-2").unwrap();
    assert_eq!(known(&elsewhere), None, "what another task has put down is its own");
}

#[test]
fn notes_for_all_projects_count_as_far_as_runs_of_this_one_had_them() {
    let (memory, global) = (Memory::new(), Memory::new());
    memory.learn(&passing(1));
    let without = wait(uplift(&memory.store, None)).unwrap();
    assert!(without.is_empty() && without.tasks_without.completed == 1);
    let note = global.say("the lexer keeps tabs");
    let own = Use { task: Some(task()), ..used(1, true) };
    let foreign = Use { run: RunId::parse("ba9876543210").ok(), ..used(1, false) };
    for used in [&own, &foreign] {
        wait(credit(&global.store, std::slice::from_ref(&note), None, used, memory.now())).unwrap();
    }
    let runs = own.run.into_iter().collect();
    let report = wait(uplift(&memory.store, Some(ForAll { store: &global.store, runs: &runs }))).unwrap();
    assert_eq!((report.tasks_with.completed, report.tasks_without.completed), (1, 0));
    assert_eq!((report.with.succeeded, report.with.failed), (1, 0));
    let told = &report.notes[0];
    assert_eq!((told.note.clone(), told.with.succeeded, told.with.failed), (note, 1, 0));
}

#[test]
fn an_approach_that_failed_is_known_when_it_is_stated_again() {
    let memory = Memory::new();
    let mut attempt = failing();
    attempt.said = "I made the lexer expand tabs while it reads.".to_owned();
    memory.learn(&attempt);
    let known = |stated: &str| wait(failed_like(&memory.store, stated, &task(), memory.now())).unwrap();
    let note =
        memory.staged().into_iter().find(|note| note.said.kind.name() == KindName::Failure).unwrap().id;
    assert_eq!(known("Expand the tabs in the lexer while reading, as others made it"), Some(note));
    assert_eq!(known("Keep tabs in the lexer, and expand them where columns are counted"), None);
}
