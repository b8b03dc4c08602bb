//! What is to happen to each note of a task, worked out before anything is written.

use std::collections::BTreeSet;

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Evidence, MemoryEvent, Note, Origin, Scope};
use ralph_store::{Notes, StoreError};

use super::duplicates::{Survivor, among_themselves, survivor};
use super::value::is_of_value;
use super::{Consolidation, Done, extract};
use crate::alike::Reading;
use crate::analysis::facet;
use crate::contradict::Claims;
use crate::contradictions::near;
use crate::staged::staged;

/// Why a note is superseded.
pub(super) const SAID: &str = "another note says the same";
pub(super) const WRONG: &str = "a newer note that was verified says otherwise";

/// In the order in which they are appended: what is new, what speaks for or against notes, what takes whose place, and
/// last who can see them.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) events: Vec<MemoryEvent>,
    pub(super) report: Consolidation,
}

/// A note of the project that is compared with one of the task, and what follows for both.
enum Beside {
    /// Nothing is known of what it says.
    New,
    Said {
        known: Box<Note>,
        by: Survivor,
    },
    /// By each of these, of which there is one at least.
    Denied(Vec<Note>),
}

impl Plan {
    pub(super) async fn of(store: &impl Notes, done: &Done<'_>, at: Timestamp) -> Result<Plan, StoreError> {
        let staged = staged(store, done.task).await?;
        let mut plan = Plan::default();
        let (kept, dropped): (Vec<Note>, Vec<Note>) = staged.into_iter().partition(is_of_value);
        plan.report.dropped = dropped.len() as u64;
        let made = extract::made_of(&kept, done, at);
        for (old, by) in &made.replaced {
            plan.supersede_as_said(old, by);
        }
        let is_left = |note: &Note| made.replaced.iter().all(|(old, _)| *old != note.id);
        let mut notes: Vec<Note> = kept.into_iter().filter(is_left).collect();
        for note in made.notes {
            plan.events.insert(0, observed(&note));
            notes.push(note);
        }
        let (notes, again) = plan.unique(notes);
        let notes = plan.undisputed(notes, done);
        plan.hand_over(store, notes, &again, done).await?;
        plan.merged_later(store, done).await?;
        plan.events.sort_by_key(order);
        Ok(plan)
    }

    /// Each thing once, and which of them were said more than once.
    fn unique(&mut self, notes: Vec<Note>) -> (Vec<Note>, BTreeSet<NoteId>) {
        let (notes, said_again) = among_themselves(notes);
        for (old, by) in &said_again {
            self.supersede_as_said(old, by);
        }
        (notes, said_again.into_iter().map(|(_, by)| by).collect())
    }

    /// Of two that cannot both be so, the newer, unless only the older was verified.
    fn undisputed(&mut self, notes: Vec<Note>, done: &Done<'_>) -> Vec<Note> {
        let is_verified = |note: &Note| note.verified || done.verified;
        let mut standing: Vec<(Note, Claims)> = Vec::new();
        for note in notes {
            let claims = Claims::of(&note.said);
            let mut stands = true;
            standing.retain(|(older, theirs)| {
                if !stands || claims.conflict(theirs).is_none() {
                    return true;
                }
                stands = is_verified(&note) || !is_verified(older);
                let (loser, winner) = if stands { (older, &note) } else { (&note, older) };
                self.supersede_as_wrong(loser, winner);
                !stands
            });
            if stands {
                standing.push((note, claims));
            }
        }
        standing.into_iter().map(|(note, _)| note).collect()
    }

    /// Promotes what the project does not know, and settles what it knows otherwise.
    async fn hand_over(
        &mut self,
        store: &impl Notes,
        notes: Vec<Note>,
        again: &BTreeSet<NoteId>,
        done: &Done<'_>,
    ) -> Result<(), StoreError> {
        let mut settled: BTreeSet<NoteId> = BTreeSet::new();
        for note in notes {
            match beside(store, &note, &settled).await? {
                Beside::New => self.promote(&note, again.contains(&note.id), done),
                Beside::Said { known, by: Survivor::Known } => {
                    self.supersede_as_said(&note.id, &known.id);
                    // Two notes of a task may be one to the project, which has then seen it once more, not twice.
                    if settled.insert(known.id.clone()) {
                        self.confirm(&known, true, done);
                    }
                }
                Beside::Said { known, by: Survivor::Staged } => {
                    settled.insert(known.id.clone());
                    self.supersede_as_said(&known.id, &note.id);
                    self.promote(&note, true, done);
                }
                Beside::Denied(known) if known.iter().all(|known| gives_way(known, &note, done)) => {
                    for known in &known {
                        settled.insert(known.id.clone());
                        self.supersede_as_wrong(known, &note);
                    }
                    self.promote(&note, again.contains(&note.id), done);
                }
                Beside::Denied(_) => self.report.dropped += 1,
            }
        }
        Ok(())
    }

    /// What was promoted when the task was completed is confirmed when it is merged.
    async fn merged_later(&mut self, store: &impl Notes, done: &Done<'_>) -> Result<(), StoreError> {
        if !done.is_merged() {
            return Ok(());
        }
        let lists = store.listed(vec![facet::made_for(done.task)]).await?;
        let numbers = lists.iter().flat_map(|list| list.iter()).map(|posting| posting.no).collect();
        for (_, note) in store.numbered_notes(numbers).await? {
            if matches!(note.said.scope, Scope::Task { .. }) || note.said.origin == Origin::Person {
                continue;
            }
            let history = store.memory_history(&note.id).await?;
            let is_merge = |event: &MemoryEvent| {
                matches!(event, MemoryEvent::Confirmed { evidence: Evidence::Merged, .. })
            };
            let in_plan = self.events.iter().any(|event| is_merge(event) && *event.note() == note.id);
            if !in_plan && !history.iter().filter_map(|line| line.event.as_ref()).any(is_merge) {
                self.events.push(MemoryEvent::Confirmed { note: note.id, evidence: Evidence::Merged });
            }
        }
        Ok(())
    }

    fn promote(&mut self, note: &Note, was_said_again: bool, done: &Done<'_>) {
        self.confirm(note, was_said_again, done);
        self.events.push(MemoryEvent::Promoted { note: note.id.clone(), to: Scope::Project });
        self.report.promoted += 1;
    }

    /// What the end of the task says about a note.
    fn confirm(&mut self, note: &Note, was_said_again: bool, done: &Done<'_>) {
        let passed = done.verified && (!note.verified || was_said_again);
        let evidence = passed.then_some(Evidence::TestsPassed).into_iter();
        let evidence = evidence.chain(done.is_merged().then_some(Evidence::Merged));
        self.events
            .extend(evidence.map(|evidence| MemoryEvent::Confirmed { note: note.id.clone(), evidence }));
    }

    fn supersede_as_said(&mut self, old: &NoteId, by: &NoteId) {
        self.report.deduplicated += 1;
        self.supersede(old, by, SAID);
    }

    fn supersede_as_wrong(&mut self, old: &Note, by: &Note) {
        self.report.conflicts_resolved += 1;
        let note = old.id.clone();
        self.events.push(MemoryEvent::Doubted { note, evidence: Evidence::Contradicted });
        self.supersede(&old.id, &by.id, WRONG);
    }

    fn supersede(&mut self, old: &NoteId, by: &NoteId, why: &str) {
        let (note, by, why) = (old.clone(), by.clone(), why.to_owned());
        self.events.push(MemoryEvent::Superseded { note, by, why, valid_to: None });
    }
}

impl Done<'_> {
    fn is_merged(&self) -> bool {
        self.commit.is_some() || self.branch.is_some()
    }
}

/// The nearest notes that others can see, apart from those that were dealt with in this plan.
async fn beside(store: &impl Notes, note: &Note, settled: &BTreeSet<NoteId>) -> Result<Beside, StoreError> {
    let known = near(store, note).await?;
    let ours = Reading::of(&note.said);
    for known in &known {
        let theirs = Reading::of(&known.said);
        if ours.is_like(&theirs) {
            // What was superseded in this plan already cannot be again.
            let is_settled = settled.contains(&known.id);
            let by = if is_settled { Survivor::Known } else { survivor(known, note) };
            return Ok(Beside::Said { known: Box::new(known.clone()), by });
        }
    }
    let is_denied = |known: &Note| ours.claims.conflict(&Claims::of(&known.said)).is_some();
    let others = known.into_iter().filter(|known| !settled.contains(&known.id) && is_denied(known));
    let others: Vec<Note> = others.collect();
    Ok(if others.is_empty() { Beside::New } else { Beside::Denied(others) })
}

/// A person's word is only taken back by a person.
fn gives_way(known: &Note, note: &Note, done: &Done<'_>) -> bool {
    let is_verified = note.verified || done.verified;
    is_verified && (known.said.origin != Origin::Person || note.said.origin == Origin::Person)
}

fn observed(note: &Note) -> MemoryEvent {
    MemoryEvent::Observed { note: note.id.clone(), draft: Box::new(note.said.clone()) }
}

fn order(event: &MemoryEvent) -> u8 {
    match event {
        MemoryEvent::Observed { .. } => 0,
        MemoryEvent::Confirmed { .. }
        | MemoryEvent::Doubted { .. }
        | MemoryEvent::Used { .. }
        | MemoryEvent::Withheld { .. }
        | MemoryEvent::Anchored { .. } => 1,
        MemoryEvent::Superseded { .. } => 2,
        MemoryEvent::Promoted { .. } => 3,
        MemoryEvent::Forgotten { .. } => 4,
    }
}
