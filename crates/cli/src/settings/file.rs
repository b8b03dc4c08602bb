//! A TOML file as one layer. What cannot be read is reported and never written over.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use ralph_core::nearest::{nearest, shortened};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::origin::{Layer, Origin, Source};
use super::partial::Partial;
use super::raw::{Given, GivenTable, Item, Raw};
use super::value::{UNLIMITED, wishes_no_limit};
use crate::problem::{Place, Problem};

/// A megabyte is a thousand times what anyone writes by hand.
const LARGEST: u64 = 1024 * 1024;
const MOST_TABLES: usize = 100;
/// Headings that may be repeated.
const LISTS: [&str; 3] = ["hook", "route", "check"];
const REPORTED: usize = 20;
pub(crate) const SECTIONS: [&str; 15] = [
    "limits",
    "agent",
    "opencode",
    "promise",
    "completion",
    "verify",
    "commit",
    "memory",
    "memory.vectors",
    "snapshots",
    "output",
    "sandbox",
    "tracker",
    "linear",
    "jira",
];

/// Sections that say what agents are and cost.
const CATALOGUE: [&str; 2] = ["agents", "prices"];

/// The layer a file makes; a missing file makes an empty one.
pub(crate) fn read(path: &Path, layer: Layer, problems: &mut Vec<Problem>) -> Given {
    match text(path) {
        Ok(Some(text)) => parse(path, layer, text, problems),
        Ok(None) => Given::default(),
        Err(problem) => {
            problems.push(problem);
            Given::default()
        }
    }
}

/// What would be wrong with a file of this text.
pub(crate) fn wrong_with(path: &Path, layer: Layer, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let given = parse(path, layer, text.to_owned(), &mut problems);
    Partial::read(given, &mut problems);
    problems
}

fn text(path: &Path) -> Result<Option<String>, Problem> {
    let here = |what: String| Problem::new(what).at(Place::from(path.to_owned()));
    let unreadable = |e: std::io::Error| here(format!("cannot read the configuration: {e}"));
    // A named pipe must not hang ralph before it is found to be none.
    let opened = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(e) => return Err(unreadable(e)),
    };
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(here("the configuration is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(here("the configuration is larger than 1 MiB".to_owned()));
    }
    String::from_utf8(bytes).map(Some).map_err(|e| {
        let offset = e.utf8_error().valid_up_to();
        here(format!("the configuration is not UTF-8: bad byte at offset {offset}"))
    })
}

pub(crate) fn parse(path: &Path, layer: Layer, text: String, problems: &mut Vec<Problem>) -> Given {
    let source = Arc::new(Source::new(path.to_owned(), text));
    let table = match DeTable::parse(source.text()) {
        Ok(table) => table,
        Err(e) => {
            problems.push(syntax_error(&source, &e));
            return Given::default();
        }
    };
    let mut walk = Walk { layer, source: &source, given: Given::default(), problems };
    walk.document(table.get_ref());
    walk.given
}

fn syntax_error(source: &Source, e: &toml::de::Error) -> Problem {
    let end = source.text().len();
    let span = e.span().unwrap_or(end..end);
    let place = source.place(&span);
    let line = place.spot.as_ref().map_or("", |spot| &spot.text);
    let value = line.split_once('=').map_or("", |(_, value)| value.trim());
    let hint =
        if wishes_no_limit(value) { UNLIMITED } else { "a line is `key = value`; texts stand in quotes" };
    let hint = hint.to_owned();
    Problem::new(format!("not valid TOML: {}", e.message())).at(place).next(hint)
}

struct Walk<'a> {
    layer: Layer,
    source: &'a Arc<Source>,
    given: Given,
    problems: &'a mut Vec<Problem>,
}

impl Walk<'_> {
    fn document(&mut self, table: &DeTable<'_>) {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name = key.get_ref().as_ref();
            match value.get_ref() {
                DeValue::Table(section) if SECTIONS.contains(&name) => self.section(name, section),
                DeValue::Table(_) if CATALOGUE.contains(&name) => self.catalogue(name, key.span()),
                DeValue::Array(tables) if LISTS.contains(&name) => {
                    let tables = self.tables(name, tables.iter());
                    match name {
                        "hook" => self.given.hooks = tables,
                        "route" => self.given.routes = tables,
                        _ => self.given.checks = tables,
                    }
                }
                DeValue::Table(_) if !LISTS.contains(&name) => self.unknown_section(name, key.span()),
                DeValue::Array(list) if list.iter().any(|one| matches!(one.get_ref(), DeValue::Table(_))) => {
                    self.unknown_section(name, key.span());
                }
                _ if LISTS.contains(&name) => self.misshapen(name, &format!("[[{name}]]"), key.span()),
                _ if SECTIONS.contains(&name) => self.misshapen(name, &format!("[{name}]"), key.span()),
                _ => {
                    let item = self.item("", key, value);
                    self.given.items.push(item);
                }
            }
        }
    }

    /// Its keys, and those of the sections in it.
    fn section(&mut self, name: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let inner = format!("{name}.{}", key.get_ref());
            match value.get_ref() {
                DeValue::Table(section) if SECTIONS.contains(&inner.as_str()) => {
                    let items = self.items(&inner, section);
                    self.given.items.extend(items);
                }
                _ if SECTIONS.contains(&inner.as_str()) => {
                    self.misshapen(&inner, &format!("[{inner}]"), key.span());
                }
                _ => {
                    let item = self.item(name, key, value);
                    self.given.items.push(item);
                }
            }
        }
    }

    /// What these say is read by the catalogue of agents, with the same text and so the same places.
    fn catalogue(&mut self, name: &str, span: Range<usize>) {
        if self.layer == Layer::User {
            self.given.catalogue = Some(Arc::clone(self.source));
            return;
        }
        let what = format!("[{name}] can only be set in your own configuration, not in a project's");
        let next = "move it to config.toml in your configuration directory";
        self.problems.push(Problem::new(what).at(self.source.place(&span)).next(next));
    }

    fn tables<'t>(
        &mut self,
        name: &str,
        tables: impl ExactSizeIterator<Item = &'t Spanned<DeValue<'t>>>,
    ) -> Vec<GivenTable> {
        let count = tables.len();
        let mut given = Vec::new();
        for one in tables.take(MOST_TABLES) {
            match one.get_ref() {
                DeValue::Table(table) => {
                    let items = self.items(name, table);
                    given.push(GivenTable { at: self.origin(one.span()), items });
                }
                _ => self.misshapen(name, &format!("[[{name}]]"), one.span()),
            }
        }
        if count > MOST_TABLES {
            let what = format!("{count} {name}s, at most {MOST_TABLES} are allowed");
            self.problems.push(Problem::new(what).next("let one do what several do"));
        }
        given
    }

    fn items(&self, section: &str, table: &DeTable<'_>) -> Vec<Item> {
        table.iter().map(|(key, value)| self.item(section, key, value)).collect()
    }

    fn item(
        &self,
        section: &str,
        key: &Spanned<toml::de::DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Item {
        Item {
            section: section.to_owned(),
            key: key.get_ref().to_string(),
            key_at: self.origin(key.span()),
            raw: self.raw(value),
            at: self.origin(value.span()),
        }
    }

    fn raw(&self, value: &Spanned<DeValue<'_>>) -> Raw {
        match value.get_ref() {
            DeValue::String(text) => Raw::Text(text.to_string()),
            DeValue::Integer(_) | DeValue::Float(_) => {
                Raw::Number(self.source.text()[value.span()].to_owned())
            }
            DeValue::Boolean(value) => Raw::Bool(*value),
            DeValue::Datetime(_) => Raw::Date,
            DeValue::Array(values) => Raw::List(values.iter().map(|value| self.raw(value)).collect()),
            DeValue::Table(_) => Raw::Table,
        }
    }

    fn origin(&self, span: Range<usize>) -> Origin {
        Origin::File { layer: self.layer, source: Arc::clone(self.source), span }
    }

    fn unknown_section(&mut self, name: &str, span: Range<usize>) {
        // A hostile file has a hundred thousand of them.
        if self.problems.len() >= REPORTED {
            return;
        }
        let problem =
            Problem::new(format!("unknown section [{}]", shortened(name))).at(self.source.place(&span));
        let problem = match nearest(name, SECTIONS.into_iter().chain(LISTS)) {
            Some(near) if LISTS.contains(&near) => problem.next(format!("did you mean [[{near}]]?")),
            Some(near) => problem.next(format!("did you mean [{near}]?")),
            None => problem,
        };
        self.problems.push(problem.next(format!(
            "sections: {}, [[check]], [[hook]], [[route]]",
            SECTIONS.map(|s| format!("[{s}]")).join(", ")
        )));
    }

    fn misshapen(&mut self, name: &str, heading: &str, span: Range<usize>) {
        let problem = Problem::new(format!("`{name}` is not a key")).at(self.source.place(&span));
        self.problems.push(problem.next(format!("write the heading {heading} and its keys below it")));
    }
}
