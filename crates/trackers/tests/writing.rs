//! A backlog written down as issues, and read again. `br` and `bd` are played by `stand_in.py`, unless RALPH_TEST_BR
//! names a real `br`.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ralph_core::backlog::{Backlog, Item, Kind, Priority, Status, Wanted};
use ralph_core::id::TaskId;
use ralph_trackers::{Beads, Tracker, TrackerError, Viewer, Written};
use serde_json::{Value, json};
use tempfile::TempDir;

const SHAPES: [(&str, &str); 5] =
    [("br", "array"), ("br", "refusal"), ("br", "mixed"), ("br", "lenient"), ("bd", "object")];

fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

fn stand_in(name: &str, shape: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".beads")).unwrap();
    fs::write(dir.path().join(".beads/stand-in.json"), "[]").unwrap();
    fs::write(dir.path().join(".beads/shape"), shape).unwrap();
    let program = dir.path().join(name);
    fs::write(&program, include_str!("stand_in.py")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (dir, program)
}

fn beads(dir: &TempDir, program: &Path) -> Beads {
    Beads::new(dir.path().to_owned(), program.to_owned(), Viewer::NotAsked)
}

/// An epic of two, one of which is done and waits for what is not; a bug, and one that waits for the epic's.
fn items() -> Vec<Item> {
    let item = |name: &str, title: &str, priority: i64| {
        let mut item = Item::new(id(name), title);
        item.priority = Priority::nearest(priority);
        item
    };
    let mut all = vec![
        item("US-3", "-later", 4),
        item("US-1", "first", 2),
        item("US-2", "second", 2),
        item("E-1", "An epic", 2),
        item("US-4", "urgent", 0),
        item("US-5", "begun", 2),
    ];
    all[0].depends_on = vec![id("US-1")];
    all[0].description = "-several\nlines = \"quoted\" $(no shell)\n\ttab".to_owned();
    all[0].acceptance_criteria = vec!["-one".to_owned(), "[x] two".to_owned(), "ä".to_owned()];
    all[0].labels = vec!["ui".to_owned(), "front end".to_owned(), "ü".to_owned()];
    all[1].parent = Some(id("E-1"));
    all[2].parent = Some(id("E-1"));
    all[2].status = Status::Completed;
    all[2].depends_on = vec![id("US-1")];
    all[2].acceptance_criteria = vec!["done".to_owned()];
    all[2].metadata.insert("completionNotes".to_owned(), json!("-because"));
    all[3].kind = Kind::Container;
    all[4].metadata.insert("type".to_owned(), json!("bug"));
    all[4].blocks = vec![id("US-1")];
    all[5].status = Status::InProgress;
    all
}

fn backlog() -> Backlog {
    Backlog::new(items()).unwrap()
}

/// What can be told of a task without its id.
type Told = (String, u8, Status, Vec<String>, String, Kind, Vec<String>, Option<String>);

/// In the order in which they come.
fn told(backlog: &Backlog) -> Vec<Told> {
    let plan = backlog.plan(&Wanted::default());
    let mut held: Vec<&Item> = plan.held.iter().map(|held| held.item).collect();
    held.sort_by_key(|item| &item.title);
    let title = |id: &TaskId| backlog.item(id).unwrap().title.clone();
    let one = |item: &Item| {
        let blocks = |other: &&Item| other.blocks.contains(&item.id);
        let mut waits: Vec<String> = item.depends_on.iter().map(title).collect();
        waits.extend(backlog.items().iter().filter(blocks).map(|other| other.title.clone()));
        waits.sort();
        let criteria = item.acceptance_criteria.clone();
        let parent = item.parent.as_ref().map(title);
        let (priority, description) = (item.priority.get(), item.description.clone());
        (item.title.clone(), priority, item.status, criteria, description, item.kind, waits, parent)
    };
    plan.turns.iter().map(|turn| turn.item).chain(held).map(one).collect()
}

fn comes_back(dir: &TempDir, program: &Path) {
    let mut beads = beads(dir, program);
    let written = beads.write("prd.json", &backlog()).unwrap();
    assert_eq!(written.refused, [] as [String; 0]);
    assert_eq!(written.issues.len(), 6);
    let labels: Vec<_> = written.labels.iter().map(|(from, to)| (from.as_str(), to.as_deref())).collect();
    assert_eq!(labels, [("front end", Some("front-end")), ("ü", None)]);
    let read = beads.load().unwrap();
    assert_eq!(told(&read), told(&backlog()));
    let issue = |task: &str| {
        let written = written.issues.iter().find(|one| one.task.as_str() == task).unwrap();
        read.item(&written.issue).unwrap()
    };
    assert_eq!(issue("US-3").labels, ["front-end", "ui"]);
    assert_eq!(issue("US-3").metadata["external_ref"], "prd.json#US-3");
    assert_eq!(issue("US-4").metadata["type"], "bug");
    assert_eq!(issue("US-2").metadata["close_reason"], "-because");
    let again = beads.write("prd.json", &backlog()).unwrap();
    assert!(again.issues.iter().all(|one| one.was_there), "{again:?}");
    assert_eq!(again.refused, [] as [String; 0]);
    assert_eq!(beads.load().unwrap().items(), read.items());
}

#[test]
fn what_is_written_is_read_again_and_a_second_time_nothing_is_made() {
    for (name, shape) in SHAPES {
        let (dir, program) = stand_in(name, shape);
        comes_back(&dir, &program);
    }
}

/// With a real `br`, if there is one: `RALPH_TEST_BR=/path/to/br`.
#[test]
#[ignore = "needs a br, in RALPH_TEST_BR"]
fn a_real_br_is_written_to() {
    let program = PathBuf::from(std::env::var_os("RALPH_TEST_BR").expect("RALPH_TEST_BR names a br"));
    let dir = tempfile::tempdir().unwrap();
    let init =
        Command::new(&program).args(["init", "--prefix", "bd"]).current_dir(dir.path()).output().unwrap();
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    comes_back(&dir, &program);
}

#[test]
fn whoever_begins_again_after_a_crash_at_any_call_ends_with_the_same() {
    // One to be closed with criteria, and what waits for it.
    let mut all = items();
    all.truncate(3);
    all.remove(0);
    all[0].parent = None;
    all[1].parent = None;
    let backlog = Backlog::new(all).unwrap();
    let write = |dir: &TempDir, program: &Path| beads(dir, program).write("prd.json", &backlog);
    let (dir, program) = stand_in("br", "mixed");
    write(&dir, &program).unwrap();
    let calls = fs::read_to_string(dir.path().join(".beads/calls")).unwrap().lines().count();
    for left in 0..calls {
        let (dir, program) = stand_in("br", "mixed");
        fs::write(dir.path().join(".beads/left"), left.to_string()).unwrap();
        let first = write(&dir, &program);
        assert!(first.is_err() || !first.unwrap().refused.is_empty(), "{left} of {calls}");
        fs::remove_file(dir.path().join(".beads/left")).unwrap();
        assert_eq!(write(&dir, &program).unwrap().refused, [] as [String; 0], "{left} of {calls}");
        assert_eq!(told(&beads(&dir, &program).load().unwrap()), told(&backlog), "{left} of {calls}");
    }
}

#[test]
fn cycles_and_unknown_names_are_reported_and_the_rest_is_written() {
    for (name, shape) in SHAPES {
        let (dir, program) = stand_in(name, shape);
        let mut all = items();
        all[1].depends_on = vec![id("US-3"), id("GONE"), id("US-1")];
        all[4].parent = Some(id("NOWHERE"));
        let Written { issues, refused, .. } =
            beads(&dir, &program).write("prd.json", &Backlog::new(all).unwrap()).unwrap();
        assert_eq!(issues.len(), 6);
        let says = |words: &[&str]| refused.iter().any(|one| words.iter().all(|word| one.contains(word)));
        assert!(says(&["US-4 is part of NOWHERE", "there is no NOWHERE"]), "{refused:?}");
        assert!(says(&["US-1 waits for GONE", "there is no GONE"]), "{refused:?}");
        assert!(says(&["US-1 waits for US-3", "Cycle detected"]), "{refused:?}");
        assert!(says(&["US-1 waits for US-1", "itself"]), "{refused:?}");
        assert_eq!(refused.len(), 4, "{refused:?}");
    }
}

#[test]
fn what_does_not_fit_is_named_before_anything_is_written() {
    let (dir, program) = stand_in("br", "mixed");
    let refused = |change: fn(&mut Item), what: &str| {
        let mut all = items();
        change(&mut all[5]);
        let error = beads(&dir, &program).write("prd.json", &Backlog::new(all).unwrap()).unwrap_err();
        assert!(matches!(error, TrackerError::Malformed { .. }) && !error.hint().is_empty(), "{error}");
        assert!(error.to_string().contains("US-5") && error.to_string().contains(what), "{error}");
        let issues: Value =
            serde_json::from_slice(&fs::read(dir.path().join(".beads/stand-in.json")).unwrap()).unwrap();
        assert_eq!(issues, json!([]));
    };
    refused(|item| item.title = " ".to_owned(), "has no title");
    refused(|item| item.title = "x".repeat(501), "501 characters");
    refused(|item| item.description = "x".repeat(200_000), "200000 bytes");
    refused(|item| item.acceptance_criteria = vec!["x".repeat(200_000)], "criteria");
    let mut all = items();
    all[5].description = "x".repeat(100 << 10);
    beads(&dir, &program).write("prd.json", &Backlog::new(all.clone()).unwrap()).unwrap();
    all[5].title = "something else".to_owned();
    let error = beads(&dir, &program).write("prd.json", &Backlog::new(all.clone()).unwrap()).unwrap_err();
    assert!(error.to_string().contains("US-5 is \"something else\" here, and \"begun\" in bd-"), "{error}");
    let other = beads(&dir, &program).write("other.json", &Backlog::new(all).unwrap()).unwrap();
    assert!(other.issues.iter().all(|one| !one.was_there), "another file is another backlog");
}

#[test]
fn what_is_there_is_never_taken_back() {
    let (dir, program) = stand_in("br", "lenient");
    let mut beads = beads(&dir, &program);
    let written = beads.write("prd.json", &backlog()).unwrap();
    let urgent = written.issues.iter().find(|one| one.task.as_str() == "US-4").unwrap().issue.clone();
    beads.complete(&urgent, "by hand").unwrap();
    beads.write("prd.json", &backlog()).unwrap();
    assert_eq!(beads.load().unwrap().item(&urgent).unwrap().status, Status::Completed);
    let mut all = items();
    all[1].status = Status::Completed;
    all[1].acceptance_criteria = vec!["new".to_owned()];
    beads.write("prd.json", &Backlog::new(all).unwrap()).unwrap();
    let read = beads.load().unwrap();
    let first = read.items().iter().find(|item| item.title == "first").unwrap();
    assert_eq!(
        (first.status, first.acceptance_criteria.as_slice()),
        (Status::Completed, &["new".to_owned()][..])
    );
}
