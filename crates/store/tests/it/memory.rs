//! What is remembered: the log keeps everything but what was forgotten, and notes are found by exactly the words that
//! they have, whatever they had before.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::{Strategy, any, prop, proptest};
use proptest::test_runner::Config;
use ralph_core::Timestamp;
use ralph_core::id::{NoteId, SessionId};
use ralph_core::note::{Draft, Evidence, Kind, MemoryEvent, Note, Recorded, fold};
use ralph_store::conformance::sample::at;
use ralph_store::conformance::wait;
use ralph_store::{Batch, IndexSum, Indexed, Notes, SqliteStore, StoreError};
use rusqlite::Connection;

use super::contents;

fn id(number: u64) -> NoteId {
    NoteId::new(Timestamp::UNIX_EPOCH, number)
}

fn observed(number: u64, content: &str) -> MemoryEvent {
    let mut draft = Draft::new(Kind::Skill, content);
    draft.source.session = SessionId::parse("s").ok();
    MemoryEvent::Observed { note: id(number), draft: Box::new(draft) }
}

fn note(number: u64, content: &str) -> Note {
    let event = observed(number, content);
    let line =
        Recorded { seq: 1, at: at(0), note: id(number), name: event.name().to_owned(), event: Some(event) };
    fold(None, &line).unwrap()
}

fn indexed(number: u64, words: &[(&str, u32)]) -> Indexed {
    let words = words.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect();
    Indexed { note: note(number, "content"), words, facets: vec!["=kind skill".to_owned()], marks: 0 }
}

fn batch(from: u64, changed: Vec<Indexed>) -> Batch {
    Batch { from, through: from + 1, analysis: 1, changed, gone: Vec::new() }
}

#[test]
fn every_event_is_read_back_in_order() {
    let store = SqliteStore::in_memory().unwrap();
    let doubt = MemoryEvent::Doubted { note: id(1), evidence: Evidence::Rejected };
    assert_eq!(wait(store.append_memory(vec![observed(1, "a"), observed(2, "b")], at(0))).unwrap(), [1, 2]);
    assert_eq!(wait(store.append_memory(vec![doubt.clone()], at(1))).unwrap(), [3]);
    let lines = wait(store.memory_log(1, 10)).unwrap();
    assert_eq!(lines.iter().map(|line| (line.seq, line.at)).collect::<Vec<_>>(), [(2, at(0)), (3, at(1))]);
    assert_eq!(lines[1].event, Some(doubt));
    let names: Vec<String> =
        wait(store.memory_history(&id(1))).unwrap().into_iter().map(|line| line.name).collect();
    assert_eq!(names, ["OBSERVED", "DOUBTED"]);
}

#[test]
fn nothing_is_left_of_what_was_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    wait(store.append_memory(vec![observed(1, "needle in the hay"), observed(2, "straw")], at(0))).unwrap();
    let mut one = indexed(1, &[("needl", 1)]);
    one.note = note(1, "needle in the hay");
    let through = Batch { through: 2, ..batch(0, vec![one, indexed(2, &[("straw", 1)])]) };
    assert!(wait(store.write_notes(through)).unwrap());
    wait(store.append_memory(vec![MemoryEvent::Forgotten { note: id(1) }], at(1))).unwrap();
    assert_eq!(wait(store.note(&id(1))).unwrap(), None);
    let lines = wait(store.memory_history(&id(1))).unwrap();
    let told: Vec<_> = lines.iter().map(|line| (line.name.as_str(), line.event.is_some())).collect();
    assert_eq!(told, [("OBSERVED", false), ("FORGOTTEN", true)]);
    let state = wait(store.memory_state()).unwrap();
    assert_eq!((state.notes, state.length, state.last), (1, 1, 3));
    drop(store);
    is_nowhere(dir.path(), "needl");
}

fn is_nowhere(dir: &std::path::Path, text: &str) {
    for (name, bytes) in contents(dir) {
        let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!found, "{name:?} still has {text}");
    }
}

#[test]
fn a_word_that_finds_nothing_any_more_is_gone_and_its_number_is_anothers() {
    let store = SqliteStore::in_memory().unwrap();
    let first = batch(0, vec![indexed(1, &[("straw", 1), ("strain", 1)]), indexed(2, &[("straw", 1)])]);
    assert!(wait(store.write_notes(first)).unwrap());
    assert!(wait(store.write_notes(batch(1, vec![indexed(1, &[("other", 1)])]))).unwrap());
    let like = |text: &str| -> Vec<String> {
        let found = wait(store.words_like(vec![text.to_owned()], 9)).unwrap().remove(0);
        found.into_iter().map(|word| word.text).collect()
    };
    assert_eq!(like("strai"), ["straw"]);
    assert_eq!(wait(store.words(vec!["strain".into()])).unwrap(), []);
    // The last word goes, and the next one may have its number.
    let gone = Batch { gone: vec![id(1)], ..batch(2, vec![indexed(3, &[("newest", 2)])]) };
    assert!(wait(store.write_notes(gone)).unwrap());
    assert_eq!(like("othe"), Vec::<String>::new());
    let newest = wait(store.words(vec!["newest".into()])).unwrap();
    assert_eq!(newest[0].notes, 1);
    let found = wait(store.postings(vec![newest[0].no])).unwrap();
    let listed: Vec<u32> = found[0].iter().map(|posting| posting.count).collect();
    assert_eq!(listed, [2]);
}

#[test]
fn whatever_is_missing_of_what_finds_notes_is_seen_in_their_sum() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    let notes = vec![indexed(1, &[("straw", 2), ("hay", 1)]), indexed(2, &[("straw", 1)])];
    let mut expected = IndexSum::default();
    notes.iter().for_each(|note| expected.add(note));
    assert!(wait(store.write_notes(batch(0, vec![indexed(2, &[("needle", 1)])]))).unwrap());
    assert!(wait(store.write_notes(batch(1, notes.clone()))).unwrap());
    assert_eq!(wait(store.index_sum()).unwrap(), expected, "however it came about");
    let other = Connection::open(dir.path().join("ralph.db")).unwrap();
    for broken in [
        "DELETE FROM note_postings",
        "DELETE FROM note_words WHERE word = 'hay'",
        "DELETE FROM note_trigrams WHERE gram LIKE '%tr%'",
        "UPDATE note_words SET notes = notes + 1",
        "DELETE FROM note_places WHERE no = 1",
        "UPDATE note_places SET marks = 1",
        "UPDATE note_places SET words = x''",
        "UPDATE memory_state SET length = 0",
    ] {
        other.execute_batch(&format!("BEGIN; {broken}; COMMIT")).unwrap();
        assert_ne!(wait(store.index_sum()).unwrap(), expected, "{broken}");
        wait(store.clear_notes(1)).unwrap();
        assert!(wait(store.write_notes(batch(0, notes.clone()))).unwrap());
        assert_eq!(wait(store.index_sum()).unwrap(), expected, "after {broken}");
    }
}

#[test]
fn nothing_is_left_of_what_a_note_said_before_it_was_changed() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    let long = format!("needle {}", "and hay ".repeat(4000));
    let mut one = indexed(1, &[("a", 1)]);
    one.note = note(1, &long);
    assert!(wait(store.write_notes(batch(0, vec![one]))).unwrap());
    assert!(wait(store.write_notes(batch(1, vec![indexed(1, &[("a", 1)])]))).unwrap());
    drop(store);
    is_nowhere(dir.path(), "needle");
    is_nowhere(dir.path(), "and hay");
}

#[test]
fn the_log_beside_the_file_is_emptied_while_another_has_the_store_open() {
    let dir = tempfile::tempdir().unwrap();
    let (store, other) = (SqliteStore::open(dir.path()).unwrap(), SqliteStore::open(dir.path()).unwrap());
    wait(store.append_memory(vec![observed(1, "needle in the hay")], at(0))).unwrap();
    assert_eq!(wait(other.memory_log(0, 10)).unwrap().len(), 1);
    wait(store.append_memory(vec![MemoryEvent::Forgotten { note: id(1) }], at(1))).unwrap();
    assert!(wait(store.empty_log()).unwrap());
    is_nowhere(dir.path(), "needle");
    drop(other);
}

#[test]
fn a_log_that_somebody_reads_from_is_not_emptied() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    wait(store.append_memory(vec![observed(1, "needle in the hay")], at(0))).unwrap();
    let reader = Connection::open(dir.path().join("ralph.db")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM memory_log").unwrap();
    wait(store.append_memory(vec![MemoryEvent::Forgotten { note: id(1) }], at(1))).unwrap();
    assert!(!wait(store.empty_log()).unwrap());
    reader.execute_batch("COMMIT").unwrap();
    assert!(wait(store.empty_log()).unwrap());
    is_nowhere(dir.path(), "needle");
}

#[test]
fn the_database_itself_keeps_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    wait(store.append_memory(vec![observed(1, "needle"), observed(2, "straw")], at(0))).unwrap();
    drop(store);
    let conn = Connection::open(dir.path().join("ralph.db")).unwrap();
    for sql in [
        "UPDATE memory_log SET payload = '{}'",
        "UPDATE memory_log SET event = 'USED', payload = NULL",
        "DELETE FROM memory_log",
        "INSERT INTO memory_log VALUES (9, 'x', '', '', 1, '', 0)",
    ] {
        assert!(conn.execute_batch(sql).is_err(), "{sql}");
    }
    conn.execute_batch("DROP TRIGGER memory_log_is_only_ever_blanked").unwrap();
    conn.execute_batch("UPDATE memory_log SET payload = replace(payload, 'needle', 'noodle')").unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    let wrong = wait(store.memory_log(0, 10)).unwrap_err();
    assert!(matches!(wrong, StoreError::Corrupt { .. }), "{wrong}");
}

#[test]
fn of_two_who_make_the_same_notes_the_second_is_told() {
    let store = SqliteStore::in_memory().unwrap();
    assert!(wait(store.write_notes(batch(0, vec![indexed(1, &[("a", 1)])]))).unwrap());
    assert!(!wait(store.write_notes(batch(0, vec![indexed(1, &[("b", 1)])]))).unwrap());
    assert_eq!(wait(store.words(vec!["a".into(), "b".into()])).unwrap().len(), 1);
}

#[test]
fn neighbours_are_those_that_came_before_and_after() {
    let store = SqliteStore::in_memory().unwrap();
    let five = (1..=5).map(|number| indexed(number, &[("w", 1)])).collect();
    wait(store.write_notes(batch(0, five))).unwrap();
    let places = |reach| -> Vec<u32> {
        wait(store.around(vec![3], reach)).unwrap().iter().map(|placed| placed.place).collect()
    };
    assert_eq!((places(0), places(1), places(9)), (vec![3], vec![2, 3, 4], vec![1, 2, 3, 4, 5]));
}

#[test]
fn words_are_found_by_their_letters() {
    let store = SqliteStore::in_memory().unwrap();
    let words = [("education", 1), ("educate", 2), ("migration", 1)];
    wait(store.write_notes(batch(0, vec![indexed(1, &words)]))).unwrap();
    let found = wait(store.words_like(vec!["educaton".into(), "zzz".into()], 5)).unwrap();
    let texts: Vec<&str> = found[0].iter().map(|word| word.text.as_str()).collect();
    assert_eq!((texts, found[1].len()), (vec!["education", "educate"], 0));
}

const WORDS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

/// Words of a note by number; none at all for a note that is gone.
fn change() -> impl Strategy<Value = (u64, Option<BTreeMap<usize, u32>>)> {
    let words = prop::collection::btree_map(0..WORDS.len(), 1_u32..4, 0..4);
    (0_u64..6, any::<bool>(), words).prop_map(|(note, stays, words)| (note, stays.then_some(words)))
}

proptest! {
    #![proptest_config(Config::with_cases(48))]
    #[test]
    fn a_word_finds_exactly_the_notes_that_have_it(
        batches in prop::collection::vec(prop::collection::vec(change(), 1..5), 1..8),
    ) {
        let store = SqliteStore::in_memory().unwrap();
        let mut model: BTreeMap<u64, BTreeMap<usize, u32>> = BTreeMap::new();
        for (changes, from) in batches.into_iter().zip(0..) {
            // A note is in a batch once, as it is after all of its events.
            let last: BTreeMap<u64, _> = changes.into_iter().collect();
            let mut written = batch(from, Vec::new());
            for (number, words) in last {
                match words {
                    Some(words) => {
                        let named: Vec<_> = words.iter().map(|(word, count)| (WORDS[*word], *count)).collect();
                        written.changed.push(indexed(number, &named));
                        model.insert(number, words);
                    }
                    None => {
                        written.gone.push(id(number));
                        model.remove(&number);
                    }
                }
            }
            assert!(wait(store.write_notes(written)).unwrap());
        }
        agree(&store, &model);
    }
}

fn agree(store: &SqliteStore, model: &BTreeMap<u64, BTreeMap<usize, u32>>) {
    let ids: Vec<NoteId> = model.keys().map(|number| id(*number)).collect();
    let numbers: BTreeMap<NoteId, u32> = wait(store.note_numbers(ids)).unwrap().into_iter().collect();
    assert_eq!(numbers.len(), model.len());
    for (word, at) in WORDS.iter().zip(0..) {
        let expected: BTreeSet<(u32, u32, u32)> = model
            .iter()
            .filter_map(|(note, words)| Some((numbers[&id(*note)], *words.get(&at)?, words.values().sum())))
            .collect();
        let found = wait(store.words(vec![(*word).to_owned()])).unwrap();
        assert_eq!(found.first().map_or(0, |word| word.notes) as usize, expected.len(), "{word}");
        let lists = wait(store.postings(found.iter().map(|word| word.no).collect())).unwrap();
        let postings: Vec<_> =
            lists.iter().flat_map(|list| list.iter()).map(|one| (one.no, one.count, one.length)).collect();
        assert_eq!(postings, expected.into_iter().collect::<Vec<_>>(), "{word}");
    }
    let state = wait(store.memory_state()).unwrap();
    let lengths: Vec<u32> = model.values().map(|words| words.values().sum()).collect();
    let found = lengths.iter().filter(|length| **length > 0).count() as u64;
    assert_eq!((state.notes, state.length), (found, lengths.iter().sum::<u32>().into()));
}
