//! A Markdown file as a backlog: every checkbox is a task, nested ones come before what they are nested in.
//!
//! Below a task, indented: `- Priority: 1`, `- Labels: a, b`, `- Depends on: ID, ID`, `- Blocks: ID`, `- Parent: ID`,
//! `- Acceptance criteria:` with a list below it, of boxes or not; all else is its description. Code, quotations and
//! comments have no tasks.

use std::path::Path;

use ralph_core::backlog::{Item, Status};
use ralph_core::id::TaskId;

use super::identity::identify;
use super::line::{Checkbox, Line, dedent, indent, parse};
use super::names::{Key, heads_criteria, is_none, known, priority};
use crate::error::{Spot, TrackerError};
use crate::file;

/// More than this is not a backlog.
const MOST_TASKS: usize = 200_000;
/// A list that is nested deeper is not one that anybody wrote.
const DEEPEST: usize = 64;
/// More labels, dependencies or criteria than any task has.
const MOST_OF_ONE: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) entries: Vec<Entry>,
    /// The headings, in their order.
    pub(super) sections: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) item: Item,
    /// Where the mark in the box is.
    pub(super) mark: usize,
    /// Where the line begins, and where it ends.
    pub(super) line: std::ops::Range<usize>,
    /// The task that it is nested in, by its place.
    pub(super) outer: Option<usize>,
    /// How many headings come before it.
    pub(super) sections: usize,
    pub(super) identity: Identity,
    /// Lines that name dependencies, if what they name are tasks, and where in the description they stand otherwise.
    pub(super) perhaps: Vec<(usize, String, Vec<TaskId>)>,
}

/// How a task came to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identity {
    /// It was written down.
    Named,
    /// It was made of the title, and of what it stands under.
    Derived,
    /// Of several that nothing tells apart but their order, it is this one.
    Counted,
}

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Document, TrackerError> {
    let (text, base) = file::text(path, bytes)?;
    let document = Document::default();
    let mut reader = Reader { path, bytes, document, open: Vec::new(), block: Block::None, criteria: None };
    let mut at = base;
    for line in text.split_inclusive('\n') {
        reader.line(line.trim_end_matches(['\n', '\r']), at)?;
        at += line.len();
    }
    let mut document = reader.document;
    identify(path, bytes, &mut document)?;
    Ok(document)
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
    Criterion(usize),
    Other,
}

/// What a line can be inside of, where nothing counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    None,
    /// Up to its other end, or to the end of the list's element that it is in, whose content begins at a column.
    Fence {
        mark: char,
        length: usize,
        content: usize,
    },
    Comment,
}

/// Whether a backslash at the beginning of a line says that the rest of it means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Escaped,
    Verbatim,
}

struct Reader<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    document: Document,
    open: Vec<Open>,
    block: Block,
    /// The task of which a line has said that criteria follow.
    criteria: Option<usize>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, at: usize) -> Result<(), TrackerError> {
        let parsed = parse(line);
        let column = indent(line).0;
        if self.is_inside(line, &parsed, column) {
            return Ok(());
        }
        if parsed != Line::Blank {
            while self.open.last().is_some_and(|open| open.content > column) {
                self.open.pop();
            }
        }
        let content = self.open.last().map_or(0, |open| open.content);
        match parsed {
            Line::Blank => self.describe("", Text::Verbatim),
            _ if column >= content + 4 => self.describe(line, Text::Escaped),
            Line::Fence { mark, length, .. } => {
                self.describe(line, Text::Verbatim);
                self.block = Block::Fence { mark, length, content };
            }
            Line::Heading { level, text } if self.open.is_empty() => {
                if level == 1 && self.document.name.is_empty() {
                    text.clone_into(&mut self.document.name);
                }
                self.document.sections.push(text.to_owned());
            }
            Line::Heading { text, .. } => self.text(&format!("{text}:"), line, at)?,
            Line::Bullet { content, checkbox, text } => self.bullet(content, checkbox, text, line, at)?,
            Line::Text(text) if text.starts_with("<!--") => {
                if !text.contains("-->") {
                    self.block = Block::Comment;
                }
            }
            Line::Text(text) => self.text(text, line, at)?,
        }
        Ok(())
    }

    /// Whether a line is inside of something where it means nothing.
    fn is_inside(&mut self, line: &str, parsed: &Line<'_>, column: usize) -> bool {
        match self.block {
            Block::None => return false,
            Block::Comment if line.contains("-->") => self.block = Block::None,
            Block::Comment => {}
            Block::Fence { content, .. } if column < content && *parsed != Line::Blank => {
                self.block = Block::None;
                return false;
            }
            Block::Fence { mark, length, .. } => {
                self.describe(line, Text::Verbatim);
                if matches!(parsed, Line::Fence { mark: m, length: l, info: "" } if *m == mark && *l >= length)
                {
                    self.block = Block::None;
                }
            }
        }
        true
    }

    fn error(&self, at: usize, what: impl Into<String>, next: &str) -> TrackerError {
        TrackerError::malformed(self.path, Spot::of(self.bytes, at), what, next)
    }

    fn bullet(
        &mut self,
        content: usize,
        checkbox: Option<Checkbox<'_>>,
        text: &str,
        line: &str,
        at: usize,
    ) -> Result<(), TrackerError> {
        let inner = self.open.last().map(|open| open.role);
        let bare = checkbox.map_or(text, |checkbox| checkbox.title);
        let role = match (inner, checkbox) {
            (Some(Role::Criteria(place)), _) => self.criterion(place, bare, at)?,
            (Some(Role::Criterion(place)), _) => {
                self.extend_criterion(place, &format!("- {bare}"));
                Role::Criterion(place)
            }
            (Some(Role::Task(place)), _) if self.criteria == Some(place) && known(bare).is_none() => {
                self.criterion(place, bare, at)?
            }
            (_, Some(checkbox)) => return self.task(content, checkbox, line.len(), at),
            (Some(Role::Task(place)), None) => match known(text) {
                Some((Key::Criteria, "")) => Role::Criteria(place),
                Some((key, value)) => {
                    self.attribute(place, key, value, line, at)?;
                    Role::Other
                }
                None => {
                    self.describe(line, Text::Escaped);
                    Role::Other
                }
            },
            (Some(Role::Other) | None, None) => {
                self.describe(line, Text::Escaped);
                Role::Other
            }
        };
        self.push(Open { content, role }, at)
    }

    fn task(
        &mut self,
        content: usize,
        checkbox: Checkbox<'_>,
        length: usize,
        at: usize,
    ) -> Result<(), TrackerError> {
        let place = self.document.entries.len();
        if place == MOST_TASKS {
            return Err(self.error(at, format!("there are more than {MOST_TASKS} tasks"), "split the file"));
        }
        let status = match checkbox.mark {
            ' ' => Status::Open,
            'x' | 'X' => Status::Completed,
            '~' | '/' => Status::InProgress,
            '-' => Status::Cancelled,
            other => {
                let what = format!("`[{}]` says nothing that is known", other.escape_debug());
                let next = "write [ ] for open, [x] for done, [~] or [/] for begun, [-] for dropped, or \\[ for no task";
                return Err(self.error(at + checkbox.at, what, next));
            }
        };
        let outer = self.task_here().map(|(place, _)| place);
        self.push(Open { content, role: Role::Task(place) }, at)?;
        // Its name is found once all titles are known.
        let mut item = Item::new(TaskId::prompt(), checkbox.title);
        item.status = status;
        self.document.entries.push(Entry {
            item,
            mark: at + checkbox.at,
            line: at..at + length,
            outer,
            sections: self.document.sections.len(),
            identity: Identity::Derived,
            perhaps: Vec::new(),
        });
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

    /// A line that is no element of a list: it goes on with what is before it, or says what follows.
    fn text(&mut self, text: &str, line: &str, at: usize) -> Result<(), TrackerError> {
        match self.open.last().map(|open| open.role) {
            Some(Role::Criterion(place)) => self.extend_criterion(place, text),
            Some(Role::Criteria(place))
                if self.document.entries[place].item.acceptance_criteria.is_empty() =>
            {
                self.criterion(place, text, at)?;
            }
            Some(Role::Criteria(place)) => self.extend_criterion(place, text),
            Some(Role::Task(place)) if heads_criteria(text) => self.criteria = Some(place),
            Some(Role::Task(_) | Role::Other) | None => {
                self.criteria = None;
                self.describe(line, Text::Escaped);
            }
        }
        Ok(())
    }

    fn criterion(&mut self, place: usize, text: &str, at: usize) -> Result<Role, TrackerError> {
        let criteria = &mut self.document.entries[place].item.acceptance_criteria;
        if criteria.len() == MOST_OF_ONE {
            return Err(self.too_many(at, "acceptance criteria"));
        }
        criteria.push(text.to_owned());
        Ok(Role::Criterion(place))
    }

    fn extend_criterion(&mut self, place: usize, text: &str) {
        if let Some(last) = self.document.entries[place].item.acceptance_criteria.last_mut() {
            last.push(' ');
            last.push_str(text);
        }
    }

    fn too_many(&self, at: usize, what: &str) -> TrackerError {
        let what = format!("this task has more than {MOST_OF_ONE} {what}");
        self.error(at, what, "make several tasks of it")
    }

    fn attribute(
        &mut self,
        place: usize,
        key: Key,
        value: &str,
        line: &str,
        at: usize,
    ) -> Result<(), TrackerError> {
        if is_none(value) && key != Key::Criteria {
            return Ok(());
        }
        let words = || value.split(',').map(str::trim).filter(|word| !word.is_empty());
        if words().nth(MOST_OF_ONE).is_some() {
            return Err(self.too_many(at, "values in one line"));
        }
        let ids =
            words().map(|word| TaskId::of_backlog(word.trim_matches('`'))).collect::<Result<Vec<_>, _>>();
        let sure = |ids: Result<Vec<TaskId>, ralph_core::id::BadId>| {
            let next = "name tasks by their ids, with commas between, or say `none`";
            ids.map_err(|error| self.error(at, error.to_string(), next))
        };
        match (key, ids) {
            (Key::Priority, _) => {
                let what = format!("`{value}` is no priority");
                let next = "write a number from 0, critical, to 4";
                let priority = priority(value).ok_or_else(|| self.error(at, what, next))?;
                self.entry(place).priority = priority;
            }
            (Key::Labels, _) => {
                let labels: Vec<String> = words().map(str::to_owned).collect();
                self.entry(place).labels.extend(labels);
            }
            (Key::DependsOn, ids) => {
                let ids = sure(ids)?;
                self.entry(place).depends_on.extend(ids);
            }
            (Key::Blocks, ids) => {
                let ids = sure(ids)?;
                self.entry(place).blocks.extend(ids);
            }
            (Key::Parent, Ok(ids)) => self.entry(place).parent = ids.into_iter().next(),
            (Key::Dependencies, Ok(ids)) => {
                let stands = self.entry(place).description.len();
                self.document.entries[place].perhaps.push((stands, line.to_owned(), ids));
            }
            // A parent in another sense, or dependencies that are no tasks.
            (Key::Parent | Key::Dependencies, Err(_)) => self.describe(line, Text::Escaped),
            (Key::Criteria, _) => {
                self.criterion(place, value, at)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, place: usize) -> &mut Item {
        &mut self.document.entries[place].item
    }

    /// Adds a line to what is told of the task that it is below, or of the whole before the first of them.
    fn describe(&mut self, line: &str, text: Text) {
        let (description, content) = match self.task_here() {
            Some((place, content)) => (&mut self.document.entries[place].item.description, content),
            None if self.document.entries.is_empty() => (&mut self.document.description, 0),
            None => return,
        };
        add_line(description, line, content, text);
    }

    /// The innermost task that a line is in, and the column at which its content begins.
    fn task_here(&self) -> Option<(usize, usize)> {
        self.open.iter().rev().find_map(|open| match open.role {
            Role::Task(place) => Some((place, open.content)),
            Role::Criteria(_) | Role::Criterion(_) | Role::Other => None,
        })
    }
}

fn add_line(description: &mut String, line: &str, content: usize, text: Text) {
    let line = dedent(line, content);
    let line = line.trim_end();
    if line.is_empty() && description.is_empty() {
        return;
    }
    *description += match text {
        Text::Escaped => line.strip_prefix('\\').unwrap_or(line),
        Text::Verbatim => line,
    };
    description.push('\n');
}
