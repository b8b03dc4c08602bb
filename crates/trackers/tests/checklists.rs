//! Checklists as people write them: what is a task, what is known of it, and that the right box is checked.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::path::PathBuf;

use ralph_core::backlog::{Backlog, Item, Status};
use ralph_core::id::TaskId;
use ralph_trackers::{
    Accounts, Context, Detected, Markdown, Place, Prd, Surroundings, Tracker, TrackerError, detect,
    to_markdown, to_prd,
};
use tempfile::TempDir;

fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

fn file(text: &str) -> (TempDir, PathBuf, Markdown) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("TODO.md");
    fs::write(&path, text).unwrap();
    (dir, path.clone(), Markdown::new(path))
}

fn found(dir: &TempDir) -> Detected {
    detect(
        &Surroundings { root: dir.path(), state: None, search: None, accounts: &Accounts::default() },
        None,
        None,
    )
    .unwrap()
}

fn load(text: &str) -> Backlog {
    let (_dir, _path, mut tracker) = file(text);
    tracker.load().unwrap()
}

fn ids(backlog: &Backlog) -> Vec<&str> {
    backlog.items().iter().map(|item| item.id.as_str()).collect()
}

#[test]
fn what_is_wrong_with_a_checklist_is_told_and_no_other_is_taken_in_its_place() {
    let broken: [&[u8]; 4] = [
        b"- [ ] **A-1** one\n- [ ] **A-1** two\n",
        b"- [ ] one\n  - Priority: soon\n",
        b"- [ ] caf\xe9\n",
        b"\xff\xfe-\0 \0[\0 \0]\0 \0a\0\n\0",
    ];
    for text in broken {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("TODO.md"), text).unwrap();
        fs::write(dir.path().join("PLAN.md"), "- [ ] something else\n").unwrap();
        let found = found(&dir);
        assert_eq!(found.place, Place::Markdown { file: dir.path().join("TODO.md") });
        assert!(matches!(ralph_trackers::open(found.place).load(), Err(TrackerError::Malformed { .. })));
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("TODO.md"), b"only words, caf\xe9\n").unwrap();
    fs::write(dir.path().join("PLAN.md"), "- [ ] something\n").unwrap();
    let found = found(&dir);
    assert_eq!(
        found.place,
        Place::Markdown { file: dir.path().join("PLAN.md") },
        "that is no checklist at all"
    );
}

#[test]
fn criteria_are_criteria_with_a_box_or_without_and_on_several_lines() {
    let text = "- [ ] US-1: Log in\n  - Acceptance criteria:\n    - [ ] a form that\n      takes a name\n    - [x] a test\n    - works on:\n      - [ ] linux\n      - mac\n  - [ ] US-2: a part\n- [ ] US-3: Log out\n\n  **Acceptance criteria:**\n\n  - [ ] a button\n  - Priority: 1\n  - no session\n    is left\n\n  More words.\n  - a point\n- [ ] US-4: Reset\n  ### Acceptance criteria\n  - [ ] a mail\n";
    let backlog = load(text);
    assert_eq!(ids(&backlog), ["US-1", "US-2", "US-3", "US-4"]);
    let of = |name: &str| backlog.item(&id(name)).unwrap();
    assert_eq!(
        of("US-1").acceptance_criteria,
        ["a form that takes a name", "a test", "works on: - linux - mac"]
    );
    assert_eq!(of("US-1").description, "");
    assert_eq!(of("US-3").acceptance_criteria, ["a button", "no session is left"]);
    assert_eq!((of("US-3").priority.get(), of("US-3").description.as_str()), (1, "More words.\n- a point"));
    assert_eq!(of("US-4").acceptance_criteria, ["a mail"]);
}

#[test]
fn prose_is_not_taken_for_names_and_dependencies() {
    let text = "- [ ] P1: fix a\n- [ ] P1: fix b\n- [ ] US-1: first\n  - Depends on: none\n  - Blocks: n/a\n- [ ] US-2: second\n  - Dependencies: serde, tokio\n  - Parent: the div around it\n- [ ] US-3: third\n  - Dependencies: US-1, US-2\n  - Labels: –\n- [ ] US-4: fourth\n\n  before\n  - Dependencies: libc\n  after\n";
    let backlog = load(text);
    assert_eq!(ids(&backlog), ["p1-fix-a", "p1-fix-b", "US-1", "US-2", "US-3", "US-4"]);
    let of = |name: &str| backlog.item(&id(name)).unwrap();
    assert_eq!(of("p1-fix-a").title, "P1: fix a");
    assert_eq!((of("US-1").depends_on.len(), of("US-1").blocks.len()), (0, 0));
    assert_eq!(of("US-2").depends_on, []);
    assert_eq!(of("US-2").description, "- Dependencies: serde, tokio\n- Parent: the div around it");
    assert_eq!(of("US-3").depends_on, [id("US-1"), id("US-2")]);
    assert_eq!(of("US-3").labels.len(), 0);
    assert_eq!(of("US-4").description, "before\n- Dependencies: libc\nafter");
    assert_eq!(backlog.unknown(), []);
}

#[test]
fn a_fence_ends_with_what_it_is_in() {
    let backlog =
        load("- [ ] A-1: one\n  ```sh\n  - [ ] no task\n\n  make\n- [ ] A-2: two\n```\n- [ ] no task\n");
    assert_eq!(ids(&backlog), ["A-1", "A-2"]);
    assert_eq!(backlog.items()[0].description, "```sh\n- [ ] no task\n\nmake");
}

#[test]
fn code_comes_through_as_it_is() {
    let backlog = load("- [ ] A-1: one\n  ```make\n  \\x\n  all:\n  \tcc\n  ```\n\n  \\# no heading\n");
    let text = "```make\n\\x\nall:\n\tcc\n```\n\n# no heading";
    assert_eq!(backlog.items()[0].description, text);
    let mut item = Item::new(id("A-1"), "one");
    item.description = "```\n\\x\n  deep\n```\n# head".to_owned();
    let again = load(&to_markdown(&Context::default(), &[item.clone()]));
    assert_eq!(again.items(), [item]);
}

#[test]
fn marks_say_how_far_a_task_is_and_what_is_dropped_takes_its_parts_along() {
    let text = "- [~] A-1: one\n- [/] A-2: two\n- [-] A-3: three\n  - [ ] A-4: four\n    - [ ] A-5: five\n  - [x] A-6: six\n";
    let (_dir, path, mut tracker) = file(text);
    let backlog = tracker.load().unwrap();
    let statuses: Vec<Status> = backlog.items().iter().map(|item| item.status).collect();
    let (begun, dropped) = (Status::InProgress, Status::Cancelled);
    assert_eq!(statuses, [begun, begun, dropped, dropped, dropped, Status::Completed]);
    tracker.set_status(&id("A-1"), Status::Open).unwrap();
    tracker.complete(&id("A-2"), "").unwrap();
    let expected = text.replace("[~]", "[ ]").replace("[/]", "[x]");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    let (_dir, path, mut tracker) = file("- [x] one\n- [>] two\n");
    let error = tracker.load().unwrap_err();
    assert!(error.to_string().contains(&format!("{}:2:4: `[>]`", path.display())), "{error}");
}

#[test]
fn tasks_with_the_same_title_are_told_apart_by_what_they_stand_under() {
    let text = "# Parser\n- [ ] Add tests\n- [ ] Lexer\n  - [ ] Add tests\n## Printer\n- [ ] Add tests\n- [ ] Only one\n";
    let names = ["add-tests-parser", "lexer", "add-tests-lexer", "add-tests-printer", "only-one"];
    assert_eq!(ids(&load(text)), names);
    let fewer = text.replacen("- [ ] Add tests\n", "", 1);
    assert_eq!(ids(&load(&fewer)), &names[1..], "the others keep their names");
}

#[test]
fn no_wrong_box_is_checked_where_nothing_but_order_tells_tasks_apart() {
    let text = "- [ ] Add tests\n- [ ] Add tests\n- [ ] Add tests\n- [ ] other\n";
    let begin = || {
        let (dir, path, mut tracker) = file(text);
        assert_eq!(ids(&tracker.load().unwrap()), ["add-tests", "add-tests-2", "add-tests-3", "other"]);
        (dir, path, tracker)
    };
    let refused = |tracker: &mut Markdown, path: &PathBuf, name: &str| {
        let before = fs::read(path).unwrap();
        tracker.load().unwrap();
        let error = tracker.complete(&id(name), "").unwrap_err();
        assert!(matches!(error, TrackerError::Ambiguous { .. }), "{error}");
        assert_eq!(fs::read(path).unwrap(), before);
    };
    let (_dir, path, mut tracker) = begin();
    tracker.complete(&id("add-tests"), "").unwrap();
    tracker.complete(&id("add-tests-2"), "").unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        text.replacen("[ ]", "[x]", 2),
        "boxes may be checked in between"
    );
    let (_dir, path, mut tracker) = begin();
    fs::write(&path, text.replacen("- [ ] Add tests\n", "", 1)).unwrap();
    refused(&mut tracker, &path, "add-tests-2");
    tracker.set_status(&id("add-tests-2"), Status::InProgress).unwrap();
    tracker.complete(&id("add-tests-2"), "").unwrap();
    let (_dir, path, mut tracker) = begin();
    fs::write(&path, "- [ ] Add tests\n- [ ] other\n").unwrap();
    refused(&mut tracker, &path, "add-tests");
    tracker.complete(&id("other"), "").unwrap();
    let (_dir, path, mut tracker) = file("- [ ] Add tests\n");
    tracker.load().unwrap();
    fs::write(&path, text).unwrap();
    refused(&mut tracker, &path, "add-tests");
    let (_dir, path, mut tracker) = begin();
    fs::write(&path, format!("Words above.\n\n{text}")).unwrap();
    refused(&mut tracker, &path, "add-tests-3");
    tracker.complete(&id("other"), "").unwrap();
}

#[test]
fn a_dependency_told_from_the_other_end_is_not_lost_in_a_prd() {
    let items = load("- [ ] A-1: one\n  - Blocks: A-2\n- [ ] A-2: two\n  - Depends on: A-0, A-1\n- [ ] A-3: three\n- [ ] A-0: zero\n  - Blocks: A-3\n").into_items();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("prd.json");
    fs::write(&path, to_prd(&Context::default(), &items)).unwrap();
    let backlog = Prd::new(path, dir.path().to_owned()).load().unwrap();
    let needs = |name: &str| backlog.item(&id(name)).unwrap().depends_on.clone();
    assert_eq!((needs("A-2"), needs("A-3")), (vec![id("A-0"), id("A-1")], vec![id("A-0")]));
}
