//! A Markdown file as a backlog: every checkbox is a task, nested ones come before what they are nested in.
//!
//! Below a task, indented: `- Priority: 1`, `- Labels: a, b`, `- Depends on: ID, ID`, `- Blocks: ID`, `- Parent: ID`,
//! `- Acceptance criteria:` with a list below it; all else is its description. Code, quotations and comments have no
//! tasks.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use ralph_core::backlog::{Item, Status};
use ralph_core::id::TaskId;

use super::line::{Checkbox, Line, indent, parse};
use super::names::{Key, derived, known, named, priority};
use crate::error::{Spot, TrackerError};
use crate::file;

/// More than this is not a backlog.
const MOST_TASKS: usize = 200_000;
/// A list that is nested deeper is not one that anybody wrote.
const DEEPEST: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) entries: Vec<Entry>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) item: Item,
    /// Where the mark in the box is.
    pub(super) mark: usize,
    /// Where the line begins.
    begin: usize,
    /// Whether its id was written down.
    is_named: bool,
    /// The task that it is nested in, by its place.
    outer: Option<usize>,
}

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Document, TrackerError> {
    let (text, base) = file::text(path, bytes)?;
    let mut reader =
        Reader { path, bytes, document: Document::default(), open: Vec::new(), block: Block::None };
    let mut at = base;
    for line in text.split_inclusive('\n') {
        reader.line(line.trim_end_matches(['\n', '\r']), at)?;
        at += line.len();
    }
    reader.finish()
}

/// An element of a list that the next line may belong to.
#[derive(Debug, Clone, Copy)]
struct Open {
    content: usize,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A task, by its place.
    Task(usize),
    /// The heading of a list of criteria of a task.
    Criteria(usize),
    Other,
}

/// What a line can be inside of, where nothing counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    None,
    Fence { mark: char, length: usize },
    Comment,
}

struct Reader<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    document: Document,
    open: Vec<Open>,
    block: Block,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, at: usize) -> Result<(), TrackerError> {
        let parsed = parse(line);
        match self.block {
            Block::Comment => {
                if line.contains("-->") {
                    self.block = Block::None;
                }
                return Ok(());
            }
            Block::Fence { mark, length } => {
                self.describe(line);
                let closes = |end: &Line<'_>| matches!(end, Line::Fence { mark: m, length: l, info: "" } if *m == mark && *l >= length);
                if closes(&parsed) {
                    self.block = Block::None;
                }
                return Ok(());
            }
            Block::None => {}
        }
        let column = indent(line).0;
        if parsed != Line::Blank {
            while self.open.last().is_some_and(|open| open.content > column) {
                self.open.pop();
            }
        }
        let is_code = column >= self.open.last().map_or(0, |open| open.content) + 4;
        match parsed {
            Line::Blank => self.describe(""),
            _ if is_code => self.describe(line),
            Line::Fence { mark, length, .. } => {
                self.describe(line);
                self.block = Block::Fence { mark, length };
            }
            Line::Heading { level, text } if self.open.is_empty() => {
                if level == 1 && self.document.name.is_empty() {
                    text.clone_into(&mut self.document.name);
                }
            }
            Line::Heading { .. } => self.describe(line),
            Line::Bullet { content, checkbox: Some(checkbox), .. } => self.task(content, checkbox, at)?,
            Line::Bullet { content, checkbox: None, text } => self.bullet(content, text, line, at)?,
            Line::Text(text) if text.starts_with("<!--") => {
                if !text.contains("-->") {
                    self.block = Block::Comment;
                }
            }
            Line::Text(_) => self.describe(line),
        }
        Ok(())
    }

    fn error(&self, at: usize, what: impl Into<String>, next: &str) -> TrackerError {
        TrackerError::malformed(self.path, Spot::of(self.bytes, at), what, next)
    }

    fn task(&mut self, content: usize, checkbox: Checkbox<'_>, at: usize) -> Result<(), TrackerError> {
        let place = self.document.entries.len();
        if place == MOST_TASKS {
            return Err(self.error(at, format!("there are more than {MOST_TASKS} tasks"), "split the file"));
        }
        let outer = self.task_here().map(|(place, _)| place);
        self.push(Open { content, role: Role::Task(place) }, at)?;
        let (id, title) = named(checkbox.title);
        let is_named = id.is_some();
        let id = id.unwrap_or_else(|| derived(title));
        let mut item = Item::new(id, title);
        item.status = match checkbox.mark {
            b'x' | b'X' => Status::Completed,
            b'-' | b'~' => Status::Cancelled,
            _ => Status::Open,
        };
        self.document.entries.push(Entry { item, mark: at + checkbox.at, begin: at, is_named, outer });
        Ok(())
    }

    fn push(&mut self, open: Open, at: usize) -> Result<(), TrackerError> {
        if self.open.len() == DEEPEST {
            let what = format!("this list is nested more than {DEEPEST} deep");
            return Err(self.error(at, what, "make it flatter"));
        }
        self.open.push(open);
        Ok(())
    }

    /// An element of a list that is no task: something known of one, a criterion, or a part of its description.
    fn bullet(&mut self, content: usize, text: &str, line: &str, at: usize) -> Result<(), TrackerError> {
        let role = match self.open.last().map(|open| open.role) {
            Some(Role::Criteria(place)) => {
                self.document.entries[place].item.acceptance_criteria.push(text.to_owned());
                Role::Other
            }
            Some(Role::Task(place)) => match known(text) {
                Some((Key::Criteria, "")) => Role::Criteria(place),
                Some((key, value)) => {
                    self.attribute(place, key, value, at)?;
                    Role::Other
                }
                None => {
                    self.describe(line);
                    Role::Other
                }
            },
            Some(Role::Other) | None => {
                self.describe(line);
                Role::Other
            }
        };
        self.push(Open { content, role }, at)
    }

    fn attribute(&mut self, place: usize, key: Key, value: &str, at: usize) -> Result<(), TrackerError> {
        let words = || value.split(',').map(str::trim).filter(|word| !word.is_empty());
        let ids = || -> Result<Vec<TaskId>, TrackerError> {
            let parse = |word: &str| TaskId::of_backlog(word.trim_matches('`'));
            let ids = words().map(parse).collect::<Result<Vec<_>, _>>();
            ids.map_err(|error| {
                self.error(at, error.to_string(), "name tasks by their ids, with commas between")
            })
        };
        match key {
            Key::Priority => {
                let priority = priority(value).ok_or_else(|| {
                    self.error(
                        at,
                        format!("`{value}` is no priority"),
                        "write a number from 0, critical, to 4",
                    )
                })?;
                self.document.entries[place].item.priority = priority;
            }
            Key::Labels => {
                let labels: Vec<String> = words().map(str::to_owned).collect();
                self.document.entries[place].item.labels.extend(labels);
            }
            Key::DependsOn => {
                let ids = ids()?;
                self.document.entries[place].item.depends_on.extend(ids);
            }
            Key::Blocks => {
                let ids = ids()?;
                self.document.entries[place].item.blocks.extend(ids);
            }
            Key::Parent => {
                let parent = ids()?.into_iter().next();
                self.document.entries[place].item.parent = parent;
            }
            Key::Criteria => self.document.entries[place].item.acceptance_criteria.push(value.to_owned()),
        }
        Ok(())
    }

    /// Adds a line to what is told of the task that it is below, or of the whole before the first of them.
    fn describe(&mut self, line: &str) {
        let (description, content) = match self.task_here() {
            Some((place, content)) => (&mut self.document.entries[place].item.description, content),
            None if self.document.entries.is_empty() => (&mut self.document.description, 0),
            None => return,
        };
        let text = dedent(line, content).trim_end();
        if !(text.is_empty() && description.is_empty()) {
            *description += text.strip_prefix('\\').unwrap_or(text);
            description.push('\n');
        }
    }

    /// The innermost task that a line is in, and the column at which its content begins.
    fn task_here(&self) -> Option<(usize, usize)> {
        self.open.iter().rev().find_map(|open| match open.role {
            Role::Task(place) => Some((place, open.content)),
            Role::Criteria(_) | Role::Other => None,
        })
    }

    /// Gives every task a name of its own and its place below others.
    fn finish(mut self) -> Result<Document, TrackerError> {
        let mut taken: HashMap<TaskId, usize> = HashMap::new();
        for (place, entry) in self.document.entries.iter().enumerate().filter(|(_, entry)| entry.is_named) {
            if let Some(first) = taken.insert(entry.item.id.clone(), place) {
                let line = Spot::of(self.bytes, self.document.entries[first].begin).line;
                let what = format!("two tasks are called {}: the first is on line {line}", entry.item.id);
                return Err(self.error(entry.begin, what, "give one of them another id"));
            }
        }
        let mut taken: HashSet<TaskId> = taken.into_keys().collect();
        let mut last: HashMap<TaskId, usize> = HashMap::new();
        for entry in self.document.entries.iter_mut().filter(|entry| !entry.is_named) {
            let base = entry.item.id.clone();
            let number = last.entry(base.clone()).or_insert(1);
            while !taken.insert(entry.item.id.clone()) {
                *number += 1;
                entry.item.id = TaskId::parse(&format!("{base}-{number}")).expect("it stays short");
            }
        }
        self.nest();
        for entry in &mut self.document.entries {
            entry.item.description.truncate(entry.item.description.trim_end().len());
        }
        let description = self.document.description.trim();
        self.document.description = description.to_owned();
        Ok(self.document)
    }

    /// A task is done when those nested in it are.
    fn nest(&mut self) {
        for place in 0..self.document.entries.len() {
            let Some(outer) = self.document.entries[place].outer else { continue };
            let child = self.document.entries[place].item.id.clone();
            let parent = &mut self.document.entries[outer].item;
            parent.depends_on.push(child);
            let parent = parent.id.clone();
            self.document.entries[place].item.parent.get_or_insert(parent);
        }
    }
}

/// The line without the first columns of its indentation.
fn dedent(line: &str, columns: usize) -> &str {
    let (indented, bytes) = indent(line);
    // Where tabs stand for columns, all of the indentation goes, or none of it.
    let spaces = if indented == bytes { columns.min(bytes) } else { bytes };
    &line[spaces..]
}
