//! A project's own tasks: whatever is asked for, in whatever order, they are what a plain model says; and stores from
//! before there were any are brought up to date.

use std::collections::BTreeMap;

use proptest::prelude::{Just, Strategy, any, proptest};
use proptest::test_runner::Config;
use ralph_core::backlog::Status;
use ralph_core::id::TaskId;
use ralph_store::conformance::sample::at;
use ralph_store::conformance::wait;
use ralph_store::{
    By, NewTask, SqliteStore, Store, StoreError, TaskChange, TaskEdit, TaskRecord, TaskRefused, Tasks,
};
use rusqlite::Connection;
use serde_json::Value;

use super::created;

#[derive(Debug, Clone)]
enum Happening {
    /// Under an own name or the next number, depending on some of `NAMES`.
    Add {
        own: Option<usize>,
        on: Vec<usize>,
    },
    Status(usize, Status),
    Depend(usize, usize),
    Free(usize, usize),
    Label(usize, u8),
    Unlabel(usize, u8),
    Crash,
}

const NAMES: [&str; 7] = ["T-1", "T-2", "T-3", "own", "T-12", "T-13", "nobody"];

fn id(name: usize) -> TaskId {
    TaskId::parse(NAMES[name]).unwrap()
}

fn happening() -> impl Strategy<Value = Happening> {
    let name = || 0..NAMES.len();
    let status = (0..Status::ALL.len()).prop_map(|at| Status::ALL[at]);
    proptest::prop_oneof![
        3 => (proptest::option::weighted(0.4, name()), proptest::collection::vec(name(), 0..2))
            .prop_map(|(own, on)| Happening::Add { own, on }),
        3 => (name(), status).prop_map(|(of, to)| Happening::Status(of, to)),
        3 => (name(), name()).prop_map(|(of, on)| Happening::Depend(of, on)),
        1 => (name(), name()).prop_map(|(of, on)| Happening::Free(of, on)),
        1 => (name(), any::<u8>()).prop_map(|(of, label)| Happening::Label(of, label % 3)),
        1 => (name(), any::<u8>()).prop_map(|(of, label)| Happening::Unlabel(of, label % 3)),
        1 => Just(Happening::Crash),
    ]
}

/// What is said of a task, in the simplest way.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Plain {
    id: String,
    status: Status,
    on: Vec<String>,
    labels: Vec<String>,
    changes: usize,
}

#[derive(Debug, Clone, Default)]
struct Model {
    tasks: Vec<Plain>,
    numbered: u64,
}

impl Model {
    fn find(&mut self, id: &str) -> Option<&mut Plain> {
        self.tasks.iter_mut().find(|one| one.id == id)
    }

    /// Whether one can be reached from itself; found by walking every way there is.
    fn is_sound(&self) -> bool {
        let next =
            |id: &str| -> Option<&Vec<String>> { Some(&self.tasks.iter().find(|one| one.id == id)?.on) };
        self.tasks.iter().all(|start| {
            let mut reached: Vec<&String> = start.on.iter().collect();
            let mut at = 0;
            while let Some(id) = reached.get(at).copied() {
                let Some(more) = next(id) else { return false };
                if *id == start.id {
                    return false;
                }
                let new: Vec<&String> = more.iter().filter(|one| !reached.contains(one)).collect();
                reached.extend(new);
                at += 1;
            }
            true
        })
    }

    fn add(&mut self, own: Option<String>, on: Vec<String>) -> Option<String> {
        let mut after = self.clone();
        let id = own.unwrap_or_else(|| format!("T-{}", self.numbered + 1));
        if after.find(&id).is_some() {
            return None;
        }
        let number = id.strip_prefix("T-").and_then(|digits| digits.parse().ok());
        after.numbered = after.numbered.max(number.unwrap_or(0));
        after.tasks.push(Plain { id: id.clone(), status: Status::Open, on, labels: Vec::new(), changes: 1 });
        after.is_sound().then(|| *self = after)?;
        Some(id)
    }

    /// Whether it was allowed.
    fn change(&mut self, id: &str, change: impl FnOnce(&mut Plain)) -> bool {
        let mut after = self.clone();
        let Some(task) = after.find(id) else { return false };
        let before = task.clone();
        change(task);
        task.changes += usize::from(*task != before);
        let is_sound = after.is_sound();
        if is_sound {
            *self = after;
        }
        is_sound
    }
}

fn put(list: &mut Vec<String>, one: String) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// Does to both what happens, and sees that both take it or neither.
fn perform(store: &SqliteStore, model: &mut Model, happening: Happening, second: i64) {
    let name = |name: usize| NAMES[name].to_owned();
    let edit = |of: usize, edit: TaskEdit| {
        let edited = wait(store.edit_task(&id(of), vec![edit], at(second), By::Person));
        let refused = matches!(edited, Err(StoreError::Task(_)));
        assert!(edited.is_ok() || refused, "{edited:?}");
        edited.is_ok()
    };
    match happening {
        Happening::Add { own, on } => {
            let mut ids: Vec<TaskId> = Vec::new();
            on.iter().map(|on| id(*on)).for_each(|one| ids.push(one));
            let task = NewTask { id: own.map(id), depends_on: ids, ..NewTask::titled("x") };
            let added = wait(store.add_tasks(vec![task], at(second), By::Person));
            let on = on.into_iter().map(name).collect();
            let expected = model.add(own.map(name), on);
            assert_eq!(added.map(|ids| ids[0].to_string()).ok(), expected);
        }
        Happening::Status(of, to) => {
            let allowed = model.change(NAMES[of], |task| task.status = to);
            assert_eq!(edit(of, TaskEdit::Status(to, None)), allowed);
        }
        Happening::Depend(of, on) => {
            let allowed = model.change(NAMES[of], |task| put(&mut task.on, name(on)));
            assert_eq!(edit(of, TaskEdit::AddDependency(id(on))), allowed);
        }
        Happening::Free(of, on) => {
            let allowed = model.change(NAMES[of], |task| task.on.retain(|one| *one != NAMES[on]));
            assert_eq!(edit(of, TaskEdit::RemoveDependency(id(on))), allowed);
        }
        Happening::Label(of, label) => {
            let allowed = model.change(NAMES[of], |task| put(&mut task.labels, label.to_string()));
            assert_eq!(edit(of, TaskEdit::AddLabel(label.to_string())), allowed);
        }
        Happening::Unlabel(of, label) => {
            let allowed = model.change(NAMES[of], |task| task.labels.retain(|one| *one != label.to_string()));
            assert_eq!(edit(of, TaskEdit::RemoveLabel(label.to_string())), allowed);
        }
        Happening::Crash => {}
    }
}

/// What the lines of a history come to.
fn folded(history: &[TaskChange]) -> TaskRecord {
    let mut fields: BTreeMap<String, Value> = BTreeMap::new();
    for line in history {
        fields.extend(line.fields.clone());
        if line.no > 1 {
            fields.insert("updated_at".to_owned(), Value::String(line.at.to_string()));
        }
    }
    serde_json::from_value(Value::Object(fields.into_iter().collect())).unwrap()
}

fn agree(store: &SqliteStore, model: &Model) {
    let tasks = wait(store.tasks()).unwrap();
    let plain = |task: &TaskRecord| {
        let history = wait(store.task_history(&task.item.id)).unwrap();
        assert_eq!(folded(&history), *task);
        assert_eq!(task.closed_at.is_some(), task.item.status.is_settled());
        Plain {
            id: task.item.id.to_string(),
            status: task.item.status,
            on: task.item.depends_on.iter().map(ToString::to_string).collect(),
            labels: task.item.labels.clone(),
            changes: history.len(),
        }
    };
    assert_eq!(tasks.iter().map(plain).collect::<Vec<_>>(), model.tasks);
}

proptest! {
    #![proptest_config(Config { cases: 64, failure_persistence: None, ..Config::default() })]

    #[test]
    fn whatever_happens_they_are_what_a_plain_model_says(
        happenings in proptest::collection::vec(happening(), 1..60)
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::open(dir.path()).unwrap();
        let mut model = Model::default();
        for (happening, second) in happenings.into_iter().zip(1..) {
            if matches!(happening, Happening::Crash) {
                drop(store);
                store = SqliteStore::open(dir.path()).unwrap();
            }
            perform(&store, &mut model, happening, second);
            agree(&store, &model);
        }
    }
}

/// Takes away what the later migrations made: what is left is a store of the first version.
fn made_older(dir: &std::path::Path) {
    let conn = Connection::open(dir.join("ralph.db")).unwrap();
    conn.execute_batch(
        "DROP TABLE memory_log; DROP TABLE memory_state; DROP TABLE notes; DROP TABLE note_places;
         DROP TABLE note_threads; DROP TABLE note_words; DROP TABLE note_postings; DROP TABLE note_trigrams;
         DROP TABLE note_measures; DROP TABLE note_vectors; ALTER TABLE runs DROP COLUMN in_session;
         DROP TABLE session_messages; DROP TABLE sessions; DROP TABLE task_history; DROP TABLE tasks;
         DELETE FROM migrations WHERE version > 1; PRAGMA user_version = 1;",
    )
    .unwrap();
    let fresh = Connection::open_in_memory().unwrap();
    fresh.execute_batch(include_str!("../../migrations/project/0001_first.sql")).unwrap();
    let schema = |conn: &Connection| -> Vec<String> {
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'migrations' ORDER BY sql";
        let mut query = conn.prepare(sql).unwrap();
        query.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(schema(&conn), schema(&fresh), "it is the first version");
}

#[test]
fn a_store_of_the_version_before_keeps_its_runs_and_takes_tasks() {
    let dir = tempfile::tempdir().unwrap();
    let run = created(&SqliteStore::open(dir.path()).unwrap());
    made_older(dir.path());
    let store = SqliteStore::open_existing(dir.path()).unwrap();
    assert_eq!(wait(store.tasks()).unwrap(), []);
    assert_eq!(wait(store.run(&run.id)).unwrap(), Some(run.clone()));
    assert_eq!(wait(store.entries(&run.id, 0, 10)).unwrap().len(), 1);
    wait(store.add_tasks(vec![NewTask::titled("x")], at(0), By::Person)).unwrap();
    drop(store);
    assert_eq!(wait(SqliteStore::open(dir.path()).unwrap().tasks()).unwrap().len(), 1);
}

#[test]
fn the_database_itself_keeps_the_history_and_a_changed_letter_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    wait(store.add_tasks(vec![NewTask::titled("needle")], at(0), By::Person)).unwrap();
    drop(store);
    let conn = Connection::open(dir.path().join("ralph.db")).unwrap();
    for sql in [
        "UPDATE task_history SET fields = '{}'",
        "DELETE FROM task_history",
        "DELETE FROM tasks",
        "INSERT INTO task_history VALUES ('T-1', 3, '', '', 1, '', 0)",
        "INSERT INTO task_history VALUES ('T-1', 1, '', '', 1, '', 0)",
    ] {
        assert!(conn.execute_batch(sql).is_err(), "{sql}");
    }
    conn.execute_batch("UPDATE tasks SET task = replace(task, 'needle', 'noodle')").unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    let wrong = wait(store.tasks()).unwrap_err();
    assert!(matches!(wrong, StoreError::Corrupt { .. }), "{wrong}");
}

#[test]
fn a_backlog_has_an_end() {
    let store = SqliteStore::in_memory().unwrap();
    let many = vec![NewTask::titled("x"); 200_001];
    let refused = wait(store.add_tasks(many, at(0), By::Person));
    let expected = TaskRefused::TooMany { count: 200_001, most: 200_000 };
    assert_eq!(refused, Err(StoreError::Task(expected)));
}
