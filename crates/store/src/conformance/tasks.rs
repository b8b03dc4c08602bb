//! A project's own backlog.

use ralph_core::backlog::{Kind, Status, Unsound};
use ralph_core::id::TaskId;
use serde_json::json;

use super::sample::at;
use super::{World, wait};
use crate::error::StoreError;
use crate::store::Store;
use crate::task::{By, NewTask, TaskEdit, TaskRefused};
use crate::tasks::Tasks;

fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

fn named(name: &str) -> NewTask {
    NewTask { id: Some(id(name)), ..NewTask::titled(format!("title of {name}")) }
}

fn add<S: Tasks>(store: &S, tasks: Vec<NewTask>) -> Result<Vec<String>, StoreError> {
    let added = wait(store.add_tasks(tasks, at(0), By::Person))?;
    Ok(added.iter().map(ToString::to_string).collect())
}

/// Every field has something in it.
fn full() -> NewTask {
    NewTask {
        description: "several\nlines \u{1f980}\0".to_owned(),
        status: Status::Blocked,
        priority: 0.try_into().unwrap(),
        acceptance_criteria: vec!["'one'".to_owned(), "two".to_owned()],
        labels: vec!["ui".to_owned()],
        depends_on: vec![id("a")],
        blocks: vec![id("b")],
        parent: Some(id("e")),
        kind: Kind::Container,
        metadata: [("estimate".to_owned(), json!({"hours": [1, 2]}))].into(),
        reason: Some("waits for the key".to_owned()),
        created_at: Some(at(-5)),
        updated_at: Some(at(-4)),
        closed_at: None,
        ..named("full")
    }
}

pub fn a_task_is_read_back_as_it_was_added(world: &impl World<Store: Tasks>) {
    let store = world.open();
    assert!(!wait(store.has_tasks()).unwrap());
    add(&store, vec![named("a"), named("b"), named("e"), full()]).unwrap();
    assert!(wait(store.has_tasks()).unwrap());
    let stored = wait(store.task(&id("full"))).unwrap().unwrap();
    assert_eq!(NewTask::from(stored.clone()), full());
    let all = wait(store.tasks()).unwrap();
    assert_eq!(all.iter().map(|one| one.item.id.as_str()).collect::<Vec<_>>(), ["a", "b", "e", "full"]);
    assert_eq!(all[3], stored);
    assert_eq!((all[0].created_at, all[0].closed_at), (at(0), None));
    assert_eq!(wait(store.task(&id("nobody"))).unwrap(), None);
}

pub fn ids_are_given_in_turn_and_never_twice(world: &impl World<Store: Tasks>) {
    let store = world.open();
    let some = || NewTask::titled("x");
    assert_eq!(add(&store, vec![some(), some()]).unwrap(), ["T-1", "T-2"]);
    assert_eq!(add(&store, vec![some(), named("T-7"), some()]).unwrap(), ["T-8", "T-7", "T-9"]);
    let own = ["T-x", "T-", "T-99999999999999999999999", "T-9223372036854775807", "t-50", "T-003"];
    assert_eq!(add(&store, own.map(named).to_vec()).unwrap(), own);
    assert_eq!(add(&store, vec![some()]).unwrap(), ["T-10"]);
    let twice = Err(StoreError::Task(TaskRefused::Exists { id: id("T-7") }));
    assert_eq!(add(&store, vec![some(), named("T-7")]), twice);
    assert!(add(&store, vec![named("new"), named("new")]).is_err());
    assert_eq!(add(&store, vec![some()]).unwrap(), ["T-11"], "what was refused took no number");
}

pub fn what_cannot_be_is_refused_whole(world: &impl World<Store: Tasks>) {
    let store = world.open();
    add(&store, vec![named("a"), NewTask { depends_on: vec![id("a")], ..named("b") }]).unwrap();
    let before = wait(store.tasks()).unwrap();
    let depends_on = |name: &str, on: &str| NewTask { depends_on: vec![id(on)], ..named(name) };
    let refused = |tasks: Vec<NewTask>| match add(&store, tasks) {
        Err(StoreError::Task(refused)) => refused,
        other => panic!("{other:?}"),
    };
    let unknown = Unsound::UnknownDependency { task: id("c"), missing: id("z") };
    assert_eq!(refused(vec![named("y"), depends_on("c", "z")]), TaskRefused::Unsound(unknown));
    let round = Unsound::Cycle(vec![id("c"), id("d")]);
    assert_eq!(refused(vec![depends_on("c", "d"), depends_on("d", "c")]), TaskRefused::Unsound(round));
    assert_eq!(refused(vec![NewTask::titled(" \n")]), TaskRefused::NoTitle);
    let edit = |name: &str, edit: TaskEdit| wait(store.edit_task(&id(name), vec![edit], at(1), By::Person));
    let round = TaskRefused::Unsound(Unsound::Cycle(vec![id("a"), id("b")]));
    assert_eq!(edit("a", TaskEdit::AddDependency(id("b"))), Err(StoreError::Task(round)));
    assert!(edit("a", TaskEdit::AddBlocked(id("a"))).is_err());
    assert!(edit("a", TaskEdit::Parent(Some(id("a")))).is_err());
    assert!(edit("a", TaskEdit::Parent(Some(id("nobody")))).is_err());
    assert!(edit("a", TaskEdit::Title(String::new())).is_err());
    let nobody = TaskRefused::NoTask { id: id("nobody") };
    assert_eq!(edit("nobody", TaskEdit::ClearCriteria), Err(StoreError::Task(nobody)));
    assert_eq!(wait(store.tasks()).unwrap(), before);
    assert_eq!(wait(store.task_history(&id("a"))).unwrap().len(), 1);
}

pub fn every_change_is_kept_and_what_is_so_already_is_none(world: &impl World<Store: Tasks>) {
    let store = world.open();
    add(&store, vec![named("a")]).unwrap();
    let edit = |edits: Vec<TaskEdit>, second: i64, by: By| {
        wait(store.edit_task(&id("a"), edits, at(second), by)).unwrap()
    };
    let done = |reason: &str| vec![TaskEdit::Status(Status::Completed, Some(reason.to_owned()))];
    assert!(!edit(vec![TaskEdit::Status(Status::Open, Some("x".to_owned()))], 1, By::Run).has_changed);
    let first = edit(done("all green"), 2, By::Run);
    assert_eq!((first.task.closed_at, first.task.updated_at), (Some(at(2)), at(2)));
    assert!(!edit(done("twice"), 3, By::Person).has_changed);
    let both = vec![TaskEdit::AddLabel("ui".to_owned()), TaskEdit::Status(Status::Open, None)];
    let reopened = edit(both, 4, By::Person).task;
    assert_eq!((reopened.closed_at, &reopened.reason), (None, &None));
    let history = wait(store.task_history(&id("a"))).unwrap();
    assert_eq!(
        history.iter().map(|line| (line.no, line.by)).collect::<Vec<_>>(),
        [(1, By::Person), (2, By::Run), (3, By::Person)]
    );
    let keys = |at: usize| history[at].fields.keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(keys(1), ["closed_at", "reason", "status"]);
    assert_eq!(keys(2), ["closed_at", "labels", "reason", "status"]);
    assert_eq!((history[1].at, &history[1].fields["reason"]), (at(2), &json!("all green")));
    assert_eq!(wait(store.task_history(&id("nobody"))).unwrap(), []);
}

fn label<S: Tasks>(store: &S, names: std::ops::Range<u32>) {
    for name in names {
        let edits = vec![TaskEdit::AddLabel(name.to_string())];
        wait(store.edit_task(&id("a"), edits, at(1), By::Person)).unwrap();
    }
}

pub fn lists_that_two_change_at_once_have_both_changes(world: &impl World<Store: Tasks>) {
    let store = world.open();
    let beside = world.open_beside();
    add(&store, vec![named("a")]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| label(beside.as_ref().unwrap_or(&store), 0..40));
        scope.spawn(|| label(&store, 40..80));
    });
    assert_eq!(wait(store.task(&id("a"))).unwrap().unwrap().item.labels.len(), 80);
    assert_eq!(wait(store.task_history(&id("a"))).unwrap().len(), 81);
}

pub fn tasks_and_runs_do_not_mix(world: &impl World<Store: Tasks>) {
    let store = world.open();
    add(&store, vec![named("a")]).unwrap();
    assert_eq!(wait(store.runs(10)).unwrap(), []);
}
