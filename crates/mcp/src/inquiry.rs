//! What an agent asks of what ralph knows, as its tools take it and as it goes through the socket.

use ralph_core::note::KindName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Inquiry {
    Search(Search),
    Timeline(Timeline),
    Get(Get),
    Remember(Remember),
    Symbols(Symbols),
    Refs(Refs),
    Impact(Impact),
    Map(Map),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// What to look for, in your own words
    pub query: String,
    /// Only these kinds of notes; all by default
    #[serde(default)]
    pub kinds: Vec<KindName>,
    /// Files at hand: notes about them come first
    #[serde(default)]
    pub files: Vec<String>,
    /// Symbols at hand
    #[serde(default)]
    pub symbols: Vec<String>,
    /// How many at most; 10 by default
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// The note's id
    pub id: String,
    /// How many notes before it and after it; 3 by default
    pub reach: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Get {
    /// The notes' ids
    pub ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// What kind of note it is
    pub kind: KindName,
    /// What there is to know: one thing, in a few sentences
    pub content: String,
    /// A few words for it
    #[serde(default)]
    pub title: String,
    /// Files that it is about, from the root of the project
    #[serde(default)]
    pub files: Vec<String>,
    /// Symbols that it is about
    #[serde(default)]
    pub symbols: Vec<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    /// Why it was decided; for a decision only
    pub because: Option<String>,
    /// When it happens; for a gotcha only
    #[serde(default)]
    pub triggers: Vec<String>,
    /// What it can be checked against: PATH or PATH:LINE of files of the project
    #[serde(default)]
    pub cites: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Symbols {
    /// A part of the name with its container
    #[serde(default)]
    pub part: String,
    /// Only in this file or directory
    pub inside: Option<String>,
    /// How many at most; 50 by default
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refs {
    /// NAME, TYPE::NAME, PATH:NAME or PATH:LINE
    pub symbol: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Impact {
    /// NAME, TYPE::NAME, PATH, PATH:NAME or PATH:LINE
    pub what: Vec<String>,
    /// Over how many steps
    pub depth: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// Files, directories and symbols that the map is about; everything by default
    #[serde(default)]
    pub focus: Vec<String>,
    /// How many tokens it may have; 1000 by default
    pub budget: Option<usize>,
}
