//! Remembering and finding again, in a real store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod attempt;
mod capture;
mod committed;
mod consolidation;
mod contradict;
mod echoes;
mod fences;
mod filters;
mod fragile;
mod honest;
mod hydration;
mod injected;
mod learning;
mod log;
mod meaning;
mod pairs;
mod ranking;
mod room;
mod shelves;
mod sufficient;

use ralph_core::Timestamp;
use ralph_core::id::{NoteId, SessionId};
use ralph_core::note::{Draft, Kind, MemoryEvent, Observation};
use ralph_core::redact::Redactor;
use ralph_memory::{Query, Ranking, Recalled, note_down, recall, remember};
use ralph_store::SqliteStore;
use ralph_store::conformance::wait;

/// A memory, and a day for every note.
struct Memory {
    store: SqliteStore,
    days: std::cell::Cell<i64>,
}

impl Memory {
    fn new() -> Memory {
        Memory { store: SqliteStore::in_memory().unwrap(), days: std::cell::Cell::new(20_000) }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.days.get() * 86_400).unwrap()
    }

    fn put(&self, draft: Draft) -> NoteId {
        self.days.set(self.days.get() + 1);
        let redactor = Redactor::new([("API_TOKEN".to_owned(), "hunter2hunter2".to_owned())]);
        wait(note_down(&self.store, draft, &redactor, self.now(), 7)).unwrap()
    }

    fn say(&self, content: &str) -> NoteId {
        self.put(draft(content))
    }

    fn happens(&self, event: MemoryEvent) {
        wait(remember(&self.store, vec![event], &Redactor::new([]), self.now())).unwrap();
    }

    fn ask(&self, query: &Query) -> Vec<Recalled> {
        let found = wait(recall(&self.store, query, &Ranking::default(), self.now())).unwrap();
        for one in &found {
            let sum: f64 = one.factors.iter().map(|factor| factor.value).sum();
            assert!((sum - one.score).abs() < 1e-9, "the factors add up to the score");
        }
        assert!(found.is_sorted_by(|a, b| a.score >= b.score), "the best first");
        found
    }

    fn find(&self, text: &str) -> Vec<String> {
        contents(self.ask(&Query::new(text)))
    }
}

fn draft(content: &str) -> Draft {
    Draft::new(Kind::Observation(Observation::Discovery), content)
}

fn in_session(session: &str, content: &str) -> Draft {
    let mut draft = draft(content);
    draft.source.session = SessionId::parse(session).ok();
    draft
}

fn contents(found: Vec<Recalled>) -> Vec<String> {
    found.into_iter().map(|one| one.note.said.content).collect()
}
