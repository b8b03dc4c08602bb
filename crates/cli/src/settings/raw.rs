//! What was written, before it is understood: every layer comes down to this, so that one reader with
//! one set of parsers serves them all.

use std::sync::Arc;

use super::origin::{Origin, Source};

#[derive(Debug, Clone)]
pub(crate) enum Raw {
    /// From a flag or the environment, where everything is text.
    Given(String),
    /// A TOML string.
    Text(String),
    /// A TOML integer or float exactly as written: `0x10`, `1_000`, `5.00`.
    Number(String),
    Bool(bool),
    Date,
    List(Vec<Raw>),
    Table,
}

impl Raw {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Raw::Given(_) => "text",
            Raw::Text(_) => "a string",
            Raw::Number(_) => "a number",
            Raw::Bool(_) => "a boolean",
            Raw::Date => "a date",
            Raw::List(_) => "an array",
            Raw::Table => "a table",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// Empty at the top level.
    pub(crate) section: String,
    pub(crate) key: String,
    pub(crate) key_at: Origin,
    pub(crate) raw: Raw,
    pub(crate) at: Origin,
}

/// One layer as written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    pub(crate) items: Vec<Item>,
    pub(crate) hooks: Vec<GivenTable>,
    pub(crate) routes: Vec<GivenTable>,
    pub(crate) checks: Vec<GivenTable>,
    /// A file that has something to say to the catalogue of agents.
    pub(crate) catalogue: Option<Arc<Source>>,
}

/// One table of a list of them.
#[derive(Debug, Clone)]
pub(crate) struct GivenTable {
    pub(crate) at: Origin,
    pub(crate) items: Vec<Item>,
}
