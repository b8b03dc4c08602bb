//! Where everything is in a settings file.

use std::ops::Range;

/// Nobody writes settings deeper than this.
const DEEPEST: u32 = 64;

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadSettings {
    pub line: usize,
    pub what: String,
}

/// A value, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text(String),
    /// A number, true, false or null.
    Plain,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    /// From the key to the end of the value.
    pub(super) span: Range<usize>,
    pub(super) value: Node,
}

impl Node {
    /// Where the things inside are.
    pub(super) fn inside(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.span.clone()).collect(),
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            Kind::Text(_) | Kind::Plain => Vec::new(),
        }
    }

    pub(super) fn members(&self) -> &[Member] {
        if let Kind::Object(members) = &self.kind { members } else { &[] }
    }

    pub(super) fn items(&self) -> &[Node] {
        if let Kind::Array(items) = &self.kind { items } else { &[] }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// The value of a key. Of two with the same name, programs take the last.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }
}

pub(super) fn bad(text: &str, at: usize, what: impl Into<String>) -> BadSettings {
    let line = text[..at].matches('\n').count() + 1;
    BadSettings { line, what: what.into() }
}

/// Reads a whole file, which has to be an object.
pub(super) fn read(text: &str) -> Result<Node, BadSettings> {
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
    reader.trivia()?;
    if reader.rest().is_empty() {
        return Err(reader.fail("there is nothing in it"));
    }
    let root = reader.value(0)?;
    reader.trivia()?;
    if !reader.rest().is_empty() {
        return Err(reader.fail("something stands behind the end"));
    }
    match root.kind {
        Kind::Object(_) => Ok(root),
        Kind::Array(_) | Kind::Text(_) | Kind::Plain => {
            Err(bad(text, root.span.start, "it is not an object"))
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn fail(&self, what: impl Into<String>) -> BadSettings {
        bad(self.text, self.at, what)
    }

    /// Passes over whitespace and comments.
    fn trivia(&mut self) -> Result<(), BadSettings> {
        self.at = skip(self.text, self.at).map_err(|at| bad(self.text, at, "a comment has no end"))?;
        Ok(())
    }

    fn take(&mut self, mark: char) -> bool {
        let is_there = self.rest().starts_with(mark);
        self.at += if is_there { mark.len_utf8() } else { 0 };
        is_there
    }

    fn value(&mut self, depth: u32) -> Result<Node, BadSettings> {
        if depth > DEEPEST {
            return Err(self.fail("it is nested too deeply"));
        }
        let start = self.at;
        let kind = match self.rest().chars().next() {
            Some('{') => self.object(depth)?,
            Some('[') => self.array(depth)?,
            Some('"') => Kind::Text(self.string()?),
            _ => self.plain()?,
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: u32) -> Result<Kind, BadSettings> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.trivia()?;
            if self.take('}') {
                return Ok(Kind::Object(members));
            }
            let start = self.at;
            if !self.rest().starts_with('"') {
                return Err(self.fail("a name in quotation marks, or `}`, is missing"));
            }
            let key = self.string()?;
            self.trivia()?;
            if !self.take(':') {
                return Err(self.fail("a colon is missing"));
            }
            self.trivia()?;
            let value = self.value(depth + 1)?;
            members.push(Member { key, span: start..self.at, value });
            self.trivia()?;
            if !self.take(',') && !self.rest().starts_with('}') {
                return Err(self.fail("a comma or `}` is missing"));
            }
        }
    }

    fn array(&mut self, depth: u32) -> Result<Kind, BadSettings> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.trivia()?;
            if self.take(']') {
                return Ok(Kind::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.trivia()?;
            if !self.take(',') && !self.rest().starts_with(']') {
                return Err(self.fail("a comma or `]` is missing"));
            }
        }
    }

    fn string(&mut self) -> Result<String, BadSettings> {
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    let read = serde_json::from_str(&self.rest()[..=at]);
                    let read = read.map_err(|_| self.fail("a text is not as JSON has it"))?;
                    self.at += at + 1;
                    return Ok(read);
                }
                '\n' => break,
                _ => {}
            }
        }
        Err(self.fail("a text has no end"))
    }

    fn plain(&mut self) -> Result<Kind, BadSettings> {
        let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'));
        let word = &self.rest()[..self.rest().find(ends).unwrap_or(self.rest().len())];
        if word.is_empty() || serde_json::from_str::<serde_json::Value>(word).is_err() {
            return Err(self.fail("a value is missing"));
        }
        self.at += word.len();
        Ok(Kind::Plain)
    }
}

/// Behind whitespace and comments, or where a comment without an end begins.
pub(super) fn skip(text: &str, mut at: usize) -> Result<usize, usize> {
    loop {
        let rest = text[at..].trim_start_matches([' ', '\t', '\r', '\n']);
        at = text.len() - rest.len();
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(inside) = rest.strip_prefix("/*") {
            at += inside.find("*/").ok_or(at)? + 4;
        } else {
            return Ok(at);
        }
    }
}
