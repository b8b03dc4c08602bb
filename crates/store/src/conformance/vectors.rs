//! What notes mean by a measure.

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Draft, Kind, MemoryEvent, fold};

use super::sample::at;
use super::{World, wait};
use crate::notes::{Batch, Indexed, Notes};
use crate::vectors::{Measured, NoteVector, VectorBatch, VectorTable, Vectors};

fn id(number: u64) -> NoteId {
    NoteId::new(Timestamp::UNIX_EPOCH, number)
}

/// Notes 1 to 3, each of a line of the log.
fn filled<S: Notes>(store: &S) {
    let observed = |number| {
        let draft = Draft::new(Kind::Skill, format!("note {number}"));
        MemoryEvent::Observed { note: id(number), draft: Box::new(draft) }
    };
    wait(store.append_memory((1..=3).map(observed).collect(), at(0))).unwrap();
    made(store);
}

/// Makes notes of the whole log, as whoever ranks does.
fn made<S: Notes>(store: &S) {
    let lines = wait(store.memory_log(0, 100)).unwrap();
    let through = lines.last().unwrap().seq;
    let alive = lines.iter().filter_map(|line| fold(None, line));
    let changed =
        alive.map(|note| Indexed { note, words: vec![("note".to_owned(), 1)], facets: Vec::new(), marks: 0 });
    let batch = Batch { from: 0, through, analysis: 1, changed: changed.collect(), gone: Vec::new() };
    assert!(wait(store.write_notes(batch)).unwrap());
}

fn vector(number: u64, digest: u64, components: [i8; 2]) -> NoteVector {
    NoteVector { note: id(number), digest, components: components.to_vec() }
}

fn batch(identity: &str, (from, through): (u64, u64), vectors: Vec<NoteVector>) -> VectorBatch {
    VectorBatch { identity: identity.to_owned(), dimensions: 2, from, through, vectors }
}

fn numbers<S: Vectors>(store: &S, identity: &str) -> Vec<u32> {
    let mut numbers = wait(store.vectors(identity)).unwrap().numbers;
    numbers.sort_unstable();
    numbers
}

pub fn a_vector_is_read_back_by_the_number_of_its_note(world: &impl World) {
    let store = world.open();
    filled(&store);
    assert_eq!(wait(store.measured("m")).unwrap(), None);
    assert_eq!(wait(store.vectors("m")).unwrap(), VectorTable::default());
    let both = vec![vector(1, 7, [-128, 127]), vector(2, u64::MAX, [0, 3])];
    assert!(wait(store.write_vectors(batch("m", (0, 2), both))).unwrap());
    assert_eq!(wait(store.measured("m")).unwrap(), Some(Measured { dimensions: 2, through: 2 }));
    let table = wait(store.vectors("m")).unwrap();
    let mut rows: Vec<(u32, Vec<i8>)> = table.iter().map(|(no, row)| (no, row.to_vec())).collect();
    rows.sort();
    assert_eq!(rows, [(1, vec![-128, 127]), (2, vec![0, 3])]);
    let digests = wait(store.vector_digests("m", vec![id(2), id(3), id(1)])).unwrap();
    assert_eq!(digests, [(id(2), u64::MAX), (id(1), 7)]);
    assert!(numbers(&store, "another").is_empty());
}

pub fn vectors_of_another_text_take_the_place_of_the_old(world: &impl World) {
    let store = world.open();
    filled(&store);
    wait(store.write_vectors(batch("m", (0, 2), vec![vector(1, 7, [1, 0])]))).unwrap();
    assert!(wait(store.write_vectors(batch("m", (2, 3), vec![vector(1, 8, [0, 1])]))).unwrap());
    assert_eq!(wait(store.vectors("m")).unwrap().components, [0, 1]);
    assert_eq!(wait(store.vector_digests("m", vec![id(1)])).unwrap(), [(id(1), 8)]);
}

pub fn of_two_who_make_the_same_vectors_the_second_is_told(world: &impl World) {
    let store = world.open();
    filled(&store);
    assert!(!wait(store.write_vectors(batch("m", (1, 2), vec![vector(1, 7, [1, 0])]))).unwrap());
    assert_eq!(wait(store.measured("m")).unwrap(), None);
    assert!(wait(store.write_vectors(batch("m", (0, 2), vec![vector(1, 7, [1, 0])]))).unwrap());
    assert!(!wait(store.write_vectors(batch("m", (0, 2), vec![vector(1, 9, [0, 1])]))).unwrap());
    let mut wider = batch("m", (2, 3), Vec::new());
    wider.dimensions = 3;
    assert!(!wait(store.write_vectors(wider)).unwrap());
    let mut torn = batch("m", (2, 3), vec![vector(1, 9, [0, 1])]);
    torn.vectors[0].components.pop();
    assert!(!wait(store.write_vectors(torn)).unwrap());
    assert_eq!(wait(store.vectors("m")).unwrap().components, [1, 0]);
}

pub fn what_is_forgotten_has_no_vector_by_any_measure(world: &impl World) {
    let store = world.open();
    filled(&store);
    for measure in ["m", "n"] {
        let all = vec![vector(1, 7, [1, 0]), vector(2, 8, [0, 1])];
        wait(store.write_vectors(batch(measure, (0, 2), all))).unwrap();
    }
    wait(store.append_memory(vec![MemoryEvent::Forgotten { note: id(1) }], at(1))).unwrap();
    for measure in ["m", "n"] {
        assert_eq!(numbers(&store, measure), [2]);
        assert_eq!(wait(store.vector_digests(measure, vec![id(1)])).unwrap(), []);
        // Whoever has read it before comes too late.
        let late = vec![vector(1, 7, [1, 0]), vector(3, 9, [1, 1])];
        assert!(wait(store.write_vectors(batch(measure, (2, 3), late))).unwrap());
        assert_eq!(wait(store.vector_digests(measure, vec![id(1)])).unwrap(), []);
        assert_eq!(numbers(&store, measure), [2, 3]);
    }
}

pub fn vectors_outlive_notes_that_are_made_again(world: &impl World) {
    let store = world.open();
    filled(&store);
    let all = (1..=3).map(|number| vector(number, number, [1, 0])).collect();
    wait(store.write_vectors(batch("m", (0, 3), all))).unwrap();
    wait(store.clear_notes(1)).unwrap();
    assert!(numbers(&store, "m").is_empty(), "there is no note to be found by it");
    wait(store.append_memory(vec![MemoryEvent::Forgotten { note: id(2) }], at(1))).unwrap();
    made(&store);
    assert_eq!(numbers(&store, "m").len(), 2);
    assert_eq!(wait(store.vector_digests("m", vec![id(1), id(2)])).unwrap(), [(id(1), 1)]);
    assert_eq!(wait(store.measured("m")).unwrap(), Some(Measured { dimensions: 2, through: 3 }));
}

pub fn the_measures_that_are_used_are_kept(world: &impl World) {
    let store = world.open();
    filled(&store);
    for measure in ["a", "b", "c", "d"] {
        wait(store.write_vectors(batch(measure, (0, 1), vec![vector(1, 7, [1, 0])]))).unwrap();
    }
    // Gone back to, it is not the oldest any more.
    wait(store.write_vectors(batch("a", (1, 2), vec![vector(2, 8, [1, 0])]))).unwrap();
    wait(store.write_vectors(batch("e", (0, 1), vec![vector(1, 7, [1, 0])]))).unwrap();
    let kept = ["a", "b", "c", "d", "e"].map(|measure| numbers(&store, measure).len());
    assert_eq!(kept, [2, 0, 1, 1, 1]);
    assert_eq!(wait(store.measured("b")).unwrap(), None);
}
