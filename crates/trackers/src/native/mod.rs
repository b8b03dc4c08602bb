//! The backlog that ralph keeps itself, in the project's store: every status is kept, and the history of each task.

mod lines;
mod wait;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ralph_core::backlog::{Backlog, Item, Status};
use ralph_core::id::TaskId;
use ralph_store::{By, SqliteStore, StoreError, TaskEdit, TaskRecord, TaskRefused, Tasks};
use serde_json::Value;

use crate::error::TrackerError;
use crate::tracker::{Context, Kept, Kind, Tracker};
pub(crate) use wait::wait;

pub use lines::{from_lines, to_lines};

/// Where a prd.json has the reason for a completion: nobody needs a second name for it.
const REASON: &str = "completionNotes";

#[derive(Debug)]
pub struct Native {
    /// The directory of the project's store.
    state: PathBuf,
    root: PathBuf,
    /// Opened when it is first needed, and never made by looking.
    store: Option<SqliteStore>,
}

impl Native {
    pub fn new(state: PathBuf, root: PathBuf) -> Native {
        Native { state, root, store: None }
    }

    /// Whether a project keeps tasks there. Nothing is made.
    pub(crate) fn is_used(state: &Path) -> Result<bool, TrackerError> {
        match SqliteStore::open_existing(state) {
            Ok(store) => Ok(wait(store.has_tasks())?),
            Err(StoreError::NoDatabase { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The store, if there is one.
    fn store(&mut self) -> Result<Option<&SqliteStore>, TrackerError> {
        if self.store.is_none() {
            match SqliteStore::open_existing(&self.state) {
                Ok(store) => self.store = Some(store),
                Err(StoreError::NoDatabase { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.store.as_ref())
    }

    fn change(&mut self, id: &TaskId, edit: TaskEdit) -> Result<(), TrackerError> {
        let missing = TrackerError::NoTask { id: id.clone(), tracker: self.source() };
        let Some(store) = self.store()? else { return Err(missing) };
        match wait(store.edit_task(id, vec![edit], Timestamp::now(), By::Run)) {
            Ok(_) => Ok(()),
            Err(StoreError::Task(TaskRefused::NoTask { .. })) => Err(missing),
            Err(error) => Err(error.into()),
        }
    }
}

/// As the other trackers tell of it: the reason is beside what else is known.
fn item(record: TaskRecord) -> Item {
    let TaskRecord { mut item, reason, .. } = record;
    if let Some(reason) = reason {
        item.metadata.insert(REASON.to_owned(), Value::String(reason));
    }
    item
}

impl Tracker for Native {
    fn kind(&self) -> Kind {
        Kind::Native
    }

    fn source(&self) -> String {
        format!("ralph's own tasks of {}", self.root.display())
    }

    fn load(&mut self) -> Result<Backlog, TrackerError> {
        let records = match self.store()? {
            Some(store) => wait(store.tasks())?,
            None => Vec::new(),
        };
        let items = records.into_iter().map(item).collect();
        Ok(Backlog::new(items).expect("the store has one task of a name"))
    }

    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError> {
        self.change(id, TaskEdit::Status(status, None))?;
        Ok(Kept::ByTracker)
    }

    fn complete(&mut self, id: &TaskId, reason: &str) -> Result<(), TrackerError> {
        self.change(id, TaskEdit::Status(Status::Completed, Some(reason.to_owned())))
    }

    fn context(&mut self) -> Result<Context, TrackerError> {
        let name = self.root.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Context { name: name.unwrap_or_default(), ..Context::counted(&self.load()?) })
    }

    /// None in the tree.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}
