//! What an attempt shows by itself, put down by rule: no model is asked, and the same attempt gives the same notes.

mod approach;
mod commands;
mod failing;
mod mended;
mod outcome;
mod text;

use std::collections::BTreeSet;

use ralph_core::check::CheckResult;
use ralph_core::id::{RunId, SessionId, TaskId};
use ralph_core::note::{Anchor, Citation, Draft, Kind, Origin, Scope, Source};
use ralph_core::progress::Sketch;

pub(crate) use approach::failed as failed_approach;
pub(crate) use outcome::{COMPLETE, OUTCOME, outcome};
pub(crate) use text::{clipped, one_line};

/// Everything that ralph has seen of one attempt.
#[derive(Debug, Clone, Copy)]
pub struct Witnessed<'a> {
    pub run: &'a RunId,
    pub task: &'a TaskId,
    /// The task's.
    pub title: &'a str,
    pub iteration: u32,
    pub session: Option<&'a SessionId>,
    /// What the checks found before the attempt; empty where they were not run.
    pub before: &'a [CheckResult],
    /// What they found after it.
    pub checks: &'a [CheckResult],
    /// Whether the task is done now.
    pub complete: bool,
    pub sketch: &'a Sketch,
    /// The agent's final message, or its end.
    pub said: &'a str,
    /// What it states in notes is read from here.
    pub stated: &'a str,
    pub ran: &'a [Ran],
    /// The symbols that were touched, as they are now.
    pub anchors: &'a [Anchor],
    /// All that is defined in the files which the agent's own notes are about.
    pub named: &'a [Anchor],
    /// Whether the attempt changed what the checks consist of: then they show nothing.
    pub bent: bool,
    pub commit: Option<&'a str>,
}

/// A command that the agent ran through its tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub command: String,
    /// Nothing where the agent's program does not say.
    pub exit_code: Option<i32>,
}

/// The notes that an attempt is worth, a few at most, all in the scope of its task.
pub fn captured(seen: &Witnessed<'_>) -> Vec<Draft> {
    let mut drafts = failing::candidates(seen);
    drafts.extend(approach::failed(seen));
    drafts.extend(mended::transitions(seen));
    drafts.extend(commands::that_worked(seen));
    drafts.into_iter().map(|draft| seen.placed(draft)).collect()
}

/// The tag of a note about something that became green.
pub(crate) const MENDED: &str = "mended";
/// Whether it says how something was mended, as it was seen.
pub(crate) fn is_mended(draft: &Draft) -> bool {
    draft.origin != Origin::Agent && draft.tags.iter().any(|tag| tag == MENDED)
}

/// The tag of a failure that was not there before the attempt.
pub(crate) const BROKE: &str = "broke";
/// The tag of a command that another one needed.
pub(crate) const WORKED: &str = "worked";

/// Symbols that one note is anchored to at most.
const ANCHORS: usize = 8;
/// Files that one note names at most.
const FILES: usize = 12;

/// Whether it tells how the checks of an attempt came out.
pub(crate) fn is_outcome(said: &Draft) -> bool {
    said.tags.iter().any(|tag| tag == OUTCOME)
}

/// Whether it is what a check was seen to report, and not how that was mended.
pub(crate) fn is_failing(said: &Draft) -> bool {
    matches!(said.kind, Kind::Gotcha { .. })
        && said.origin == Origin::Tool
        && said.tags.iter().all(|tag| tag != MENDED)
}

/// A draft in its task's scope, with where it comes from and the symbols of its files.
pub(crate) fn placed(mut draft: Draft, task: &TaskId, source: Source, anchors: &[Anchor]) -> Draft {
    draft.scope = Scope::Task { task: task.clone() };
    draft.source = source;
    let anchors = anchors_in(anchors, &draft.files);
    if draft.symbols.is_empty() {
        draft.symbols = anchors.iter().map(|anchor| anchor.symbol.clone()).collect();
    }
    if !draft.kind.is_history() {
        draft.anchors = anchors;
    }
    draft
}

/// Of all that a note's files define, what its text names; in files with little in them, all of it.
fn named_in(draft: &Draft, defined: &[Anchor]) -> Vec<Anchor> {
    let mut inside: Vec<Anchor> =
        defined.iter().filter(|anchor| draft.files.contains(&anchor.file)).cloned().collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: BTreeSet<&str> = draft.content.split(|c| !is_word(c)).collect();
    let is_named = |anchor: &Anchor| {
        anchor.symbol.rsplit(|c| !is_word(c)).next().is_some_and(|name| words.contains(name))
    };
    if inside.iter().any(is_named) {
        inside.retain(is_named);
    } else if inside.len() > ANCHORS {
        inside.clear();
    }
    inside
}

fn anchors_in(anchors: &[Anchor], files: &[String]) -> Vec<Anchor> {
    let about = anchors.iter().filter(|anchor| files.contains(&anchor.file));
    about.take(ANCHORS).cloned().collect()
}

impl Witnessed<'_> {
    /// A draft as one of this attempt: in its task's scope, with where it comes from.
    pub(crate) fn placed(&self, draft: Draft) -> Draft {
        let source = Source {
            run: Some(self.run.clone()),
            task: Some(self.task.clone()),
            iteration: Some(self.iteration),
            commit: self.commit.map(str::to_owned),
            session: self.session.cloned(),
        };
        placed(draft, self.task, source, self.anchors)
    }

    /// One that the agent has stated: about the symbols that it names in its files, and not about whatever was touched.
    pub(crate) fn stated(&self, mut draft: Draft) -> Draft {
        let mut named = named_in(&draft, self.named);
        draft = self.placed(draft);
        if !named.is_empty() {
            named.truncate(ANCHORS);
            draft.symbols = named.iter().map(|anchor| anchor.symbol.clone()).collect();
            draft.anchors = named;
        }
        draft
    }

    fn files(&self) -> Vec<String> {
        self.sketch.files.iter().take(FILES).cloned().collect()
    }

    /// What ralph has run itself is something that a note can rest on.
    fn cited(&self, check: &CheckResult) -> Citation {
        let (name, iteration, run) = (&check.name, self.iteration, self.run);
        Citation::Other { text: format!("check {name} after iteration {iteration} of run {run}") }
    }

    /// Whether the checks have shown that what was done works. Where they were green before and nothing was changed, they
    /// cannot tell success from nothing.
    pub fn passed(&self) -> bool {
        let says_something = self.before.iter().any(|check| !check.passed) || !self.sketch.files.is_empty();
        !self.bent
            && says_something
            && !self.checks.is_empty()
            && self.checks.iter().all(|check| check.passed)
    }

    pub(crate) fn failed(&self) -> bool {
        self.bent || self.checks.iter().any(|check| !check.passed)
    }
}
