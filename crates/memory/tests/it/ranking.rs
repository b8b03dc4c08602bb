//! What makes a note come before another.

use std::collections::BTreeMap;

use ralph_core::note::{Evidence, MemoryEvent};
use ralph_memory::{Context, Factor, Query, Ranking, recall};
use ralph_store::conformance::wait;

use super::{Memory, contents, draft, in_session};

fn filled(memory: &Memory) {
    for content in
        ["the cache is warm", "logs rotate at midnight", "the linter needs nightly", "ports are leased"]
    {
        memory.say(content);
    }
}

#[test]
fn a_note_needs_only_some_of_the_words_in_any_form() {
    let memory = Memory::new();
    filled(&memory);
    memory.say("Migrations are run before deploying to staging");
    let expected = "Migrations are run before deploying to staging";
    for question in [
        "how do we migrate the database of customers?",
        "deployment to production",
        "what about the migratoins",
        "runMigrations",
        "run_migrations",
    ] {
        assert_eq!(memory.find(question).first().map(String::as_str), Some(expected), "{question}");
    }
}

#[test]
fn names_of_code_are_found_however_they_are_written() {
    let memory = Memory::new();
    filled(&memory);
    memory.say("SqliteStore::openExisting never creates a file");
    assert_eq!(memory.find("open_existing"), ["SqliteStore::openExisting never creates a file"]);
}

#[test]
fn what_a_note_is_about_finds_it_too() {
    let memory = Memory::new();
    filled(&memory);
    let mut about = draft("never call this twice");
    about.files.push("src/guard/spawn.rs".to_owned());
    about.symbols.push("claim_presence".to_owned());
    memory.put(about);
    for question in ["what is special about spawn.rs", "claimPresence"] {
        assert_eq!(memory.find(question), ["never call this twice"], "{question}");
    }
}

#[test]
fn an_answer_comes_before_its_question_and_neighbours_are_found_without_a_word() {
    let memory = Memory::new();
    filled(&memory);
    memory.put(in_session("a", "Which port does the metrics exporter use?"));
    memory.put(in_session("a", "9187, and it is fixed."));
    memory.put(in_session("b", "Unrelated, of another session."));
    let found = memory.ask(&Query::new("port of the metrics exporter"));
    assert_eq!(found[0].note.said.content, "9187, and it is fixed.");
    assert!(found[0].factors.iter().any(|one| one.factor == Factor::Answer));
    assert_eq!(found[1].note.said.content, "Which port does the metrics exporter use?");
    assert!(found.iter().all(|one| !one.note.said.content.contains("another session")));
}

#[test]
fn what_is_at_hand_or_near_in_the_graph_comes_first() {
    let memory = Memory::new();
    filled(&memory);
    for (file, content) in [("a.rs", "retries are bounded"), ("b.rs", "retries are bounded")] {
        let mut about = draft(content);
        about.files.push(file.to_owned());
        memory.put(about);
    }
    let at_hand = |context: Context| {
        let found = memory.ask(&Query { context, ..Query::new("how are retries bounded") });
        found[0].note.said.files[0].clone()
    };
    for file in ["a.rs", "b.rs"] {
        assert_eq!(at_hand(Context { files: vec![format!("./{file}")], ..Context::default() }), file);
        let near = BTreeMap::from([(file.to_owned(), 0.9)]);
        assert_eq!(at_hand(Context { near, ..Context::default() }), file);
    }
}

#[test]
fn without_words_what_is_at_hand_decides_and_then_what_is_new() {
    let memory = Memory::new();
    let mut about = draft("old, but about the file");
    about.files.push("x.rs".to_owned());
    memory.put(about);
    filled(&memory);
    let context = Context { files: vec!["x.rs".to_owned()], ..Context::default() };
    assert_eq!(contents(memory.ask(&Query { context, ..Query::new("") })), ["old, but about the file"]);
    assert_eq!(memory.find("")[0], "ports are leased");
}

#[test]
fn confidence_and_age_tell_equals_apart() {
    let memory = Memory::new();
    filled(&memory);
    let older = memory.say("the queue is bounded");
    let newer = memory.say("the queue is bounded");
    let first = |memory: &Memory| memory.ask(&Query::new("queue bounded"))[0].note.id.clone();
    assert_eq!(first(&memory), newer);
    memory.happens(MemoryEvent::Confirmed { note: older.clone(), evidence: Evidence::Approved });
    assert_eq!(first(&memory), older);
}

#[test]
fn another_ranking_gives_another_order() {
    let memory = Memory::new();
    filled(&memory);
    memory.put(in_session("a", "Which port does the metrics exporter use?"));
    memory.put(in_session("a", "9187, and it is fixed."));
    let query = Query::new("port of the metrics exporter");
    let words_only = Ranking { to_next: 0.0, answer: 0.0, asks: 0.0, thread: 0.0, ..Ranking::default() };
    let other = wait(recall(&memory.store, &query, &words_only, memory.now())).unwrap();
    assert_eq!(other[0].note.said.content, "Which port does the metrics exporter use?");
    assert_ne!(other[0].note.id, memory.ask(&query)[0].note.id);
}
