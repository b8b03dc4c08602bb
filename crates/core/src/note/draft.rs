//! A note as it is first put down.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::confidence::Confidence;
use super::kind::Kind;
use super::scope::Scope;
use crate::Timestamp;
use crate::id::{NoteId, RunId, SessionId, TaskId};

/// What an observer says; everything else about a note comes of later events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    #[serde(flatten)]
    pub kind: Kind,
    /// A few words; may be empty where the content is short itself.
    #[serde(default)]
    pub title: String,
    pub content: String,
    /// Below the project's root.
    #[serde(default)]
    pub files: Vec<String>,
    #[serde(default)]
    pub symbols: Vec<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub citations: Vec<Citation>,
    #[serde(default)]
    pub confidence: Confidence,
    #[serde(flatten)]
    pub scope: Scope,
    #[serde(default)]
    pub source: Source,
    #[serde(default)]
    pub origin: Origin,
    /// The symbols that it was said of, as they were then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// What it takes the place of.
    #[serde(default)]
    pub supersedes: Vec<NoteId>,
    /// Since when it is so; when it was put down, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
}

/// What a note rests on. One without any is a hypothesis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "cites", rename_all = "snake_case")]
pub enum Citation {
    File {
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    Commit {
        hash: String,
    },
    Note {
        note: NoteId,
    },
    /// An output, a page, a person.
    Other {
        text: String,
    },
}

impl std::fmt::Display for Citation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Citation::File { path, line: Some(line) } => write!(f, "{path}:{line}"),
            Citation::File { path: text, line: None }
            | Citation::Commit { hash: text }
            | Citation::Other { text } => f.write_str(text),
            Citation::Note { note } => write!(f, "note {note}"),
        }
    }
}

/// Whose words a note is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Person,
    /// ralph saw it itself: an exit code, a test that became green.
    Rule,
    #[default]
    Agent,
    /// What a tool or a command printed, a file, or another project's notes. Anybody may have written it, so it never
    /// becomes a skill.
    Tool,
}

impl Origin {
    pub fn is_tainted(self) -> bool {
        match self {
            Origin::Tool => true,
            Origin::Person | Origin::Rule | Origin::Agent => false,
        }
    }
}

/// A symbol of the code graph as it was when a note was made of it or last confirmed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    /// With what it stands in, as the graph names it.
    pub symbol: String,
    pub file: String,
    /// Changes when the symbol's text does.
    pub digest: String,
}

/// Where a note comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Source {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Of the host or the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

impl Draft {
    pub fn new(kind: Kind, content: impl Into<String>) -> Draft {
        Draft {
            kind,
            title: String::new(),
            content: content.into(),
            files: Vec::new(),
            symbols: Vec::new(),
            tags: Vec::new(),
            citations: Vec::new(),
            confidence: Confidence::default(),
            scope: Scope::Project,
            source: Source::default(),
            origin: Origin::default(),
            anchors: Vec::new(),
            supersedes: Vec::new(),
            valid_from: None,
        }
    }

    /// Every text of it that came from outside, to be redacted or measured.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        let mut texts = self.kind.texts_mut();
        texts.extend([&mut self.title, &mut self.content]);
        texts.extend(self.files.iter_mut().chain(&mut self.symbols).chain(&mut self.tags));
        texts.extend(self.source.commit.iter_mut());
        texts.extend(self.anchors.iter_mut().flat_map(|anchor| [&mut anchor.symbol, &mut anchor.file]));
        texts.extend(self.citations.iter_mut().filter_map(|citation| match citation {
            Citation::File { path: text, .. }
            | Citation::Commit { hash: text }
            | Citation::Other { text } => Some(text),
            Citation::Note { .. } => None,
        }));
        texts
    }
}

impl Source {
    /// What notes that were made one after the other have in common: the session, or else the run and its task.
    pub fn thread(&self) -> Option<String> {
        if let Some(session) = &self.session {
            return Some(format!("session {session}"));
        }
        let run = self.run.as_ref()?;
        Some(self.task.as_ref().map_or_else(|| format!("run {run}"), |task| format!("run {run} {task}")))
    }
}
