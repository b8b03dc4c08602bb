//! What can be wrong with a template, for the person who wrote it.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use ralph_core::nearest::{nearest, shortened};

#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    #[error("there is no template at {}", path.display())]
    Missing { path: PathBuf },
    #[error("cannot read the template {}: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("`{name}` is not the name of a tracker")]
    Name { name: String },
    /// Everything that is wrong with it, in the order of its lines; never empty.
    #[error("{}", told(label, faults))]
    Faulty {
        /// The file, or what is known of it where it is none.
        label: String,
        path: Option<PathBuf>,
        faults: Vec<Fault>,
    },
}

impl TemplateError {
    /// What to do about it, where that is not said with each fault.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            TemplateError::Missing { .. } => Some("`ralph template eject` writes one to begin with"),
            TemplateError::Unreadable { .. } => Some("a template is a text file in UTF-8"),
            TemplateError::Name { .. } => Some("`ralph template show --help` lists them"),
            TemplateError::Faulty { .. } => None,
        }
    }
}

/// Something wrong at a place. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub line: usize,
    pub column: usize,
    /// How many characters are meant, at least one.
    pub width: usize,
    /// The whole line.
    pub text: String,
    pub what: String,
    pub next: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.what)?;
        match &self.next {
            Some(next) => write!(f, " ({next})"),
            None => Ok(()),
        }
    }
}

fn told(label: &str, faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(|fault| format!("{label}:{fault}")).collect();
    lines.join("\n")
}

/// What became too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    #[error("the brief would be longer than {most} bytes")]
    Long { most: usize },
    #[error("the template does more than {most} steps")]
    Busy { most: u32 },
}

/// A fault by its bytes in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) place: Range<usize>,
    pub(crate) what: String,
    pub(crate) next: Option<String>,
}

impl Flaw {
    pub(crate) fn new(place: Range<usize>, what: impl Into<String>) -> Flaw {
        Flaw { place, what: what.into(), next: None }
    }

    pub(crate) fn next(mut self, hint: impl Into<String>) -> Flaw {
        self.next = Some(hint.into());
        self
    }

    /// Names the nearest of what there is.
    pub(crate) fn nearest<'a>(self, given: &str, names: impl IntoIterator<Item = &'a str>) -> Flaw {
        match nearest(given, names) {
            Some(name) => self.next(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    pub(crate) fn in_source(self, source: &str) -> Fault {
        let start = self.place.start.min(source.len());
        let begin = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = source[start..].find('\n').map_or(source.len(), |at| start + at);
        let text = source[begin..end].trim_end_matches('\r');
        let meant = &source[start..self.place.end.clamp(start, end)];
        Fault {
            line: source[..start].bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: source[begin..start].chars().count() + 1,
            width: meant.chars().count().max(1),
            text: text.to_owned(),
            what: self.what,
            next: self.next,
        }
    }
}

/// A piece of a template, short enough to be repeated in a message.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text))
}
