//! Which notes go into a brief, and which do not.

use std::collections::BTreeMap;

use ralph_core::id::{NoteId, TaskId};
use ralph_core::note::{Anchor, Citation, Draft, Evidence, Kind, MemoryEvent, Observation, Origin, Scope};
use ralph_memory::{Allowance, Hydration, LeftOut, Need, Omission, Section, Shelves, hydrate};
use ralph_store::conformance::wait;

use super::{Memory, draft};

pub(crate) fn need(text: &str) -> Need {
    Need {
        task: TaskId::parse("T-1").unwrap(),
        text: text.to_owned(),
        files: Vec::new(),
        symbols: Vec::new(),
        meaning: None,
        near: BTreeMap::new(),
        run: None,
        current: Vec::new(),
    }
}

pub(crate) fn of(kind: Kind, content: &str) -> Draft {
    Draft::new(kind, content)
}

pub(crate) fn gotcha(content: &str) -> Draft {
    of(Kind::Gotcha { triggers: vec!["two servers".to_owned()], terminal: None }, content)
}

fn failure(content: &str) -> Draft {
    let approach = "a bigger pool".to_owned();
    of(Kind::Failure { approach, diff: None, errors: vec!["timeout in drain".to_owned()] }, content)
}

pub(crate) fn hydrated(memory: &Memory, need: &Need) -> Hydration {
    let shelves = Shelves { project: &memory.store, global: None };
    wait(hydrate(&shelves, need, &Allowance::default(), None, memory.now())).unwrap()
}

fn why(hydration: &Hydration, note: &NoteId) -> Option<Omission> {
    hydration.left_out.iter().find(|left| left.note == *note).map(|left| left.why.clone())
}

#[test]
fn every_section_has_what_is_for_it() {
    let memory = Memory::new();
    let mut about = draft("the drain of the connection pool is in two steps");
    about.files.push("src/pool.rs".to_owned());
    let drafts = [
        (of(Kind::Skill, "Drain the connection pool with `make drain`"), Section::Skills),
        (of(Kind::Pattern, "Connections of the pool are owned by one task"), Section::Patterns),
        (gotcha("The connection pool hangs on a full drain"), Section::Gotchas),
        (failure("Raising the limit of the connection pool"), Section::Failures),
        (about, Section::Observations),
    ];
    let put: Vec<(NoteId, Section)> =
        drafts.into_iter().map(|(draft, section)| (memory.put(draft), section)).collect();
    let mut need = need("Drain the connection pool before the process ends");
    need.files.push("./src/pool.rs".to_owned());
    let found = hydrated(&memory, &need);
    let taken: Vec<(NoteId, Section)> =
        found.taken.iter().map(|one| (one.note.id.clone(), one.section)).collect();
    assert_eq!(taken, put);
    assert_eq!(found.notes().len(), 5);
    assert!(found.taken.iter().all(|one| one.note.tokens > 0 && one.tokens > one.note.tokens));
}

#[test]
fn nothing_is_taken_to_fill_the_room_that_there_is() {
    let memory = Memory::new();
    let best = memory.put(of(Kind::Skill, "Regenerate the protobuf schema with `make proto`"));
    let weak = memory.put(of(
        Kind::Skill,
        "The nightly report is mailed to the whole office by a cron job on the old machine in the cellar, \
         which has its own schema for names of months and must be restarted by hand after every update",
    ));
    let found = hydrated(&memory, &need("Regenerate the protobuf schema"));
    assert_eq!(found.notes(), [best]);
    assert_eq!(why(&found, &weak), Some(Omission::OfLittleUse));
    assert_eq!(hydrated(&memory, &need("Paint the fence")), Hydration::default());
}

#[test]
fn what_says_nearly_the_same_is_there_once() {
    let memory = Memory::new();
    let first = memory.put(of(Kind::Skill, "Run the migrations with `make db` before the tests"));
    let second = memory.put(of(Kind::Skill, "Run migrations by `make db` before running the tests"));
    let other = memory.put(of(Kind::Skill, "Tests of migrations are run against a copy of the customers"));
    let found = hydrated(&memory, &need("run the migrations and the tests"));
    let kept = if found.notes().contains(&first) { first.clone() } else { second.clone() };
    let gone = if kept == first { second } else { first };
    assert!(found.notes().contains(&other));
    assert_eq!(why(&found, &gone), Some(Omission::LikeAnother { note: kept.clone() }));
    let left = found.left_out.iter().find(|left| left.note == gone).unwrap();
    let written = serde_json::json!({
        "note": gone, "headline": left.headline, "section": "skills", "why": "like_another", "like": kept,
    });
    assert_eq!(serde_json::to_value(left).unwrap(), written);
}

#[test]
fn there_are_never_more_than_allowed() {
    let memory = Memory::new();
    let texts =
        ["alpha beta", "gamma delta", "epsilon zeta", "eta theta", "iota kappa", "lambda mu", "nu xi"];
    for text in texts {
        memory.put(gotcha(&format!("The parser of {text} overflows the stack")));
    }
    let found = hydrated(&memory, &need("the parser overflows the stack"));
    assert_eq!(found.taken.len(), Allowance::default().gotchas);
    let too_many = |left: &&LeftOut| left.why == Omission::TooMany;
    assert_eq!(found.left_out.iter().filter(too_many).count(), 2);
}

#[test]
fn what_is_little_relied_on_is_left_out_unless_only_time_speaks_against_a_person() {
    let memory = Memory::new();
    let rejected = memory.put(of(Kind::Skill, "Deploy the release with the blue script"));
    memory.happens(MemoryEvent::Doubted { note: rejected.clone(), evidence: Evidence::Rejected });
    memory.happens(MemoryEvent::Doubted { note: rejected.clone(), evidence: Evidence::Contradicted });
    let old = memory.put(of(Kind::Skill, "Deploy the release after the tag was signed"));
    let mut by_hand = of(Kind::Skill, "Deploy the release on weekdays only, says operations");
    by_hand.origin = Origin::Person;
    let by_hand = memory.put(by_hand);
    let need = need("deploy the release");
    assert!(hydrated(&memory, &need).notes().contains(&old));
    memory.days.set(memory.days.get() + 720);
    let found = hydrated(&memory, &need);
    assert_eq!(found.notes(), [by_hand]);
    for note in [rejected, old] {
        assert_eq!(why(&found, &note), Some(Omission::OfLittleUse));
    }
}

#[test]
fn what_has_nothing_to_show_for_itself_or_has_changed_since_is_a_hypothesis() {
    let memory = Memory::new();
    let anchor = |digest: &str| Anchor {
        symbol: "pool::drain".to_owned(),
        file: "src/pool.rs".to_owned(),
        digest: digest.to_owned(),
    };
    let cite =
        |draft: &mut Draft| draft.citations.push(Citation::File { path: "src/pool.rs".into(), line: None });
    let uncited = memory.put(of(Kind::Skill, "Drain the pool twice on weekends"));
    let mut cited = of(Kind::Skill, "Drain the pool with patience, says the manual");
    cite(&mut cited);
    let cited = memory.put(cited);
    let verified = memory.put(of(Kind::Skill, "Drain the pool through the admin socket"));
    memory.happens(MemoryEvent::Confirmed { note: verified.clone(), evidence: Evidence::TestsPassed });
    let mut stale = of(Kind::Skill, "Drain the pool by closing listeners");
    cite(&mut stale);
    let stale = memory.put(stale);
    memory.happens(MemoryEvent::Doubted { note: stale.clone(), evidence: Evidence::Changed });
    let mut anchored = of(Kind::Skill, "Drain the pool under its own lock");
    cite(&mut anchored);
    anchored.anchors.push(anchor("old"));
    let anchored = memory.put(anchored);

    let labels = |current: Vec<Anchor>| -> BTreeMap<NoteId, bool> {
        let need = Need { current, ..need("drain the pool") };
        hydrated(&memory, &need).taken.into_iter().map(|one| (one.note.id, one.hypothesis)).collect()
    };
    let expected = |changed: bool| {
        BTreeMap::from([
            (uncited.clone(), true),
            (cited.clone(), false),
            (verified.clone(), false),
            (stale.clone(), true),
            (anchored.clone(), changed),
        ])
    };
    assert_eq!(labels(Vec::new()), expected(false));
    assert_eq!(labels(vec![anchor("old")]), expected(false));
    assert_eq!(labels(vec![anchor("new")]), expected(true));
}

#[test]
fn a_task_sees_its_own_notes_and_nothing_that_was_superseded() {
    let memory = Memory::new();
    let staged = |task: &str, content: &str| {
        let mut draft = of(Kind::Skill, content);
        draft.scope = Scope::Task { task: TaskId::parse(task).unwrap() };
        memory.put(draft)
    };
    let own = staged("T-1", "Sign the installer with the hardware key");
    staged("T-2", "Sign the installer in the other building");
    let old = memory.put(of(Kind::Skill, "Sign the installer with signtool"));
    let mut newer = of(Kind::Skill, "Sign the installer through the broker of keys");
    newer.supersedes.push(old);
    let newer = memory.put(newer);
    let mut found = hydrated(&memory, &need("sign the installer")).notes();
    found.sort();
    assert_eq!(found, [own, newer]);
}

#[test]
fn what_was_seen_of_the_files_in_the_last_week_is_told_newest_first() {
    let memory = Memory::new();
    let seen = |file: &str, content: &str| {
        let mut about = of(Kind::Observation(Observation::Discovery), content);
        about.files.push(file.to_owned());
        memory.put(about)
    };
    seen("src/a.rs", "an observation that is more than a week old");
    let words = ["one", "two", "three", "four", "five"];
    let mut recent: Vec<NoteId> =
        words.iter().map(|word| seen("src/a.rs", &format!("number {word} of what {word} was"))).collect();
    seen("src/other.rs", "of a file that nobody asked for");
    memory.days.set(memory.days.get() + 2);
    let mut need = need("Something else entirely");
    need.files.push("src/a.rs".to_owned());
    recent.reverse();
    assert_eq!(hydrated(&memory, &need).notes(), recent);
    need.files.clear();
    assert_eq!(hydrated(&memory, &need), Hydration::default());
}

#[test]
fn what_holds_everywhere_is_found_beside_what_holds_here_and_once() {
    let (memory, everywhere) = (Memory::new(), Memory::new());
    // No note of one has the number of a note of the other.
    everywhere.days.set(20_100);
    for number in 0..40 {
        memory.say(&format!("Filler number {number} about nothing in particular"));
    }
    let here = memory.put(of(Kind::Skill, "Tag the release with the signed key"));
    memory.put(of(Kind::Skill, "Announce the release to the list of customers"));
    everywhere.put(of(Kind::Skill, "Tag the release with the signed key"));
    let mut global = of(Kind::Skill, "Check the changelog before you tag a release");
    global.scope = Scope::Global;
    let global = everywhere.put(global);
    let shelves = Shelves { project: &memory.store, global: Some(&everywhere.store) };
    let need = need("tag the release, with its changelog");
    let found = wait(hydrate(&shelves, &need, &Allowance::default(), None, memory.now())).unwrap();
    let notes = found.notes();
    assert!(notes.contains(&here) && notes.contains(&global), "{found:?}");
    let same = |note: &&ralph_memory::Taken| note.note.said.content.starts_with("Tag the release");
    assert_eq!(found.taken.iter().filter(same).count(), 1);
}
