//! What every tracker does alike. Files and stores are real ones; `br`, `bd` and `bv` are played by `stand_in.py`,
//! unless RALPH_TEST_BR or RALPH_TEST_BD names a real one, and `gh` by `gh_stand_in.py`, unless RALPH_TEST_GH names a
//! real `gh`, for which GitHub is played by `github_stand_in.py`. Linear and Jira are played by servers on loopback,
//! `linear_stand_in.py` and `jira_stand_in.py`. All are strict about what they are asked.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod remote;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ralph_core::backlog::{Filter, Order, Status, Wanted};
use ralph_core::id::TaskId;
use ralph_store::{By, NewTask, SqliteStore, Tasks};
use ralph_trackers::{
    Accounts, Changes, Kept, Kind, Place, Surroundings, Tracker, TrackerError, Viewer, detect, open,
};
use remote::{Server, StandIn};
use serde_json::json;
use tempfile::TempDir;

/// A backlog of four: the second waits for the first and is urgent, the third is done, the fourth has a label and low
/// priority.
struct Subject {
    dir: TempDir,
    tracker: Box<dyn Tracker>,
    /// The ids of the four.
    ids: [TaskId; 4],
    keeps: Keeps,
}

/// Which statuses a format has beyond open and completed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Neither,
    Progress,
    All,
}

fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

fn four() -> [TaskId; 4] {
    ["A-1", "A-2", "A-3", "A-4"].map(id)
}

fn subject(dir: TempDir, place: Place, keeps: Keeps) -> Subject {
    Subject { tracker: open(place), dir, ids: four(), keeps }
}

fn found(root: &Path, kind: Option<Kind>, search: Option<&std::ffi::OsStr>) -> Place {
    let accounts = Accounts::default();
    detect(&Surroundings { root, state: None, search, accounts: &accounts }, kind, None).unwrap().place
}

fn prd(style: &str) -> Subject {
    let story = |id: &str, passes: bool| json!({"id": id, "title": format!("Task {id}"), "passes": passes});
    let mut stories = [story("A-1", false), story("A-2", false), story("A-3", true), story("A-4", false)];
    stories[1]["dependsOn"] = json!(["A-1"]);
    stories[1]["priority"] = json!(1);
    stories[3]["labels"] = json!(["ui"]);
    stories[3]["priority"] = json!(12);
    let (key, root) = if style == "snarktank" { ("project", "scripts/ralph") } else { ("name", ".") };
    let document = json!({key: "Demo", "description": "All of it", "userStories": stories});
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(root)).unwrap();
    let text = if style == "compact" { document.to_string() } else { format!("{document:#}\n") };
    fs::write(dir.path().join(root).join("prd.json"), text).unwrap();
    let place = found(dir.path(), None, None);
    subject(dir, place, Keeps::Neither)
}

fn markdown() -> Subject {
    let dir = tempfile::tempdir().unwrap();
    let text = "# Demo\n\nAll of it\n\n- [ ] A-1: Task A-1\n- [ ] A-2: Task A-2\n  - Priority: 0\n  - Depends on: A-1\n\
        * [X] **A-3** Task A-3\n1. [ ] Task A-4 {#A-4}\n   - Labels: ui\n   - Priority: 4\n";
    fs::write(dir.path().join("TODO.md"), text).unwrap();
    let place = found(dir.path(), None, None);
    subject(dir, place, Keeps::Neither)
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A directory with the stand-in under these names, and issues that it knows.
fn stand_in(names: &[&str], shape: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for sub in ["bin", ".beads"] {
        fs::create_dir(dir.path().join(sub)).unwrap();
    }
    for name in names {
        executable(&dir.path().join("bin").join(name), include_str!("stand_in.py"));
    }
    let issue = |id: &str, status: &str, priority: u8| json!({"id": id, "title": format!("Task {id}"), "status": status, "priority": priority, "issue_type": "task"});
    let mut issues = [
        issue("A-1", "open", 2),
        issue("A-2", "open", 0),
        issue("A-3", "closed", 2),
        issue("A-4", "open", 4),
    ];
    issues[1]["dependencies"] = json!([{"issue_id": "A-2", "depends_on_id": "A-1", "type": "blocks"}]);
    issues[3]["labels"] = json!(["ui"]);
    fs::write(dir.path().join(".beads/stand-in.json"), json!(issues).to_string()).unwrap();
    fs::write(dir.path().join(".beads/shape"), shape).unwrap();
    dir
}

fn beads(kind: Kind, names: &[&str], shape: &str) -> Subject {
    let dir = stand_in(names, shape);
    let search = dir.path().join("bin").into_os_string();
    let place = found(dir.path(), Some(kind), Some(&search));
    subject(dir, place, Keeps::Progress)
}

/// A repository on GitHub with these labels.
fn github(labels: &[&str]) -> Subject {
    let dir = tempfile::tempdir().unwrap();
    for sub in ["bin", ".gh"] {
        fs::create_dir(dir.path().join(sub)).unwrap();
    }
    executable(&dir.path().join("bin/gh"), include_str!("gh_stand_in.py"));
    let issue = |number: u8, state: &str, labels: &[&str]| {
        let labels: Vec<_> = labels.iter().map(|name| json!({"name": name})).collect();
        json!({"number": number, "title": format!("Task A-{number}"), "state": state, "labels": labels, "body": "",
            "stateReason": if state == "CLOSED" { "COMPLETED" } else { "" }, "milestone": null,
            "url": format!("https://github.com/o/r/issues/{number}")})
    };
    let mut issues = [
        issue(1, "OPEN", &[]),
        issue(2, "OPEN", &["P0"]),
        issue(3, "CLOSED", &[]),
        issue(4, "OPEN", &["ui", "priority: lowest"]),
        issue(5, "OPEN", &[]),
    ];
    issues[1]["body"] = json!("Urgent.\n\nDepends on #1");
    issues[4]["url"] = json!("https://github.com/o/r/pull/5");
    let state = json!({"issues": issues, "labels": labels});
    fs::write(dir.path().join(".gh/state.json"), state.to_string()).unwrap();
    let search = dir.path().join("bin").into_os_string();
    let place = found(dir.path(), Some(Kind::Github), Some(&search));
    let keeps = if labels.is_empty() { Keeps::Neither } else { Keeps::All };
    Subject { ids: ["GH-1", "GH-2", "GH-3", "GH-4"].map(id), ..subject(dir, place, keeps) }
}

/// A team in Linear, told in pages of two.
fn linear(more_states: &[(&str, &str)]) -> (StandIn, Subject) {
    let (dir, stand_in, account) = remote::linear(more_states);
    stand_in.change(|state| state["page"] = json!(2));
    let subject = subject(dir, Place::Linear(account), Keeps::All);
    (stand_in, Subject { ids: ["ENG-1", "ENG-2", "ENG-3", "ENG-4"].map(id), ..subject })
}

/// A project in Jira, told in pages of three.
fn jira(is_cloud: bool, more: &[(&str, &str)]) -> (StandIn, Subject) {
    let (dir, stand_in, account) = remote::jira(is_cloud, more);
    stand_in.change(|state| state["page"] = json!(3));
    let subject = subject(dir, Place::Jira(account), Keeps::All);
    (stand_in, Subject { ids: ["P-1", "P-2", "P-3", "P-4"].map(id), ..subject })
}

const STATE: &str = "state";

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn native() -> Subject {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join(STATE);
    let task = |name: &str| NewTask { id: Some(id(name)), ..NewTask::titled(format!("Task {name}")) };
    let mut tasks = ["A-1", "A-2", "A-3", "A-4"].map(task);
    tasks[1].depends_on = vec![id("A-1")];
    tasks[1].priority = 0.try_into().unwrap();
    tasks[2].status = Status::Completed;
    tasks[3].labels = vec!["ui".to_owned()];
    tasks[3].priority = 4.try_into().unwrap();
    let store = SqliteStore::open(&state).unwrap();
    wait(store.add_tasks(tasks.to_vec(), jiff::Timestamp::now(), By::Person)).unwrap();
    drop(store);
    let accounts = Accounts::default();
    let around = Surroundings { root: dir.path(), state: Some(&state), search: None, accounts: &accounts };
    let place = detect(&around, None, None).unwrap().place;
    subject(dir, place, Keeps::All)
}

/// Everything below a directory, to see that nothing was written.
fn tree(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.join("beads.db").exists() {
                // A real one keeps times and counts of its own; its issues with all that became of them are in here.
                files.insert(path.clone(), fs::read(path.join("issues.jsonl")).unwrap());
            } else if path.ends_with(STATE) {
                files.insert(path.clone(), written_in(&path).into_bytes());
            } else if path.is_dir() {
                dirs.push(path);
            } else if !path.ends_with("calls") {
                files.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// What a store says of its tasks, with all that ever became of them: its files change by being looked at.
fn written_in(state: &Path) -> String {
    let store = SqliteStore::open_existing(state).unwrap();
    let tasks = wait(store.tasks()).unwrap();
    let history = |id: &TaskId| wait(store.task_history(id)).unwrap();
    tasks.iter().map(|task| format!("{task:?} {:?}\n", history(&task.item.id))).collect()
}

const REASON: &str = "it's \"done\"; $(touch owned) --force\n<!-- [ ] -->\u{202e}";

fn conforms(mut subject: Subject) {
    let ids = subject.ids.clone();
    let [one, two, three, four] = &ids;
    let tracker = subject.tracker.as_mut();
    let all = Filter::default();

    let before = tracker.load().unwrap();
    assert_eq!(before.items().len(), 4);
    let item = |id: &TaskId| before.item(id).unwrap();
    assert!(ids.iter().all(|id| item(id).title.starts_with("Task A-")), "titles");
    assert_eq!(item(three).status, Status::Completed);
    assert_eq!(item(two).depends_on, std::slice::from_ref(one));
    assert_eq!([item(one), item(two), item(four)].map(|item| item.priority.get()), [2, 0, 4]);
    let label = Filter { labels: vec!["ui".to_owned()], ..Filter::default() };
    assert_eq!(
        tracker.tasks(&label).unwrap().into_iter().map(|item| item.id).collect::<Vec<_>>(),
        std::slice::from_ref(four)
    );

    let wanted = Wanted::default();
    let next = |tracker: &mut dyn Tracker| tracker.next(&wanted).unwrap().map(|item| item.id);
    assert_eq!(next(tracker), Some(one.clone()));
    assert_eq!([one, two, three, four].map(|id| tracker.is_ready(id).unwrap()), [true, false, false, true]);
    assert!(!tracker.is_complete(&all).unwrap());
    let context = tracker.context().unwrap();
    assert_eq!((context.completed, context.total), (1, 4));
    let (_, same) = tracker.sync(&before).unwrap();
    assert_eq!(same, Changes::default());

    let untouched = tree(subject.dir.path());
    let nobody = id("NO-1");
    for refused in
        [tracker.complete(&nobody, "x"), tracker.set_status(&nobody, Status::InProgress).map(|_| ())]
    {
        assert!(matches!(refused, Err(TrackerError::NoTask { .. })), "{refused:?}");
    }
    assert_eq!(tracker.set_status(one, Status::Open), Ok(Kept::ByTracker), "it is open already");
    tracker.complete(three, "again").unwrap();
    if subject.keeps != Keeps::All {
        assert_eq!(tracker.set_status(one, Status::Cancelled), Ok(Kept::Nowhere));
    }
    assert_eq!(tree(subject.dir.path()), untouched, "nothing of this is a change");

    let kept = tracker.set_status(one, Status::InProgress).unwrap();
    let keeps_progress = subject.keeps != Keeps::Neither;
    assert_eq!(kept, if keeps_progress { Kept::ByTracker } else { Kept::Nowhere });
    assert_eq!(tracker.load().unwrap().item(one).unwrap().status == Status::InProgress, keeps_progress);
    assert_eq!(next(tracker), Some(one.clone()), "what was begun is not stranded");
    let blocked = tracker.set_status(one, Status::Blocked).unwrap();
    assert_eq!(blocked, kept, "a format that cannot say the one cannot say the other");
    assert_eq!(tracker.is_ready(one).unwrap(), !keeps_progress);
    tracker.set_status(one, Status::Open).unwrap();
    assert!(tracker.is_ready(one).unwrap());

    tracker.complete(one, REASON).unwrap();
    let (now, changes) = tracker.sync(&before).unwrap();
    assert_eq!(changes, Changes { updated: vec![one.clone()], ..Changes::default() });
    assert_eq!(now.item(one).unwrap().status, Status::Completed);
    assert_eq!(next(tracker), Some(two.clone()), "the urgent one is free now");
    let settled = tree(subject.dir.path());
    tracker.complete(one, "twice").unwrap();
    assert_eq!(tree(subject.dir.path()), settled, "twice is once");

    tracker.set_status(one, Status::Open).unwrap();
    assert_eq!(tracker.load().unwrap().item(one).unwrap().status, Status::Open);
    assert!(!tracker.is_ready(two).unwrap());
    for id in [one, two, four] {
        tracker.complete(id, "done").unwrap();
    }
    assert!(tracker.is_complete(&all).unwrap());
    assert_eq!(next(tracker), None);
    assert!(!subject.dir.path().join("owned").exists(), "a reason was run");
    assert!(tracker.files().iter().all(|file| file.exists()));
}

#[test]
fn prd_files_conform_however_they_are_written() {
    ["ralph-tui", "snarktank", "compact"].into_iter().for_each(|style| conforms(prd(style)));
}

#[test]
fn markdown_files_conform() {
    conforms(markdown());
}

#[test]
fn beads_conform_with_the_stand_in_that_answers_in_arrays() {
    conforms(beads(Kind::Beads, &["br"], "array"));
}

#[test]
fn beads_conform_with_the_stand_in_that_answers_in_arrays_and_refusals() {
    conforms(beads(Kind::Beads, &["br"], "refusal"));
}

#[test]
fn beads_conform_with_the_stand_in_that_answers_now_in_one_and_now_in_the_other() {
    conforms(beads(Kind::Beads, &["br"], "lenient"));
}

#[test]
fn beads_conform_with_the_stand_in_that_answers_in_objects() {
    conforms(beads(Kind::Beads, &["bd"], "object"));
}

/// Two epics, the second waits for the first; one task in each, and one that waits for the second. Answers whether what is
/// in an epic that waits can be closed nevertheless.
fn of_epics(mut tracker: Box<dyn Tracker>, ids: [TaskId; 5]) -> bool {
    let [first, one, second, two, last] = &ids;
    let next = |tracker: &mut dyn Tracker| tracker.next(&Wanted::default()).unwrap().map(|item| item.id);
    let close_finished = |tracker: &mut dyn Tracker| {
        let backlog = tracker.load().unwrap();
        let finished: Vec<TaskId> = backlog.finished().map(|item| item.id.clone()).collect();
        finished.iter().for_each(|id| tracker.complete(id, "all that is in it is done").unwrap());
        finished
    };
    let order: Vec<TaskId> = {
        let backlog = tracker.load().unwrap();
        backlog.plan(&Wanted::default()).turns.iter().map(|turn| turn.item.id.clone()).collect()
    };
    assert_eq!(order, [one.clone(), two.clone(), last.clone()]);
    assert_eq!(close_finished(tracker.as_mut()), [] as [TaskId; 0]);
    assert!(!tracker.is_ready(two).unwrap(), "what it is part of is held up");
    let early = tracker.complete(two, "x");
    match &early {
        Ok(()) => drop(tracker.set_status(two, Status::Open).unwrap()),
        Err(refused) => {
            let refused = refused.to_string();
            assert!(refused.contains(&format!("did not close {two}")), "{refused}");
            assert!(refused.contains(first.as_str()) || refused.contains(second.as_str()), "{refused}");
        }
    }
    let waits = tracker.complete(last, "x").unwrap_err().to_string();
    assert!(waits.contains(&format!("did not close {last}")) && waits.contains(second.as_str()), "{waits}");
    for (task, epic) in [(one, first), (two, second)] {
        assert_eq!(next(tracker.as_mut()).as_ref(), Some(task));
        tracker.complete(task, "done").unwrap();
        assert_eq!(close_finished(tracker.as_mut()), std::slice::from_ref(epic));
    }
    assert_eq!(next(tracker.as_mut()).as_ref(), Some(last));
    tracker.complete(last, "done").unwrap();
    let backlog = tracker.load().unwrap();
    assert!(backlog.items().iter().all(|item| item.status == Status::Completed));
    early.is_ok()
}

#[test]
fn what_is_in_an_epic_waits_with_it_and_closes_it() {
    for (names, shape) in
        [(["br"], "array"), (["br"], "refusal"), (["br"], "mixed"), (["br"], "lenient"), (["bd"], "object")]
    {
        let dir = stand_in(&names, shape);
        let depends = |on: &str, how: &str| json!({"issue_id": "x", "depends_on_id": on, "type": how});
        let issue = |id: &str, kind: &str, needs: &[serde_json::Value]| json!({"id": id, "title": id, "status": "open", "priority": 2, "issue_type": kind, "dependencies": needs});
        let issues = [
            issue("E-1", "epic", &[]),
            issue("c-1", "task", &[depends("E-1", "parent-child")]),
            issue("E-2", "epic", &[depends("E-1", "blocks")]),
            issue("c-2", "task", &[depends("E-2", "parent-child")]),
            issue("t-3", "task", &[depends("E-2", "blocks")]),
        ];
        fs::write(dir.path().join(".beads/stand-in.json"), json!(issues).to_string()).unwrap();
        let search = dir.path().join("bin").into_os_string();
        let place = found(dir.path(), Some(Kind::Beads), Some(&search));
        let is_lenient = of_epics(open(place), ["E-1", "c-1", "E-2", "c-2", "t-3"].map(id));
        assert_eq!(is_lenient, shape == "lenient");
    }
}

#[test]
fn beads_by_graph_conform_with_the_stand_in_without_a_viewer() {
    conforms(beads(Kind::BeadsBv, &["br"], "array"));
}

#[test]
fn issues_on_github_conform_with_the_stand_in() {
    conforms(github(&["ui", "P0", "Status: In Progress", "blocked"]));
}

#[test]
fn a_repository_without_such_a_label_is_given_none() {
    let mut subject = github(&["ui"]);
    let one = id("GH-1");
    let before = tree(subject.dir.path());
    for status in [Status::InProgress, Status::Blocked] {
        assert_eq!(subject.tracker.set_status(&one, status), Ok(Kept::Nowhere));
    }
    assert!(
        matches!(subject.tracker.complete(&id("GH-5"), "x"), Err(TrackerError::NoTask { .. })),
        "a pull request"
    );
    assert!(matches!(subject.tracker.complete(&id("A-1"), "x"), Err(TrackerError::NoTask { .. })));
    assert_eq!(tree(subject.dir.path()), before);
    for status in [Status::Cancelled, Status::Completed, Status::Open, Status::Cancelled] {
        assert_eq!(subject.tracker.set_status(&one, status), Ok(Kept::ByTracker));
        assert_eq!(subject.tracker.load().unwrap().item(&one).unwrap().status, status);
    }
}

#[test]
fn a_label_that_stands_for_a_status_goes_when_the_status_does() {
    let mut subject = github(&["in progress", "on hold, for now", "blocked"]);
    let one = id("GH-1");
    let labels = |subject: &mut Subject| subject.tracker.load().unwrap().item(&one).unwrap().labels.clone();
    for (status, expected) in [
        (Status::InProgress, vec!["in progress"]),
        (Status::Blocked, vec!["blocked"]),
        (Status::Completed, vec![]),
    ] {
        subject.tracker.set_status(&one, status).unwrap();
        assert_eq!(labels(&mut subject), expected);
    }
}

#[test]
fn issues_in_linear_conform_with_the_stand_in() {
    let (_running, subject) = linear(&[("Blocked", "started"), ("Duplicate", "duplicate")]);
    conforms(subject);
}

#[test]
fn issues_in_jira_conform_with_the_stand_ins_of_both_kinds() {
    for is_cloud in [true, false] {
        let (_running, subject) = jira(is_cloud, &[("Blocked", "indeterminate"), ("Won't Do", "done")]);
        conforms(subject);
    }
}

#[test]
fn a_workflow_without_such_a_status_is_left_as_it_is() {
    let (_linear, mut team) = linear(&[]);
    let (_jira, mut project) = jira(true, &[]);
    for (subject, statuses) in
        [(&mut team, &[Status::Blocked][..]), (&mut project, &[Status::Blocked, Status::Cancelled])]
    {
        let before = tree(subject.dir.path());
        for status in statuses {
            assert_eq!(subject.tracker.set_status(&subject.ids[0], *status), Ok(Kept::Nowhere));
        }
        assert_eq!(tree(subject.dir.path()), before);
        assert_eq!(subject.tracker.set_status(&subject.ids[0], Status::InProgress), Ok(Kept::ByTracker));
    }
}

/// The tracker's calls block, and whoever makes them may be in the middle of a runtime.
#[test]
fn servers_are_reached_from_within_a_runtime() {
    let (_linear, mut team) = linear(&[]);
    wait(async {
        team.tracker.complete(&id("ENG-1"), "done").unwrap();
        drop(team);
    });
}

#[test]
fn the_projects_own_tasks_conform() {
    conforms(native());
}

#[test]
fn the_projects_own_tasks_keep_every_status() {
    let mut subject = native();
    let one = id("A-1");
    for status in Status::ALL.into_iter().chain(Status::ALL.into_iter().rev()) {
        assert_eq!(subject.tracker.set_status(&one, status), Ok(Kept::ByTracker));
        assert_eq!(subject.tracker.load().unwrap().item(&one).unwrap().status, status);
    }
}

/// The tracker's calls block, and whoever makes them may be in the middle of a runtime.
#[test]
fn the_projects_own_tasks_are_reached_from_within_a_runtime() {
    let mut subject = native();
    wait(async { subject.tracker.complete(&id("A-1"), "done") }).unwrap();
    assert!(subject.tracker.is_ready(&id("A-2")).unwrap());
}

const CHILD: &str = "RALPH_TRACKERS_TEST_STATE";

/// Goes over tasks of its own again and again. Does nothing unless it is the child.
#[test]
fn child_that_works() {
    let Some(root) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let mut tracker = open(Place::Native { state: root.join(STATE), root: root.clone() });
    let store = SqliteStore::open(&root.join(STATE)).unwrap();
    for round in 0..20 {
        let new = vec![NewTask::titled(format!("{} {round}", std::process::id()))];
        let mine = wait(store.add_tasks(new, jiff::Timestamp::now(), By::Person)).unwrap().remove(0);
        tracker.set_status(&mine, Status::InProgress).unwrap();
        tracker.complete(&mine, &format!("{} {round}", std::process::id())).unwrap();
    }
}

#[test]
fn processes_that_write_at_once_lose_nothing_and_take_no_id_twice() {
    let mut subject = native();
    let child = || {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["child_that_works", "--exact"]).env(CHILD, subject.dir.path());
        child.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let children = [child(), child(), child()];
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let backlog = subject.tracker.load().unwrap();
    assert_eq!(backlog.items().len(), 4 + 3 * 20);
    let store = SqliteStore::open_existing(&subject.dir.path().join(STATE)).unwrap();
    for (item, number) in backlog.items().iter().skip(4).zip(1..) {
        assert_eq!(item.id, id(&format!("T-{number}")));
        assert_eq!((item.status, &item.metadata["completionNotes"]), (Status::Completed, &json!(item.title)));
        assert_eq!(wait(store.task_history(&item.id)).unwrap().len(), 3);
    }
}

#[test]
fn a_reason_reaches_the_tracker_as_it_is() {
    let mut beads = beads(Kind::Beads, &["br"], "array");
    beads.tracker.complete(&id("A-1"), REASON).unwrap();
    let issues = fs::read_to_string(beads.dir.path().join(".beads/stand-in.json")).unwrap();
    let issues: serde_json::Value = serde_json::from_str(&issues).unwrap();
    assert_eq!(issues[0]["close_reason"], REASON);
    let mut prd = prd("ralph-tui");
    prd.tracker.complete(&id("A-1"), REASON).unwrap();
    let text = fs::read_to_string(prd.dir.path().join("prd.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["userStories"][0]["completionNotes"], REASON);
    let mut github = github(&[]);
    github.tracker.complete(&id("GH-1"), REASON).unwrap();
    let state = fs::read_to_string(github.dir.path().join(".gh/state.json")).unwrap();
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["issues"][0]["comments"][0], REASON);
    let (running, mut team) = linear(&[]);
    team.tracker.complete(&id("ENG-1"), REASON).unwrap();
    assert_eq!(running.state()["issues"][0]["comments"][0]["body"], REASON);
    let (running, mut project) = jira(false, &[]);
    project.tracker.complete(&id("P-1"), REASON).unwrap();
    assert_eq!(running.state()["issues"][0]["comments"][0]["body"], REASON);
    let mut native = native();
    native.tracker.complete(&id("A-1"), REASON).unwrap();
    let store = SqliteStore::open_existing(&native.dir.path().join(STATE)).unwrap();
    assert_eq!(wait(store.task(&id("A-1"))).unwrap().unwrap().reason.as_deref(), Some(REASON));
}

#[test]
fn what_beads_did_not_close_is_an_error_that_says_why() {
    for (name, shape, why) in [
        ("br", "array", "it waits for A-1"),
        ("br", "refusal", "it waits for A-1"),
        ("bd", "object", "blocked by: A-1"),
    ] {
        let mut subject = beads(Kind::Beads, &[name], shape);
        let error = subject.tracker.complete(&id("A-2"), "x").unwrap_err().to_string();
        assert!(error.contains("did not close A-2") && error.contains(why), "{shape}: {error}");
        assert_eq!(subject.tracker.load().unwrap().item(&id("A-2")).unwrap().status, Status::Open);
    }
}

#[test]
fn a_part_of_the_issues_is_not_taken_for_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".beads")).unwrap();
    let part = json!({"issues": [{"id": "a", "title": "A", "status": "open"}], "total": 2, "has_more": true});
    executable(&dir.path().join("br"), &format!("#!/bin/sh\ncat <<'END'\n{part}\nEND\n"));
    let place = Place::Beads {
        root: dir.path().to_owned(),
        program: dir.path().join("br"),
        viewer: Viewer::NotAsked,
    };
    let error = open(place).load().unwrap_err().to_string();
    assert!(error.contains("a part of its issues only"), "{error}");
}

#[test]
fn a_reason_of_any_length_and_with_anything_in_it_is_told() {
    let mut beads = beads(Kind::Beads, &["br"], "array");
    beads.tracker.complete(&id("A-1"), &format!("a\0b{}", "ä".repeat(200_000))).unwrap();
    let issues = fs::read_to_string(beads.dir.path().join(".beads/stand-in.json")).unwrap();
    let issues: serde_json::Value = serde_json::from_str(&issues).unwrap();
    let told = issues[0]["close_reason"].as_str().unwrap();
    assert!(
        told.starts_with("a\u{fffd}bää") && told.ends_with("ä…") && told.len() < 70_000,
        "{}",
        told.len()
    );
}

#[test]
fn the_viewer_decides_where_it_can_and_the_graph_where_it_cannot() {
    let mut subject = beads(Kind::BeadsBv, &["br", "bv"], "array");
    let bin = subject.dir.path().join("bin");
    let Place::Beads { viewer: Viewer::Asked(Some(_)), .. } =
        found(subject.dir.path(), Some(Kind::BeadsBv), Some(bin.as_os_str()))
    else {
        panic!("the viewer is there");
    };
    let triage =
        json!({"triage": {"recommendations": [{"id": "A-4", "score": 0.9}, {"id": "A-1", "score": 0.2}]}});
    fs::write(subject.dir.path().join(".beads/triage.json"), triage.to_string()).unwrap();
    assert_eq!(subject.tracker.next(&Wanted::default()).unwrap().unwrap().id, id("A-4"));
    fs::write(subject.dir.path().join(".beads/triage.json"), "no JSON").unwrap();
    assert_eq!(subject.tracker.order(), Order::Graph);
    let remark = subject.tracker.remark().unwrap();
    assert!(remark.contains("`bv --robot-triage` answered with something that is not JSON"), "{remark}");
    assert_eq!(subject.tracker.next(&Wanted::default()).unwrap().unwrap().id, id("A-1"));
}

/// With a real `br`, if there is one: `RALPH_TEST_BR=/path/to/br`. `cargo xtask test` runs it where it finds one, and
/// says so where it does not.
#[test]
#[ignore = "needs a br, in RALPH_TEST_BR"]
fn a_real_br_conforms() {
    let program = PathBuf::from(std::env::var_os("RALPH_TEST_BR").expect("RALPH_TEST_BR names a br"));
    conforms_with(&program, &["init", "--prefix", "bd"]);
}

/// As above: `RALPH_TEST_BD=/path/to/bd`.
#[test]
#[ignore = "needs a bd, in RALPH_TEST_BD"]
fn a_real_bd_conforms() {
    let program = PathBuf::from(std::env::var_os("RALPH_TEST_BD").expect("RALPH_TEST_BD names a bd"));
    conforms_with(&program, &["init", "--prefix", "bd", "--stealth", "--skip-agents", "--non-interactive"]);
}

fn conforms_with(program: &Path, init: &[&str]) {
    let project = || {
        let dir = tempfile::tempdir().unwrap();
        real(program, dir.path(), init);
        let place = Place::Beads {
            root: dir.path().to_owned(),
            program: program.to_owned(),
            viewer: Viewer::NotAsked,
        };
        (dir, place)
    };
    let create = |dir: &TempDir, title: &str, more: &[&str]| {
        let args = [&["create", title, "--json"], more].concat();
        id(real(program, dir.path(), &args)["id"].as_str().unwrap())
    };
    let depend = |dir: &TempDir, from: &TaskId, on: &TaskId, how: &str| {
        real(program, dir.path(), &["dep", "add", from.as_str(), on.as_str(), "--type", how, "--json"]);
    };
    let (dir, place) = project();
    let ids = [
        create(&dir, "Task A-1", &["--type", "task", "--priority", "2"]),
        create(&dir, "Task A-2", &["--type", "task", "--priority", "0"]),
        create(&dir, "Task A-3", &["--type", "task", "--priority", "2"]),
        create(&dir, "Task A-4", &["--type", "task", "--priority", "4", "--labels", "ui"]),
    ];
    depend(&dir, &ids[1], &ids[0], "blocks");
    real(program, dir.path(), &["close", ids[2].as_str(), "--reason", "done", "--json"]);
    conforms(Subject { tracker: open(place), dir, ids, keeps: Keeps::Progress });
    let (dir, place) = project();
    let kinds = ["epic", "task", "epic", "task", "task"];
    let ids = kinds.map(|kind| create(&dir, kind, &["--type", kind, "--priority", "2"]));
    depend(&dir, &ids[1], &ids[0], "parent-child");
    depend(&dir, &ids[2], &ids[0], "blocks");
    depend(&dir, &ids[3], &ids[2], "parent-child");
    depend(&dir, &ids[4], &ids[2], "blocks");
    of_epics(open(place), ids);
}

fn real(program: &Path, dir: &Path, args: &[&str]) -> serde_json::Value {
    let out = Command::new(program).args(args).current_dir(dir).env("RUST_LOG", "error").output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap_or_default()
}

/// A real `gh` in place of the stand-in, and the stand-in for what it reaches.
fn with_real_gh(program: &Path, subject: &Subject) -> (Server, TempDir) {
    let root = subject.dir.path();
    let (server, port) = Server::start(include_str!("github_stand_in.py"), root);
    let settings = tempfile::tempdir().unwrap();
    let wrapper = format!(
        "#!/bin/sh\nexport GH_HOST=github.localhost GH_TOKEN=x GH_ENTERPRISE_TOKEN=x GH_CONFIG_DIR='{}'\n\
         export HTTP_PROXY=http://127.0.0.1:{}\nexec '{}' \"$@\"\n",
        settings.path().display(),
        port,
        program.display()
    );
    executable(&root.join("bin/gh"), &wrapper);
    for args in [vec!["init", "-q"], vec!["remote", "add", "origin", "http://github.localhost/o/r.git"]] {
        assert!(Command::new("git").args(args).current_dir(root).status().unwrap().success());
    }
    (server, settings)
}

/// With a real `gh`, if there is one: `RALPH_TEST_GH=/path/to/gh`. `cargo xtask test` runs it where it finds one, and
/// says so where it does not.
#[test]
#[ignore = "needs a gh, in RALPH_TEST_GH"]
fn a_real_gh_conforms() {
    let program = PathBuf::from(std::env::var_os("RALPH_TEST_GH").expect("RALPH_TEST_GH names a gh"));
    let subject = github(&["ui", "P0", "Status: In Progress", "blocked"]);
    let _running = with_real_gh(&program, &subject);
    conforms(subject);
    let mut subject = github(&["on hold", "a \"b\", c"]);
    let _running = with_real_gh(&program, &subject);
    subject.tracker.complete(&id("GH-1"), REASON).unwrap();
    let state = fs::read_to_string(subject.dir.path().join(".gh/state.json")).unwrap();
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["issues"][0]["comments"][0], REASON);
    for status in [Status::Blocked, Status::Cancelled, Status::Completed, Status::Open] {
        assert_eq!(subject.tracker.set_status(&id("GH-1"), status), Ok(Kept::ByTracker));
    }
    assert!(matches!(subject.tracker.complete(&id("GH-5"), "x"), Err(TrackerError::NoTask { .. })));
}
