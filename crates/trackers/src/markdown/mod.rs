//! Backlogs in Markdown files: `- [ ] ID: title`. A box is open, checked, begun or dropped; ralph opens and checks it.

mod identity;
mod line;
mod names;
mod read;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ralph_core::backlog::{Backlog, Status};
use ralph_core::id::TaskId;

use crate::error::TrackerError;
use crate::file::{self, Edit, Sense};
use crate::tracker::{Context, Kept, Kind, Tracker};
use line::{Line, parse};
use read::{Document, Identity, read};

pub use write::to_markdown;

#[derive(Debug)]
pub struct Markdown {
    path: PathBuf,
    /// Where tasks without a name of their own were when they were first seen, or begun.
    seen: HashMap<TaskId, Seen>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    place: u64,
    identity: Identity,
}

impl Markdown {
    pub fn new(path: PathBuf) -> Markdown {
        Markdown { path, seen: HashMap::new() }
    }

    fn document(&self) -> Result<(Vec<u8>, Document), TrackerError> {
        file::understood(&self.path, |bytes| {
            let document = read(&self.path, bytes)?;
            Ok(if document.entries.is_empty() { Sense::Doubtful(document) } else { Sense::Made(document) })
        })
    }

    fn seen_in(bytes: &[u8], document: &Document) -> Vec<(TaskId, Seen)> {
        let places = identity::places(bytes, document);
        let entries =
            document.entries.iter().zip(places).filter(|(entry, _)| entry.identity != Identity::Named);
        entries
            .map(|(entry, place)| (entry.item.id.clone(), Seen { place, identity: entry.identity }))
            .collect()
    }

    /// Whether a task that is told from others like it by its place is in it still. A wrong box must not be checked.
    fn is_itself(&self, bytes: &[u8], document: &Document, id: &TaskId) -> bool {
        let Some(before) = self.seen.get(id) else { return true };
        let now = Markdown::seen_in(bytes, document).into_iter().find(|(one, _)| one == id);
        now.is_none_or(|(_, now)| {
            let is_counted = before.identity == Identity::Counted || now.identity == Identity::Counted;
            !is_counted || before.place == now.place
        })
    }

    fn check(&self, id: &TaskId, status: Status, mark: &str) -> Result<Kept, TrackerError> {
        file::edit(&self.path, |bytes| {
            let document = read(&self.path, bytes)?;
            let entry = document.entries.iter().find(|entry| entry.item.id == *id);
            let entry = entry.ok_or_else(|| self.no_task(id))?;
            if !self.is_itself(bytes, &document, id) {
                return Err(TrackerError::Ambiguous { path: self.path.clone(), id: id.clone() });
            }
            if entry.item.status == status {
                return Ok(Vec::new());
            }
            Ok(vec![Edit { range: entry.mark..entry.mark + 1, text: mark.to_owned() }])
        })?;
        Ok(Kept::ByTracker)
    }

    fn no_task(&self, id: &TaskId) -> TrackerError {
        TrackerError::NoTask { id: id.clone(), tracker: self.path.display().to_string() }
    }
}

/// Whether a file has a checklist in it. One that cannot be read as a whole has one if a line of it looks like that: what
/// is wrong with it is told when it is loaded, and no other backlog is worked on in its place.
pub(crate) fn has_checklist(path: &Path) -> bool {
    let is_box = |line: &str| matches!(parse(line), Line::Bullet { checkbox: Some(_), .. });
    match file::read(path) {
        Err(_) => true,
        Ok(bytes) => match read(path, &bytes) {
            Ok(document) => !document.entries.is_empty(),
            Err(_) => {
                let bytes: Vec<u8> = bytes.into_iter().filter(|byte| *byte != 0).collect();
                String::from_utf8_lossy(&bytes)
                    .trim_start_matches(['\u{feff}', '\u{fffd}'])
                    .lines()
                    .any(is_box)
            }
        },
    }
}

impl Tracker for Markdown {
    fn kind(&self) -> Kind {
        Kind::Markdown
    }

    fn source(&self) -> String {
        self.path.display().to_string()
    }

    fn load(&mut self) -> Result<Backlog, TrackerError> {
        let (bytes, document) = self.document()?;
        for (id, seen) in Markdown::seen_in(&bytes, &document) {
            self.seen.entry(id).or_insert(seen);
        }
        Ok(backlog(document))
    }

    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError> {
        match status {
            Status::Open => return self.check(id, status, " "),
            Status::Completed => return self.check(id, status, "x"),
            Status::InProgress | Status::Blocked | Status::Cancelled => {}
        }
        let (bytes, document) = self.document()?;
        let entry = document.entries.iter().find(|entry| entry.item.id == *id);
        let entry = entry.ok_or_else(|| self.no_task(id))?;
        // Whoever begins it means the one that is there now.
        let seen = Markdown::seen_in(&bytes, &document).into_iter().filter(|(one, _)| one == id);
        self.seen.extend(seen);
        Ok(if entry.item.status == status { Kept::ByTracker } else { Kept::Nowhere })
    }

    /// A box has no place for a reason.
    fn complete(&mut self, id: &TaskId, _reason: &str) -> Result<(), TrackerError> {
        self.set_status(id, Status::Completed).map(|_| ())
    }

    fn context(&mut self) -> Result<Context, TrackerError> {
        let (_, document) = self.document()?;
        let (name, description) = (document.name.clone(), document.description.clone());
        Ok(Context { name, description, ..Context::counted(&backlog(document)) })
    }

    fn files(&self) -> Vec<PathBuf> {
        file::and_target(&self.path)
    }
}

fn backlog(document: Document) -> Backlog {
    let items = document.entries.into_iter().map(|entry| entry.item).collect();
    Backlog::new(items).expect("every task has a name of its own")
}
