//! The project's own tasks.

use std::collections::{BTreeMap, HashSet};

use ralph_core::Timestamp;
use ralph_core::backlog::{Backlog, Item};
use ralph_core::id::TaskId;
use rusqlite::{Connection, Row, params};
use serde_json::Value;

use super::draft::json;
use super::failure::Failure;
use super::runs::stored_time;
use super::seal::{intact, seal};
use crate::error::StoreError;
use crate::task::{By, Edited, NewTask, TaskChange, TaskEdit, TaskRecord, TaskRefused};

/// The version of a task's and a change's format; a newer one is refused.
const FORMAT: i64 = 1;
/// More than this is not a backlog.
const MOST: usize = 200_000;
/// What the ids that are given begin with.
const PREFIX: &str = "T-";
/// Numbers beyond are somebody's own names, and not counted on from.
const LARGEST: i64 = 1_000_000_000_000;

/// A row of `tasks`.
struct Stored {
    record: TaskRecord,
    last_change: u64,
}

pub(super) fn all(conn: &Connection) -> Result<Vec<TaskRecord>, Failure> {
    Ok(stored(conn, "ORDER BY place", [])?.into_iter().map(|one| one.record).collect())
}

pub(super) fn any(conn: &Connection) -> Result<bool, Failure> {
    Ok(conn.prepare_cached("SELECT 1 FROM tasks LIMIT 1")?.exists([])?)
}

pub(super) fn one(conn: &Connection, id: &TaskId) -> Result<Option<TaskRecord>, Failure> {
    Ok(find(conn, id)?.map(|one| one.record))
}

pub(super) fn history(conn: &Connection, id: &TaskId) -> Result<Vec<TaskChange>, Failure> {
    let Some(found) = find(conn, id)? else { return Ok(Vec::new()) };
    let sql = "SELECT no, at, by, format, fields, seal FROM task_history WHERE task = ?1 ORDER BY no";
    let mut query = conn.prepare_cached(sql)?;
    let mut rows = query.query([id.as_str()])?;
    let mut changes = Vec::new();
    while let Some(row) = rows.next()? {
        changes.push(change(row, id)?);
    }
    if changes.len() as u64 != found.last_change {
        return Err(Failure::Damaged(format!("task {id} has lost lines of its history")));
    }
    Ok(changes)
}

pub(super) fn add(
    conn: &Connection,
    tasks: Vec<NewTask>,
    at: Timestamp,
    by: By,
) -> Result<Vec<TaskId>, Failure> {
    let count: i64 = conn.query_row("SELECT count(*) FROM tasks", (), |row| row.get(0))?;
    let count = usize::try_from(count).unwrap_or(usize::MAX).saturating_add(tasks.len());
    if count > MOST {
        return Err(refused(TaskRefused::TooMany { count, most: MOST }));
    }
    let has_relations = tasks.iter().any(NewTask::has_relations);
    let mut next = next_number(conn, &tasks)?;
    let mut records = Vec::with_capacity(tasks.len());
    let mut names = HashSet::with_capacity(tasks.len());
    let mut is_there = conn.prepare_cached("SELECT 1 FROM tasks WHERE id = ?1")?;
    for task in tasks {
        if task.title.trim().is_empty() {
            return Err(refused(TaskRefused::NoTitle));
        }
        let (id, number) = match &task.id {
            Some(id) => (id.clone(), number(id)),
            None => {
                next += 1;
                let id = TaskId::parse(&format!("{PREFIX}{}", next - 1)).expect("a number makes an id");
                (id, Some(next - 1))
            }
        };
        if !names.insert(id.clone()) || is_there.exists([id.as_str()])? {
            return Err(refused(TaskRefused::Exists { id }));
        }
        records.push((task.into_record(id, at), number));
    }
    if has_relations {
        let others = all(conn)?.into_iter().map(|one| one.item);
        check(others.chain(records.iter().map(|(record, _)| record.item.clone())).collect())?;
    }
    let mut insert = conn.prepare_cached("INSERT INTO tasks VALUES (NULL, ?1, ?2, 1, ?3, ?4, ?5)")?;
    for (record, number) in &records {
        let (id, text) = (record.item.id.as_str(), json(record));
        insert.execute(params![id, number, FORMAT, text, seal(&[id, "1", &text])])?;
        note(conn, &record.item.id, 1, at, by, &fields(record))?;
    }
    Ok(records.into_iter().map(|(record, _)| record.item.id).collect())
}

pub(super) fn edit(
    conn: &Connection,
    id: &TaskId,
    edits: Vec<TaskEdit>,
    at: Timestamp,
    by: By,
) -> Result<Edited, Failure> {
    let found = find(conn, id)?.ok_or_else(|| refused(TaskRefused::NoTask { id: id.clone() }))?;
    let touches_others = edits.iter().any(TaskEdit::is_relation);
    let mut record = found.record.clone();
    edits.into_iter().for_each(|edit| edit.apply(&mut record, at));
    if record == found.record {
        return Ok(Edited { task: record, has_changed: false });
    }
    if record.item.title.trim().is_empty() {
        return Err(refused(TaskRefused::NoTitle));
    }
    if touches_others {
        let mut items: Vec<Item> = all(conn)?.into_iter().map(|one| one.item).collect();
        items.iter_mut().filter(|item| item.id == *id).for_each(|item| item.clone_from(&record.item));
        check(items)?;
    }
    let changed = changed(&fields(&found.record), fields(&record));
    record.updated_at = at;
    let no = found.last_change + 1;
    let text = json(&record);
    let sealed = seal(&[id.as_str(), &no.to_string(), &text]);
    let sql = "UPDATE tasks SET last_change = ?2, format = ?3, task = ?4, seal = ?5 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute(params![id.as_str(), no as i64, FORMAT, text, sealed])?;
    note(conn, id, no, at, by, &changed)?;
    Ok(Edited { task: record, has_changed: true })
}

fn refused(why: TaskRefused) -> Failure {
    Failure::Refused(StoreError::Task(why))
}

fn check(items: Vec<Item>) -> Result<(), Failure> {
    Backlog::sound(items).map_err(|unsound| refused(unsound.into()))
}

/// The number behind the largest that is there or about to be.
fn next_number(conn: &Connection, tasks: &[NewTask]) -> Result<i64, Failure> {
    let there: Option<i64> = conn.query_row("SELECT max(number) FROM tasks", (), |row| row.get(0))?;
    let named = tasks.iter().filter_map(|task| number(task.id.as_ref()?));
    Ok(named.chain(there).max().unwrap_or(0) + 1)
}

fn number(id: &TaskId) -> Option<i64> {
    let digits = id.as_str().strip_prefix(PREFIX)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && *number <= LARGEST)
}

fn note(
    conn: &Connection,
    id: &TaskId,
    no: u64,
    at: Timestamp,
    by: By,
    fields: &BTreeMap<String, Value>,
) -> Result<(), Failure> {
    let (at, by, fields) = (at.to_string(), json(&by), json(fields));
    let sealed = seal(&[id.as_str(), &no.to_string(), &at, &by, &fields]);
    conn.prepare_cached("INSERT INTO task_history VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?.execute(params![
        id.as_str(),
        no as i64,
        at,
        by,
        FORMAT,
        fields,
        sealed
    ])?;
    Ok(())
}

fn fields(record: &TaskRecord) -> BTreeMap<String, Value> {
    let value = serde_json::to_value(record).expect("a task is JSON");
    serde_json::from_value(value).expect("a task is an object")
}

/// What is not as it was; a line of the history has its time anyway.
fn changed(before: &BTreeMap<String, Value>, mut after: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    after.retain(|key, value| before.get(key) != Some(value) && key != "updated_at");
    after
}

fn find(conn: &Connection, id: &TaskId) -> Result<Option<Stored>, Failure> {
    if let Some(found) = stored(conn, "WHERE id = ?1", [id.as_str()])?.pop() {
        return Ok(Some(found));
    }
    // An index that is broken finds nothing and says nothing.
    if conn.prepare_cached("SELECT 1 FROM tasks NOT INDEXED WHERE id = ?1")?.exists([id.as_str()])? {
        return Err(Failure::Damaged(format!("the index has lost task {id}")));
    }
    Ok(None)
}

fn stored(conn: &Connection, which: &str, params: impl rusqlite::Params) -> Result<Vec<Stored>, Failure> {
    let mut query =
        conn.prepare_cached(&format!("SELECT id, last_change, format, task, seal FROM tasks {which}"))?;
    let mut rows = query.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(Stored::read(row)?);
    }
    Ok(found)
}

impl Stored {
    fn read(row: &Row<'_>) -> Result<Stored, Failure> {
        let (id, last_change, format): (String, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let text: String = row.get(3)?;
        refuse_newer(format)?;
        let what = || format!("task {id}");
        intact(&[&id, &last_change.to_string(), &text], row.get(4)?, what)?;
        let record =
            serde_json::from_str(&text).map_err(|error| Failure::Damaged(format!("{}: {error}", what())))?;
        Ok(Stored { record, last_change: last_change.unsigned_abs() })
    }
}

fn change(row: &Row<'_>, id: &TaskId) -> Result<TaskChange, Failure> {
    let (no, at, by): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let text: String = row.get(4)?;
    refuse_newer(row.get(3)?)?;
    let what = || format!("line {no} of the history of task {id}");
    intact(&[id.as_str(), &no.to_string(), &at, &by, &text], row.get(5)?, what)?;
    let damaged = |error: serde_json::Error| Failure::Damaged(format!("{}: {error}", what()));
    Ok(TaskChange {
        no: no.unsigned_abs(),
        at: stored_time(&at)?,
        by: serde_json::from_str(&by).map_err(damaged)?,
        fields: serde_json::from_str(&text).map_err(damaged)?,
    })
}

fn refuse_newer(format: i64) -> Result<(), Failure> {
    if format > FORMAT { Err(Failure::Newer { found: format, known: FORMAT }) } else { Ok(()) }
}
