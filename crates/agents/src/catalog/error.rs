//! What can be wrong with a catalogue, and with what is asked of an entry.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CatalogueError {
    /// Names the line and shows it.
    #[error("{0}")]
    Unreadable(toml::de::Error),
    #[error("line {line}: agent {agent}: {what}")]
    Impossible { line: usize, agent: String, what: String },
}

impl CatalogueError {
    pub(super) fn at(text: &str, span: Range<usize>, agent: &str, what: String) -> CatalogueError {
        let line = text.get(..span.start).unwrap_or(text).matches('\n').count() + 1;
        CatalogueError::Impossible { line, agent: agent.to_owned(), what }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    #[error("{agent} takes no model")]
    Model { agent: String },
    #[error("{agent} takes no effort")]
    Effort { agent: String },
    #[error("{agent} knows no effort `{given}`; it knows {}", known.join(", "))]
    UnknownEffort { agent: String, given: String, known: Vec<String> },
    #[error("{agent} cannot resume a session")]
    Resume { agent: String },
}
