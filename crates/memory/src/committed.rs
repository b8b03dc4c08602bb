//! What a commit leaves to be known: what was done by it and how that was seen to work, drawn from what its task has put
//! down since the commit before.

use ralph_core::Timestamp;
use ralph_core::id::{NoteId, RunId, SessionId, TaskId};
use ralph_core::note::{
    Anchor, Citation, Draft, Evidence, Kind, MemoryEvent, Note, Observation, Origin, Source,
};
use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};

use crate::capture::{clipped, is_mended, is_outcome, one_line, placed};
use crate::derive::of_attempt;
use crate::headline::headline;
use crate::remember::{redact, remember};
use crate::staged::staged;
use crate::stated::APPROACH;

/// The tag of a fact about a commit.
const COMMITTED: &str = "commit";
/// Of an id, what people say.
const SHORT: usize = 10;
/// Subjects, mended failures and decisions that one fact tells of, of each.
const MOST: usize = 3;
/// Letters of each.
const LONGEST: usize = 160;
/// Files that one fact names.
const FILES: usize = 12;

/// Something that was committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

/// What was committed in an attempt, or for a task that is done.
#[derive(Debug, Clone, Copy)]
pub struct Commits<'a> {
    pub run: &'a RunId,
    pub task: &'a TaskId,
    pub iteration: u32,
    pub session: Option<&'a SessionId>,
    /// The newest last.
    pub made: &'a [Commit],
    /// The symbols that were touched, as they are now.
    pub anchors: &'a [Anchor],
    /// Whether the checks passed on what was committed.
    pub passed: bool,
}

/// Puts down the fact that these commits come to, and tells its id; nothing without any. Done twice, it changes nothing.
pub async fn committed(
    store: &impl Notes,
    commits: &Commits<'_>,
    redactor: &Redactor,
    at: Timestamp,
) -> Result<Option<NoteId>, StoreError> {
    // Before anything is cut: half a secret is not recognised.
    let hidden = |commit: &Commit| Commit {
        id: commit.id.clone(),
        subject: redactor.text(&commit.subject).into_owned(),
    };
    let made: Vec<Commit> = commits.made.iter().map(hidden).collect();
    let commits = &Commits { made: &made, ..*commits };
    let Some(last) = commits.made.last() else { return Ok(None) };
    let known = staged(store, commits.task).await?;
    let mut draft = fact(commits, last, since_the_last(&known, commits.run));
    redact(&mut draft, redactor);
    let note = of_attempt(commits.run, commits.task, commits.iteration, &draft);
    if store.memory_history(&note).await?.is_empty() {
        let observed = MemoryEvent::Observed { note: note.clone(), draft: Box::new(draft) };
        let confirmed = MemoryEvent::Confirmed { note: note.clone(), evidence: Evidence::TestsPassed };
        let events = std::iter::once(observed).chain(commits.passed.then_some(confirmed));
        remember(store, events.collect(), redactor, at).await?;
    }
    Ok(Some(note))
}

/// Whether it tells of a commit: what was done then, whatever becomes of the code. Agents may tag what they like.
pub(crate) fn is_of_commit(said: &Draft) -> bool {
    said.origin == Origin::Tool && said.tags.iter().any(|tag| tag == COMMITTED)
}

/// What the run has put down after its last commit.
fn since_the_last<'a>(known: &'a [Note], run: &RunId) -> impl Iterator<Item = &'a Note> + Clone {
    let begin = known.iter().rposition(|note| is_of_commit(&note.said)).map_or(0, |last| last + 1);
    known[begin..].iter().filter(move |note| note.said.source.run.as_ref() == Some(run))
}

fn fact<'a>(commits: &Commits<'_>, last: &Commit, recent: impl Iterator<Item = &'a Note> + Clone) -> Draft {
    let subjects = commits.made.iter().map(|commit| commit.subject.clone());
    let mended = recent.clone().filter(|note| is_mended(&note.said)).map(headline);
    let decided = recent.clone().filter(|note| is_decision(&note.said)).map(|note| note.said.content.clone());
    let checks = recent.clone().filter(|note| is_outcome(&note.said)).last();
    let told = [("Committed", told(subjects)), ("Mended", told(mended)), ("Decided", told(decided))];
    let checks = checks.map(|note| ("Checks", one_line(&note.said.content)));
    let lines = told.into_iter().chain(checks).filter(|(_, text)| !text.is_empty());
    let content: Vec<String> = lines.map(|(what, text)| format!("{what}: {text}")).collect();
    let mut draft = Draft::new(Kind::Observation(Observation::Discovery), content.join("\n"));
    let short: String = last.id.chars().take(SHORT).collect();
    draft.title = format!("Commit {short}: {}", clipped(&one_line(&last.subject), LONGEST));
    // A subject is what an agent wrote into a repository, and what failed is what a tool printed.
    draft.origin = Origin::Tool;
    draft.files = files(recent);
    draft.tags = vec![COMMITTED.to_owned()];
    draft.citations = vec![Citation::Commit { hash: last.id.clone() }];
    let source = Source {
        run: Some(commits.run.clone()),
        task: Some(commits.task.clone()),
        iteration: Some(commits.iteration),
        commit: Some(last.id.clone()),
        session: commits.session.cloned(),
    };
    let mut draft = placed(draft, commits.task, source, commits.anchors);
    draft.anchors.clear();
    draft
}

/// What the agent meant to do is no decision.
fn is_decision(said: &Draft) -> bool {
    matches!(said.kind, Kind::Observation(Observation::Decision { .. }))
        && said.tags.iter().all(|tag| tag != APPROACH)
}

fn told(texts: impl Iterator<Item = String>) -> String {
    let texts = texts.map(|text| clipped(&one_line(&text), LONGEST)).filter(|text| !text.is_empty());
    texts.take(MOST).collect::<Vec<_>>().join("; ")
}

fn files<'a>(recent: impl Iterator<Item = &'a Note>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for file in recent.flat_map(|note| &note.said.files) {
        if files.len() < FILES && !files.contains(file) {
            files.push(file.clone());
        }
    }
    files
}
