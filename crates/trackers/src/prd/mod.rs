//! Backlogs in prd.json files. Such a file says of a story whether it passes, and nothing else of its status.

mod fields;
mod json;
mod read;
mod write;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ralph_core::backlog::{Backlog, Status};
use ralph_core::id::TaskId;

use crate::error::TrackerError;
use crate::file::{self, Sense};
use crate::tracker::{Context, Kept, Kind, Tracker, told};
use fields::Source;
use read::{Document, read};

pub use write::to_prd;

/// The longest document that goes into a brief whole, in bytes.
const LONGEST_CONTENT: usize = 1 << 20;

#[derive(Debug)]
pub struct Prd {
    path: PathBuf,
    /// Documents outside of it are not read, whatever the file says.
    root: PathBuf,
}

impl Prd {
    pub fn new(path: PathBuf, root: PathBuf) -> Prd {
        Prd { path, root }
    }

    fn document(&self, bytes: &[u8]) -> Result<Document, TrackerError> {
        read(Source { path: &self.path, bytes })
    }

    fn now(&self) -> Result<Document, TrackerError> {
        file::understood(&self.path, |bytes| self.document(bytes).map(Sense::Made))
            .map(|(_, document)| document)
    }

    /// Writes whether a story passes.
    fn pass(&self, id: &TaskId, passes: bool, note: Option<&str>) -> Result<(), TrackerError> {
        file::edit(&self.path, |bytes| {
            let document = self.document(bytes)?;
            let story = document.stories.iter().find(|story| story.item.id == *id);
            let story = story.ok_or_else(|| TrackerError::NoTask {
                id: id.clone(),
                tracker: self.path.display().to_string(),
            })?;
            if (story.item.status == Status::Completed) == passes {
                return Ok(Vec::new());
            }
            Ok(write::edits(bytes, &document, story, passes, note, Timestamp::now()))
        })?;
        Ok(())
    }

    /// The document that the backlog was made of.
    fn content(&self, source: &str) -> Option<String> {
        let path = self.path.parent().unwrap_or(Path::new(".")).join(source);
        let inside = path.canonicalize().ok()?.starts_with(self.root.canonicalize().ok()?);
        let bytes = if inside { file::read(&path).ok()? } else { return None };
        let text = String::from_utf8(bytes).ok()?;
        let end = (0..=LONGEST_CONTENT.min(text.len())).rev().find(|at| text.is_char_boundary(*at))?;
        let rest = text.len() - end;
        let cut = if rest > 0 { format!("\n\n[{rest} bytes more in {source}]\n") } else { String::new() };
        Some(text[..end].to_owned() + &cut)
    }
}

impl Tracker for Prd {
    fn kind(&self) -> Kind {
        Kind::Prd
    }

    fn source(&self) -> String {
        self.path.display().to_string()
    }

    fn load(&mut self) -> Result<Backlog, TrackerError> {
        let document = self.now()?;
        let items = document.stories.into_iter().map(|story| story.item).collect();
        Ok(Backlog::new(items).expect("duplicates were refused when it was read"))
    }

    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError> {
        match status {
            Status::Open => self.pass(id, false, None).map(|()| Kept::ByTracker),
            Status::Completed => self.pass(id, true, None).map(|()| Kept::ByTracker),
            Status::InProgress | Status::Blocked | Status::Cancelled => match self.load()?.item(id) {
                Some(_) => Ok(Kept::Nowhere),
                None => Err(TrackerError::NoTask { id: id.clone(), tracker: self.source() }),
            },
        }
    }

    fn complete(&mut self, id: &TaskId, reason: &str) -> Result<(), TrackerError> {
        self.pass(id, true, Some(&told(reason)))
    }

    fn context(&mut self) -> Result<Context, TrackerError> {
        let document = self.now()?;
        let passed = document.stories.iter().filter(|story| story.item.status == Status::Completed);
        let content = document.source.as_deref().and_then(|source| self.content(source));
        Ok(Context {
            completed: passed.count(),
            total: document.stories.len(),
            content: content.unwrap_or_default(),
            name: document.name,
            description: document.description,
        })
    }

    fn files(&self) -> Vec<PathBuf> {
        file::and_target(&self.path)
    }
}
