//! Where a value was set, precisely enough to point at it.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::problem::{Place, Spot};

/// In rising order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    Default,
    User,
    Project,
    Environment,
    Flag,
}

#[derive(Debug, Clone)]
pub(crate) enum Origin {
    Default,
    File {
        layer: Layer,
        source: Arc<Source>,
        span: Range<usize>,
    },
    /// The name of an environment variable.
    Variable(String),
    /// A flag with its dashes.
    Flag(&'static str),
}

impl Origin {
    pub(crate) fn layer(&self) -> Layer {
        match self {
            Origin::Default => Layer::Default,
            Origin::File { layer, .. } => *layer,
            Origin::Variable(_) => Layer::Environment,
            Origin::Flag(_) => Layer::Flag,
        }
    }

    pub(crate) fn place(&self) -> Option<Place> {
        match self {
            Origin::File { source, span, .. } => Some(source.place(span)),
            Origin::Default | Origin::Variable(_) | Origin::Flag(_) => None,
        }
    }

    /// What the person wrote the value under.
    pub(crate) fn subject(&self, section: &str, key: &str) -> String {
        match self {
            Origin::Default | Origin::File { .. } => dotted(section, key),
            Origin::Variable(name) => name.clone(),
            Origin::Flag(name) => (*name).to_owned(),
        }
    }
}

pub(crate) fn dotted(section: &str, key: &str) -> String {
    if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { layer, source, span } => {
                let layer = if *layer == Layer::User { "user" } else { "project" };
                write!(f, "{layer} {}:{}", source.path.display(), source.line(span.start))
            }
            Origin::Variable(name) => write!(f, "environment {name}"),
            Origin::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// A value and where it was set.
#[derive(Debug, Clone)]
pub(crate) struct Set<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T> Set<T> {
    pub(crate) fn default(value: T) -> Option<Set<T>> {
        Some(Set { value, origin: Origin::Default })
    }
}

/// A file's text with an index of its lines: finding a place must stay cheap in a file of one
/// megabyte with a hundred thousand keys.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    text: String,
    starts: Vec<usize>,
}

impl Source {
    pub(crate) fn new(path: PathBuf, text: String) -> Source {
        let after_newlines =
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(after_newlines).collect();
        Source { path, text, starts }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        &self.path
    }

    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    pub(crate) fn place(&self, span: &Range<usize>) -> Place {
        let line = self.line(span.start);
        let start = self.starts[line - 1];
        let rest = self.text.get(start..).unwrap_or_default();
        let text = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
        let characters = |from: usize, to: usize| self.text.get(from..to).map_or(1, |s| s.chars().count());
        let spot = Spot {
            line,
            column: characters(start, span.start) + 1,
            text: text.to_owned(),
            width: characters(span.start, span.end.min(start + text.len())).max(1),
        };
        Place { path: self.path.clone(), spot: Some(spot) }
    }
}
