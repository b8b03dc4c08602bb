//! A question to the memory: what it says, what is at hand, and what is not wanted.

use std::collections::BTreeMap;

use ralph_core::Timestamp;
use ralph_core::id::{RunId, TaskId};
use ralph_core::note::{KindName, Scope};

use crate::meaning::Meaning;

/// What is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// In anybody's words. May be empty: then what is at hand decides, and what is new.
    pub text: String,
    pub limit: usize,
    /// What one wants to know; only the kinds of notes that answer it are found.
    pub intent: Option<Intent>,
    /// Only these; all, if empty. Together with an intent: only what both let through.
    pub kinds: Vec<KindName>,
    pub visible: Visible,
    /// What is not wanted, whatever else would let it through.
    pub except: Vec<Except>,
    /// Of what checks have reported.
    pub reported: Reported,
    /// Only notes about at least one of these files; all, if empty.
    pub files: Vec<String>,
    /// Only what is so since then.
    pub since: Option<Timestamp>,
    /// Only what was so already then.
    pub until: Option<Timestamp>,
    pub context: Context,
    /// What the question means by a measure, where somebody asked one ([`understand`](crate::understand())): notes with a
    /// vector of that measure are compared with it. Both measures are brought to the same scale.
    pub meaning: Option<Meaning>,
}

/// What is at hand where the question is asked: raises notes, and keeps none out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    pub files: Vec<String>,
    pub symbols: Vec<String>,
    /// Files and symbols that the code graph says are near, from 0 to 1.
    pub near: BTreeMap<String, f64>,
}

/// Notes that are of no use to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Except {
    /// How the checks of attempts came out.
    Outcomes,
    /// What checks reported in this run.
    FailingIn(RunId),
}

/// Whether what checks have reported is found: there may be a lot of it, all in the same words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    Too,
    Never,
    Alone,
}

/// What one wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    HowTo,
    Why,
    Where,
    WhatFailed,
}

/// Whose notes are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visible {
    /// What is the project's or everybody's.
    Shared,
    /// That, and what is in this task's scope.
    Task(TaskId),
    /// Only what has this scope.
    Only(Scope),
    /// What other tasks have staged, too.
    Everything,
}

impl Query {
    pub fn new(text: impl Into<String>) -> Query {
        Query {
            text: text.into(),
            limit: 10,
            intent: None,
            kinds: Vec::new(),
            visible: Visible::Shared,
            except: Vec::new(),
            reported: Reported::Too,
            files: Vec::new(),
            since: None,
            until: None,
            context: Context::default(),
            meaning: None,
        }
    }

    /// Both ask for the same, of notes that they may tell apart: by kind, file and time, and how many.
    pub(crate) fn is_in_the_words_of(&self, other: &Query) -> bool {
        self.text == other.text
            && self.visible == other.visible
            && self.except == other.except
            && self.context == other.context
            && self.meaning == other.meaning
    }

    /// The kinds that may be found, if not all.
    pub(crate) fn wanted_kinds(&self) -> Option<Vec<KindName>> {
        let of_intent = self.intent.map(Intent::kinds);
        if self.kinds.is_empty() {
            return of_intent.map(<[KindName]>::to_vec);
        }
        let both = |kind: &&KindName| of_intent.is_none_or(|kinds| kinds.contains(kind));
        Some(self.kinds.iter().filter(both).copied().collect())
    }
}

impl Intent {
    /// The kinds of notes that answer it.
    pub fn kinds(self) -> &'static [KindName] {
        match self {
            Intent::HowTo => &[KindName::Skill, KindName::Pattern, KindName::Command],
            Intent::Why => &[KindName::Decision, KindName::Pattern, KindName::Gotcha],
            Intent::Where => &[KindName::Discovery, KindName::Pattern, KindName::ToolUse],
            Intent::WhatFailed => &[KindName::Failure, KindName::Gotcha],
        }
    }
}
