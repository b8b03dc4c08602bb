//! Backlogs in Markdown files: `- [ ] ID: title`. A box is open or checked, and that is all it says of a status.

mod line;
mod names;
mod read;
mod write;

use std::path::PathBuf;

use ralph_core::backlog::{Backlog, Status};
use ralph_core::id::TaskId;

use crate::error::TrackerError;
use crate::file::{self, Edit};
use crate::tracker::{Context, Kept, Kind, Tracker};
use read::{Document, read};

pub use write::to_markdown;

#[derive(Debug)]
pub struct Markdown {
    path: PathBuf,
}

impl Markdown {
    pub fn new(path: PathBuf) -> Markdown {
        Markdown { path }
    }

    fn document(&self) -> Result<Document, TrackerError> {
        read(&self.path, &file::read(&self.path)?)
    }

    fn check(&self, id: &TaskId, is_done: bool) -> Result<(), TrackerError> {
        file::edit(&self.path, |bytes| {
            let document = read(&self.path, bytes)?;
            let entry = document.entries.iter().find(|entry| entry.item.id == *id);
            let entry = entry.ok_or_else(|| TrackerError::NoTask {
                id: id.clone(),
                tracker: self.path.display().to_string(),
            })?;
            if (entry.item.status == Status::Completed) == is_done && entry.item.status != Status::Cancelled {
                return Ok(Vec::new());
            }
            let mark = if is_done { "x" } else { " " };
            Ok(vec![Edit { range: entry.mark..entry.mark + 1, text: mark.to_owned() }])
        })?;
        Ok(())
    }
}

/// Whether a file has a checklist in it; what cannot be read has none.
pub(crate) fn has_checklist(path: &std::path::Path) -> bool {
    let read = file::read(path).and_then(|bytes| read(path, &bytes));
    read.is_ok_and(|document| !document.entries.is_empty())
}

impl Tracker for Markdown {
    fn kind(&self) -> Kind {
        Kind::Markdown
    }

    fn source(&self) -> String {
        self.path.display().to_string()
    }

    fn load(&mut self) -> Result<Backlog, TrackerError> {
        let items = self.document()?.entries.into_iter().map(|entry| entry.item).collect();
        Ok(Backlog::new(items).expect("duplicates were refused when it was read"))
    }

    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError> {
        match status {
            Status::Open => self.check(id, false).map(|()| Kept::ByTracker),
            Status::Completed => self.check(id, true).map(|()| Kept::ByTracker),
            Status::InProgress | Status::Blocked | Status::Cancelled => match self.load()?.item(id) {
                Some(_) => Ok(Kept::Nowhere),
                None => Err(TrackerError::NoTask { id: id.clone(), tracker: self.source() }),
            },
        }
    }

    /// A box has no place for a reason.
    fn complete(&mut self, id: &TaskId, _reason: &str) -> Result<(), TrackerError> {
        self.check(id, true)
    }

    fn context(&mut self) -> Result<Context, TrackerError> {
        let document = self.document()?;
        let (name, description) = (document.name.clone(), document.description.clone());
        let items = document.entries.into_iter().map(|entry| entry.item).collect();
        let backlog = Backlog::new(items).expect("duplicates were refused when it was read");
        Ok(Context { name, description, ..Context::counted(&backlog) })
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}
