//! Whether notes help: how work went with them and without them, with how often that was seen.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::id::{NoteId, RunId, TaskId};
use ralph_core::note::{Draft, MemoryEvent, Origin, Use};
use ralph_store::{Notes, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::capture::{COMPLETE, OUTCOME};
use crate::catch_up::catch_up;

/// Below so many attempts, with or without, nothing can be told.
const ENOUGH: u32 = 5;
/// Less of a difference is none.
const DIFFERENCE: f64 = 0.1;
const LINES: usize = 4096;

/// What `ralph memory report` shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Uplift {
    /// Attempts with at least one note in the brief.
    pub with: Tally,
    /// Attempts from which one was left out on purpose.
    pub without_one: Tally,
    /// Tasks whose first attempt had notes in its brief.
    pub tasks_with: TaskTally,
    /// Tasks whose first attempt had none.
    pub tasks_without: TaskTally,
    /// All that were ever in a brief or left out of one, those that help most first.
    pub notes: Vec<NoteUplift>,
}

/// How attempts went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    pub succeeded: u32,
    pub failed: u32,
    /// After which as much failed as before.
    pub unchanged: u32,
}

/// How many attempts tasks took; only those that were completed have an end to count to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskTally {
    pub completed: u32,
    /// Of the completed ones together.
    pub iterations: u32,
    pub unfinished: u32,
}

/// One note's part in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoteUplift {
    pub note: NoteId,
    pub headline: String,
    pub with: Tally,
    pub without: Tally,
    /// By how much more attempts succeed with it than without, from -1 to 1; nothing where either was never seen.
    pub difference: Option<f64>,
    pub finding: Finding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    Helps,
    /// Work goes worse with it than without.
    Harms,
    NoDifference,
    /// Seen too seldom, with or without it.
    TooFew,
}

/// The notes for all projects, and the runs that are this project's: what others made of these notes is not its work.
#[derive(Debug)]
pub struct ForAll<'a, S> {
    pub store: &'a S,
    pub runs: &'a BTreeSet<RunId>,
}

/// Goes through the whole log, and through that of what is for all projects.
pub async fn uplift<S: Notes>(store: &S, for_all: Option<ForAll<'_, S>>) -> Result<Uplift, StoreError> {
    catch_up(store).await?;
    let mut seen = Seen::of(store).await?;
    if let Some(for_all) = &for_all {
        catch_up(for_all.store).await?;
        seen.add(for_all).await?;
    }
    let mut uplift = Uplift::default();
    for succeeded in seen.with.values() {
        uplift.with.count(*succeeded);
    }
    for succeeded in seen.without.values() {
        uplift.without_one.count(*succeeded);
    }
    for (key, task) in &seen.tasks {
        let first = task.iterations.first().copied();
        let had_notes = first.is_some_and(|first| seen.with.contains_key(&(key.clone(), Some(first))));
        let tally = if had_notes { &mut uplift.tasks_with } else { &mut uplift.tasks_without };
        tally.count(task);
    }
    for (id, Counted { with, without }) in seen.notes {
        let there = match &for_all {
            Some(for_all) => for_all.store.note(&id).await?,
            None => None,
        };
        let Some(note) = store.note(&id).await?.or(there) else { continue };
        let headline = note.headline().to_owned();
        let (difference, finding) = compared(with, without);
        uplift.notes.push(NoteUplift { note: id, headline, with, without, difference, finding });
    }
    uplift.notes.sort_by(|a, b| {
        let key = |one: &NoteUplift| (one.finding == Finding::TooFew, -one.difference.unwrap_or(0.0));
        let ((a_few, a_less), (b_few, b_less)) = (key(a), key(b));
        a_few.cmp(&b_few).then(a_less.total_cmp(&b_less)).then_with(|| a.note.cmp(&b.note))
    });
    Ok(uplift)
}

impl Uplift {
    /// Whether no note was ever in a brief, or left out of one.
    pub fn is_empty(&self) -> bool {
        self.with.total() + self.without_one.total() == 0
    }
}

fn compared(with: Tally, without: Tally) -> (Option<f64>, Finding) {
    let difference = with.share().zip(without.share()).map(|(with, without)| with - without);
    let finding = match difference {
        Some(difference) if with.total().min(without.total()) >= ENOUGH => match difference {
            more if more >= DIFFERENCE => Finding::Helps,
            less if less <= -DIFFERENCE => Finding::Harms,
            _ => Finding::NoDifference,
        },
        Some(_) | None => Finding::TooFew,
    };
    (difference, finding)
}

impl Tally {
    pub fn total(self) -> u32 {
        self.succeeded.saturating_add(self.failed).saturating_add(self.unchanged)
    }

    /// How many of them went well, from 0 to 1.
    pub fn share(self) -> Option<f64> {
        (self.total() > 0).then(|| f64::from(self.succeeded) / f64::from(self.total()))
    }

    fn count(&mut self, succeeded: Option<bool>) {
        *match succeeded {
            Some(true) => &mut self.succeeded,
            Some(false) => &mut self.failed,
            None => &mut self.unchanged,
        } += 1;
    }
}

impl TaskTally {
    /// Attempts that a completed task took.
    pub fn mean_iterations(self) -> Option<f64> {
        (self.completed > 0).then(|| f64::from(self.iterations) / f64::from(self.completed))
    }

    fn count(&mut self, task: &TaskSeen) {
        if task.is_complete {
            self.completed += 1;
            self.iterations += task.iterations.len() as u32;
        } else {
            self.unfinished += 1;
        }
    }
}

type TaskKey = (Option<RunId>, Option<TaskId>);

/// What the log tells of attempts.
#[derive(Default)]
struct Seen {
    /// Whether they went well, by attempt.
    with: BTreeMap<(TaskKey, Option<u32>), Option<bool>>,
    without: BTreeMap<(TaskKey, Option<u32>), Option<bool>>,
    tasks: BTreeMap<TaskKey, TaskSeen>,
    notes: BTreeMap<NoteId, Counted>,
}

/// How attempts went with a note and without.
#[derive(Default)]
struct Counted {
    with: Tally,
    without: Tally,
}

#[derive(Default)]
struct TaskSeen {
    iterations: BTreeSet<u32>,
    is_complete: bool,
}

impl Seen {
    async fn of(store: &impl Notes) -> Result<Seen, StoreError> {
        let mut seen = Seen::default();
        let mut after = 0;
        loop {
            let lines = store.memory_log(after, LINES).await?;
            let Some(last) = lines.last() else { return Ok(seen) };
            after = last.seq;
            lines.iter().filter_map(|line| line.event.as_ref()).for_each(|event| seen.take(event));
        }
    }

    /// What is for all projects, as far as this project's runs had it. What stands on both shelves was counted already.
    async fn add<S: Notes>(&mut self, for_all: &ForAll<'_, S>) -> Result<(), StoreError> {
        let own: BTreeSet<NoteId> = self.notes.keys().cloned().collect();
        let mut after = 0;
        loop {
            let lines = for_all.store.memory_log(after, LINES).await?;
            let Some(last) = lines.last() else { return Ok(()) };
            after = last.seq;
            for event in lines.iter().filter_map(|line| line.event.as_ref()) {
                let (MemoryEvent::Used { note, used } | MemoryEvent::Withheld { note, used }) = event else {
                    continue;
                };
                let is_own = used.run.as_ref().is_some_and(|run| for_all.runs.contains(run));
                if is_own && !own.contains(note) {
                    self.take(event);
                }
            }
        }
    }

    fn take(&mut self, event: &MemoryEvent) {
        let key = |used: &Use| ((used.run.clone(), used.task.clone()), used.iteration);
        match event {
            MemoryEvent::Used { note, used } => {
                self.with.insert(key(used), used.succeeded);
                self.notes.entry(note.clone()).or_default().with.count(used.succeeded);
            }
            MemoryEvent::Withheld { note, used } => {
                self.without.insert(key(used), used.succeeded);
                self.notes.entry(note.clone()).or_default().without.count(used.succeeded);
            }
            MemoryEvent::Observed { draft, .. } => self.outcome(draft),
            MemoryEvent::Confirmed { .. }
            | MemoryEvent::Doubted { .. }
            | MemoryEvent::Anchored { .. }
            | MemoryEvent::Superseded { .. }
            | MemoryEvent::Promoted { .. }
            | MemoryEvent::Forgotten { .. } => {}
        }
    }

    fn outcome(&mut self, draft: &Draft) {
        let has = |wanted: &str| draft.tags.iter().any(|tag| tag == wanted);
        let source = &draft.source;
        let is_outcome = draft.origin == Origin::Rule && has(OUTCOME);
        if let (true, Some(iteration)) = (is_outcome, source.iteration) {
            let task = self.tasks.entry((source.run.clone(), source.task.clone())).or_default();
            task.iterations.insert(iteration);
            task.is_complete |= has(COMPLETE);
        }
    }
}
