//! What holds in all projects, beside what this one has to say of it.

use ralph_core::Timestamp;
use ralph_core::note::{Anchor, Draft, Kind, MemoryEvent, Scope};
use ralph_memory::{Context, Query, Ranking, Shelves, recall_all, remember, rot};

use crate::{Memory, draft, wait};

fn found(here: &Memory, everywhere: &Memory, query: &Query) -> Vec<ralph_memory::Recalled> {
    let shelves = Shelves { project: &here.store, global: Some(&everywhere.store) };
    wait(recall_all(&shelves, query, &Ranking::default(), here.now())).unwrap()
}

fn for_all(content: &str) -> Draft {
    let mut draft = draft(content);
    draft.scope = Scope::Global;
    draft
}

/// Both have the note by the same id, as after a promotion.
fn on_both(here: &Memory, everywhere: &Memory, content: &str) -> ralph_core::id::NoteId {
    let note = here.say(content);
    let observed = MemoryEvent::Observed { note: note.clone(), draft: Box::new(for_all(content)) };
    wait(remember(&everywhere.store, vec![observed], &ralph_core::redact::Redactor::new([]), here.now()))
        .unwrap();
    note
}

#[test]
fn what_the_project_has_superseded_does_not_come_back_from_all_projects() {
    let (here, everywhere) = (Memory::new(), Memory::new());
    let old = on_both(&here, &everywhere, "parse_port panics on garbage");
    let new = here.say("parse_port returns zero on garbage");
    here.happens(MemoryEvent::Superseded { note: old, by: new.clone(), why: String::new(), valid_to: None });
    let ids: Vec<_> = found(&here, &everywhere, &Query::new("parse_port garbage"))
        .into_iter()
        .map(|one| one.note.id)
        .collect();
    assert_eq!(ids, [new]);
}

#[test]
fn what_is_in_doubt_here_is_told_as_it_is_here() {
    let (here, everywhere) = (Memory::new(), Memory::new());
    let note = on_both(&here, &everywhere, "parse_port panics on garbage");
    let rejected = ralph_core::note::Evidence::Rejected;
    here.happens(MemoryEvent::Doubted { note, evidence: rejected });
    let all = found(&here, &everywhere, &Query::new("parse_port garbage"));
    assert_eq!(all.len(), 1);
    assert!(all[0].note.said.confidence.share() < 0.3, "{:?}", all[0].note);
}

#[test]
fn a_file_of_another_project_is_not_at_hand_though_it_is_called_the_same() {
    let (here, everywhere) = (Memory::new(), Memory::new());
    everywhere.days.set(20_100);
    let mut other = for_all("the parser wants a newline at the end");
    other.files = vec!["src/lib.rs".to_owned()];
    everywhere.put(other);
    let at_hand = Context { files: vec!["src/lib.rs".to_owned()], ..Context::default() };
    let query = Query { context: at_hand, ..Query::new("greeting") };
    assert!(found(&here, &everywhere, &query).is_empty());
    let about = Query { files: vec!["src/lib.rs".to_owned()], ..Query::new("parser newline") };
    assert!(found(&here, &everywhere, &about).is_empty());
    assert_eq!(found(&here, &everywhere, &Query::new("parser newline")).len(), 1);
}

#[test]
fn what_happened_stays_so_when_the_code_changes() {
    let memory = Memory::new();
    let anchor = |digest: &str| Anchor {
        symbol: "login".to_owned(),
        file: "a.py".to_owned(),
        digest: digest.to_owned(),
    };
    let kind = Kind::Failure { approach: "by locals".to_owned(), diff: None, errors: Vec::new() };
    let mut failure = Draft::new(kind, "by locals");
    failure.anchors = vec![anchor("old")];
    memory.put(failure);
    let mut said = draft("login reads the cookie");
    said.anchors = vec![anchor("old")];
    let said = memory.put(said);
    assert_eq!(wait(rot(&memory.store, &[anchor("new")], memory.now())).unwrap(), [said]);
}

#[test]
fn what_will_be_so_later_is_not_found_before() {
    let memory = Memory::new();
    let mut later = draft("the exporter moves to port 9000");
    later.valid_from = Some(Timestamp::from_second(30_000 * 86_400).unwrap());
    memory.put(later);
    assert!(memory.find("exporter port").is_empty());
    memory.days.set(30_001);
    assert_eq!(memory.find("exporter port").len(), 1);
    let ahead = Memory::new();
    ahead.days.set(40_000);
    ahead.say("the importer uses port 9100");
    ahead.days.set(20_000);
    assert_eq!(ahead.find("importer port").len(), 1, "put down by a clock that was ahead");
}
