//! What a brief is for, and how much of it is for notes.

use std::collections::BTreeMap;

use ralph_core::id::{RunId, TaskId};
use ralph_core::note::{Anchor, Note};

use crate::meaning::Meaning;
use crate::query::{Context, Except};

/// What the work is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// Whose staged notes are seen.
    pub task: TaskId,
    /// The task in its own words, and whatever else there is to go by, such as the errors of the last attempt.
    pub text: String,
    /// Those that are being changed, or are likely to be; below the project's root.
    pub files: Vec<String>,
    pub symbols: Vec<String>,
    /// Files and symbols that the code graph says are near, from 0 to 1.
    pub near: BTreeMap<String, f64>,
    /// What the text means by a measure, where somebody asked one.
    pub meaning: Option<Meaning>,
    /// The run that the brief is for. What fails in it now, its briefs tell anyway.
    pub run: Option<RunId>,
    /// Symbols as they are now. What was said of one that is another by now is a hypothesis.
    pub current: Vec<Anchor>,
}

/// How much may be taken. All of these are limits, none of them is a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// For everything that is worded, with its headings and fences.
    pub tokens: u32,
    pub skills: usize,
    pub patterns: usize,
    pub gotchas: usize,
    pub failures: usize,
    pub known: usize,
    pub observations: usize,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance {
            tokens: 8000,
            skills: 5,
            patterns: 3,
            gotchas: 5,
            failures: 3,
            known: 3,
            observations: 10,
        }
    }
}

/// Now and then a note is left out on purpose, to see how the work goes without it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Holdout {
    /// Of all briefs, from 0 to 1.
    pub share: f64,
    /// Decides which briefs and which notes: the same for the same number.
    pub entropy: u64,
}

impl Need {
    /// What a brief has no use for.
    pub(super) fn except(&self) -> Vec<Except> {
        let failing = self.run.iter().map(|run| Except::FailingIn(run.clone()));
        failing.chain([Except::Outcomes]).collect()
    }

    pub(super) fn is_of_this_run(&self, note: &Note) -> bool {
        self.run.is_some() && note.said.source.run == self.run
    }

    pub(super) fn context(&self) -> Context {
        Context { files: self.files.clone(), symbols: self.symbols.clone(), near: self.near.clone() }
    }
}
