//! What is wrong with a file that is to be taken over, and where in it.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub path: PathBuf,
    pub spot: Option<Spot>,
    /// Lower case, no full stop.
    pub what: String,
    pub next: String,
}

/// A place in a file; line and column count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub line: usize,
    pub column: usize,
    /// The whole line.
    pub text: String,
    /// How many characters are meant, at least one.
    pub width: usize,
}

impl Fault {
    pub(crate) fn new(path: &Path, what: impl Into<String>, next: impl Into<String>) -> Fault {
        Fault { path: path.to_owned(), spot: None, what: what.into(), next: next.into() }
    }

    pub(crate) fn at(self, spot: Spot) -> Fault {
        Fault { spot: Some(spot), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(spot) = &self.spot {
            write!(f, ":{}:{}", spot.line, spot.column)?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for Fault {}

impl Spot {
    pub(crate) fn of(text: &str, range: &Range<usize>) -> Spot {
        let start = text.floor_char_boundary(range.start.min(text.len()));
        let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let meant = &text[start..text.floor_char_boundary(range.end.clamp(start, end))];
        Spot {
            line: text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: text[begin..start].chars().count() + 1,
            text: text[begin..end].trim_end_matches('\r').to_owned(),
            width: meant.chars().count().max(1),
        }
    }

    pub(crate) fn of_line(text: &str, line: usize, column: usize) -> Spot {
        let own = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        Spot { line: line.max(1), column: column.max(1), text: own.to_owned(), width: 1 }
    }
}
