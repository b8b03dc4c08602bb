//! A note as it stands: what its events come to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::confidence::{Confidence, Evidence};
use super::draft::Draft;
use super::event::{MemoryEvent, Recorded};
use crate::Timestamp;
use crate::id::NoteId;

/// A note, with two times: since and until when it is so, and when it was put down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    pub id: NoteId,
    /// What was put down. Its scope and its confidence are those of now.
    #[serde(flatten)]
    pub said: Draft,
    /// Checks, a merge or a person have shown that it holds.
    pub verified: bool,
    /// The code that it was said of has changed, and nobody has confirmed it since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    #[serde(flatten)]
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    pub recorded_at: Timestamp,
    /// When there was last a word for or against it; its confidence is worn down from then on.
    pub evidence_at: Timestamp,
    pub uses: Uses,
    /// What it takes up in a brief, counted when the note was made of its events.
    #[serde(default)]
    pub tokens: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    Active,
    Superseded { by: NoteId, why: String },
}

/// How often it was in a brief.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Uses {
    pub succeeded: u32,
    pub failed: u32,
    /// How often it was left out on purpose, and the work went well or wrong without it.
    #[serde(default)]
    pub without_succeeded: u32,
    #[serde(default)]
    pub without_failed: u32,
}

/// A note after one more event that is about it. Without its first event there is no note, and after its last none.
pub fn fold(note: Option<Note>, recorded: &Recorded) -> Option<Note> {
    let Some(event) = &recorded.event else { return note };
    let at = recorded.at;
    if let MemoryEvent::Observed { note: id, draft } = event {
        // The same id twice would be two notes; the first is the one that others may have referred to.
        return note.or_else(|| Some(Note::observed(id.clone(), draft, at)));
    }
    let mut note = note?;
    match event {
        MemoryEvent::Observed { .. } => {}
        MemoryEvent::Confirmed { evidence, .. } | MemoryEvent::Doubted { evidence, .. } => {
            note.weigh(*evidence, at);
            if *evidence == Evidence::Approved && !note.is_active() {
                // A person says so of what had given way to a note that is gone.
                note.status = Status::Active;
                note.valid_to = None;
            }
        }
        MemoryEvent::Used { used, .. } => note.was_used(used.succeeded, at),
        MemoryEvent::Withheld { used, .. } => {
            let uses = &mut note.uses;
            let count = match used.succeeded {
                Some(true) => &mut uses.without_succeeded,
                Some(false) => &mut uses.without_failed,
                None => return Some(note),
            };
            *count = count.saturating_add(1);
        }
        MemoryEvent::Anchored { anchors, .. } => {
            note.said.anchors.clone_from(anchors);
            note.stale = false;
        }
        MemoryEvent::Superseded { by, why, valid_to, .. } => {
            note.status = Status::Superseded { by: by.clone(), why: why.clone() };
            note.valid_to = Some(valid_to.unwrap_or(at));
        }
        MemoryEvent::Promoted { to, .. } => {
            if note.said.scope.can_become(to) {
                note.said.scope = to.clone();
            }
        }
        MemoryEvent::Forgotten { .. } => return None,
    }
    Some(note)
}

impl Note {
    fn observed(id: NoteId, draft: &Draft, at: Timestamp) -> Note {
        Note {
            id,
            verified: false,
            stale: false,
            status: Status::Active,
            valid_to: None,
            recorded_at: at,
            evidence_at: at,
            uses: Uses::default(),
            tokens: 0,
            said: draft.clone(),
        }
    }

    fn weigh(&mut self, evidence: Evidence, at: Timestamp) {
        self.said.confidence = self.confidence_at(at).after(evidence);
        self.verified = (self.verified || evidence.verifies()) && !evidence.refutes();
        self.stale = (self.stale || evidence == Evidence::Changed) && !evidence.verifies();
        self.evidence_at = at;
    }

    fn was_used(&mut self, succeeded: Option<bool>, at: Timestamp) {
        let (count, evidence) = match succeeded {
            Some(true) => (&mut self.uses.succeeded, Evidence::Helped),
            Some(false) => (&mut self.uses.failed, Evidence::Misled),
            None => return,
        };
        *count = count.saturating_add(1);
        self.weigh(evidence, at);
    }

    /// How far it is to be relied on at a time, worn down by what has passed since the last evidence.
    pub fn confidence_at(&self, at: Timestamp) -> Confidence {
        let seconds = at.duration_since(self.evidence_at).as_secs_f64();
        self.said.confidence.aged(seconds / 86_400.0)
    }

    /// Since when it is so.
    pub fn valid_from(&self) -> Timestamp {
        self.said.valid_from.unwrap_or(self.recorded_at)
    }

    /// Whether it was held to be so at a time.
    pub fn is_valid_at(&self, at: Timestamp) -> bool {
        self.valid_from() <= at && self.valid_to.is_none_or(|end| at < end)
    }

    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }

    /// Nothing is named that it could be checked against, or what it was said of has changed since.
    pub fn is_hypothesis(&self) -> bool {
        self.stale || (self.said.citations.is_empty() && !self.verified)
    }

    /// What it is called where there is one line for it.
    pub fn headline(&self) -> &str {
        let title = self.said.title.trim();
        if title.is_empty() { self.said.content.trim().lines().next().unwrap_or_default() } else { title }
    }
}

#[cfg(test)]
mod tests {
    use super::{Status, fold};
    use crate::Timestamp;
    use crate::id::NoteId;
    use crate::note::{
        Confidence, Draft, Evidence, Kind, MemoryEvent, Note, Observation, Recorded, Scope, TerminalSnapshot,
        Use,
    };

    fn id(n: u64) -> NoteId {
        NoteId::new(Timestamp::UNIX_EPOCH, n)
    }

    fn day(n: i64) -> Timestamp {
        Timestamp::from_second(n * 86_400).unwrap()
    }

    fn folded(events: Vec<(i64, MemoryEvent)>) -> Option<Note> {
        let recorded = events.into_iter().zip(1..).map(|((at, event), seq)| Recorded {
            seq,
            at: day(at),
            note: event.note().clone(),
            name: event.name().to_owned(),
            event: Some(event),
        });
        recorded.fold(None, |note, one| fold(note, &one))
    }

    fn observed() -> (i64, MemoryEvent) {
        let mut draft = Draft::new(Kind::Skill, "run the migrations before the tests\nwith `make db`");
        draft.valid_from = Some(day(1));
        draft.scope = Scope::Task { task: crate::id::TaskId::parse("T-1").unwrap() };
        (1, MemoryEvent::Observed { note: id(1), draft: Box::new(draft) })
    }

    #[test]
    fn a_note_is_what_its_events_come_to() {
        let note = folded(vec![
            observed(),
            (1, MemoryEvent::Confirmed { note: id(1), evidence: Evidence::TestsPassed }),
            (1, MemoryEvent::Promoted { note: id(1), to: Scope::Project }),
            (
                1,
                MemoryEvent::Used {
                    note: id(1),
                    used: Use { run: None, task: None, iteration: None, succeeded: Some(false) },
                },
            ),
        ])
        .unwrap();
        assert_eq!((note.said.scope.clone(), note.verified, note.uses.failed), (Scope::Project, true, 1));
        // 0.5, a quarter of the rest up, a fifth of what is above 0.1 down.
        assert_eq!(note.said.confidence, Confidence::nearest(0.52));
        assert_eq!(note.headline(), "run the migrations before the tests");
    }

    #[test]
    fn what_is_superseded_was_true_until_then() {
        let by = id(2);
        let event =
            MemoryEvent::Superseded { note: id(1), by: by.clone(), why: "newer".into(), valid_to: None };
        let note = folded(vec![observed(), (5, event)]).unwrap();
        assert_eq!(note.status, Status::Superseded { by, why: "newer".into() });
        assert_eq!([0, 1, 4, 5].map(|n| note.is_valid_at(day(n))), [false, true, true, false]);
    }

    #[test]
    fn a_person_reinstates_what_was_superseded_and_nothing_else_does() {
        let event = MemoryEvent::Superseded { note: id(1), by: id(2), why: "newer".into(), valid_to: None };
        for (evidence, stands) in [(Evidence::Approved, true), (Evidence::TestsPassed, false)] {
            let confirmed = MemoryEvent::Confirmed { note: id(1), evidence };
            let note = folded(vec![observed(), (5, event.clone()), (6, confirmed)]).unwrap();
            assert_eq!((note.is_active(), note.valid_to.is_none()), (stands, stands), "{evidence:?}");
        }
    }

    #[test]
    fn a_note_is_only_ever_promoted_upwards() {
        let narrower = Scope::Project;
        let note = folded(vec![
            observed(),
            (2, MemoryEvent::Promoted { note: id(1), to: Scope::Global }),
            (3, MemoryEvent::Promoted { note: id(1), to: narrower }),
        ]);
        assert_eq!(note.unwrap().said.scope, Scope::Global);
    }

    #[test]
    fn what_is_forgotten_is_gone_and_nothing_brings_a_note_about_but_its_first_event() {
        let forgotten = MemoryEvent::Forgotten { note: id(1) };
        assert_eq!(folded(vec![observed(), (2, forgotten)]), None);
        let confirmed = MemoryEvent::Confirmed { note: id(1), evidence: Evidence::Approved };
        assert_eq!(folded(vec![(1, confirmed)]), None);
    }

    #[test]
    fn confidence_is_worn_down_before_new_evidence_is_weighed() {
        let later = MemoryEvent::Confirmed { note: id(1), evidence: Evidence::Approved };
        let note = folded(vec![observed(), (1 + 180, later)]).unwrap();
        assert_eq!(note.said.confidence, Confidence::nearest(0.3).after(Evidence::Approved));
    }

    #[test]
    fn notes_of_every_kind_survive_being_written() {
        let text = || "x".to_owned();
        let terminal = TerminalSnapshot { command: text(), exit_code: Some(1), text: text() };
        for kind in [
            Kind::Observation(Observation::Discovery),
            Kind::Observation(Observation::Decision { rationale: text() }),
            Kind::Observation(Observation::Command { command: text() }),
            Kind::Observation(Observation::ToolUse { tool: text() }),
            Kind::Skill,
            Kind::Pattern,
            Kind::Gotcha { triggers: vec![text()], terminal: Some(terminal) },
            Kind::Failure { approach: text(), diff: Some(text()), errors: vec![text()] },
        ] {
            let mut note = folded(vec![observed()]).unwrap();
            note.said.kind = kind;
            note.status = Status::Superseded { by: id(2), why: text() };
            let text = serde_json::to_string(&note).unwrap();
            assert_eq!(serde_json::from_str::<Note>(&text).unwrap(), note);
        }
    }
}
