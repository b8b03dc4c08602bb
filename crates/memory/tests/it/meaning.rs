//! Notes are compared with what a question means, by a measure that a test brings.

use std::sync::Mutex;
use std::time::Duration;

use ralph_core::note::MemoryEvent;
use ralph_core::redact::Redactor;
use ralph_memory::{
    Answer, Fault, Later, Measure, MeasureError, Pace, Query, Ranking, Recalled, Shelves, Understood, Vector,
    recall, understand,
};
use ralph_store::conformance::wait;

use super::{Memory, contents, draft};

/// Knows two things: food and roads.
#[derive(Debug)]
struct Toy {
    identity: &'static str,
    dimensions: usize,
    pace: Pace,
    /// How long each request takes, as it says.
    takes: Duration,
    /// A text with this in it is not taken, whatever else is with it.
    refuses: &'static str,
    /// More texts at once are too many for its time.
    most: usize,
    asked: Mutex<Vec<usize>>,
}

impl Toy {
    fn new() -> Toy {
        let pace = Pace { question: Duration::from_secs(1), notes: Duration::from_secs(10), batch: 2 };
        Toy {
            identity: "toy",
            dimensions: 3,
            pace,
            takes: Duration::ZERO,
            refuses: "unspeakable",
            most: usize::MAX,
            asked: Mutex::new(Vec::new()),
        }
    }

    fn asked(&self) -> Vec<usize> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn vector(&self, text: &str) -> Vector {
        let has = |words: &[&str]| if words.iter().any(|word| text.contains(word)) { 1.0 } else { 0.0 };
        let mut all = vec![0.1; self.dimensions];
        all[0] += has(&["fridge", "meals", "food"]);
        all[1] += has(&["car", "road"]);
        Vector::of(&all).unwrap()
    }
}

impl Measure for Toy {
    fn identity(&self) -> Later<'_, String> {
        Box::pin(async { Ok(self.identity.to_owned()) })
    }

    fn measure<'a>(&'a self, texts: &'a [String], _within: Duration) -> Later<'a, Answer> {
        self.asked.lock().unwrap().push(texts.len());
        let failed = |fault| MeasureError::new("not so", "less").by(fault);
        if texts.iter().any(|text| text.contains(self.refuses)) {
            return Box::pin(async move { Err(failed(Fault::Texts)) });
        }
        if texts.len() > self.most {
            return Box::pin(async move { Err(failed(Fault::TooSlow)) });
        }
        let vectors = texts.iter().map(|text| self.vector(text)).collect();
        Box::pin(async { Ok(Answer { vectors, took: self.takes }) })
    }

    fn pace(&self) -> Pace {
        self.pace
    }
}

fn filled(memory: &Memory) {
    for note in
        ["the fridge is full", "a car needs fuel", "ports are leased", "tiles are glazed", "kilns are hot"]
    {
        memory.say(note);
    }
}

fn understood(memory: &Memory, toy: &Toy, text: &str) -> Understood {
    let shelves = Shelves { project: &memory.store, global: None };
    wait(understand(&shelves, toy, text, &Redactor::new([]))).unwrap()
}

fn ask(memory: &Memory, toy: &Toy, text: &str) -> Vec<Recalled> {
    let Understood { meaning, trouble } = understood(memory, toy, text);
    assert_eq!(trouble, None);
    memory.ask(&Query { meaning, ..Query::new(text) })
}

#[test]
fn vectors_lift_what_has_no_word_of_the_question() {
    let (memory, toy) = (Memory::new(), Toy::new());
    filled(&memory);
    assert_eq!(contents(ask(&memory, &toy, "something like meals")), ["the fridge is full"]);
    assert_eq!(memory.find("something like meals"), [] as [&str; 0]);
    // What words speak for stays, and what means the question comes before what only has one of its words.
    let found = contents(ask(&memory, &toy, "food at hot"));
    assert!(
        found.contains(&"kilns are hot".to_owned()) && found.contains(&"the fridge is full".to_owned()),
        "{found:?}"
    );
    let none = Ranking { vectors: 0.0, ..Ranking::default() };
    let meaning = understood(&memory, &toy, "meals").meaning;
    let found = wait(recall(&memory.store, &Query { meaning, ..Query::new("meals") }, &none, memory.now()));
    assert_eq!(contents(found.unwrap()), [] as [&str; 0], "it is a factor like any other");
}

#[test]
fn a_single_note_is_found_if_it_means_the_question_and_not_otherwise() {
    let (memory, toy) = (Memory::new(), Toy::new());
    memory.say("the fridge is full");
    assert_eq!(contents(ask(&memory, &toy, "meals")), ["the fridge is full"]);
    assert_eq!(contents(ask(&memory, &toy, "road")), [] as [&str; 0]);
}

#[test]
fn each_note_is_measured_once_as_far_as_there_is_time() {
    let (memory, mut toy) = (Memory::new(), Toy::new());
    filled(&memory);
    toy.takes = Duration::from_secs(6);
    assert_eq!(understood(&memory, &toy, "meals").trouble, None);
    assert_eq!(toy.asked(), [1, 2, 2], "twelve seconds are more than ten");
    understood(&memory, &toy, "meals");
    assert_eq!(toy.asked(), [1, 1], "the rest");
    understood(&memory, &toy, "meals");
    assert_eq!(toy.asked(), [1]);
    understood(&memory, &toy, " ");
    assert_eq!(toy.asked(), [] as [usize; 0]);
}

#[test]
fn a_note_that_a_measure_does_not_take_keeps_no_other_from_its_vector() {
    let (memory, mut toy) = (Memory::new(), Toy::new());
    memory.say("what is unspeakable");
    filled(&memory);
    toy.pace.batch = 4;
    assert_eq!(contents(ask(&memory, &toy, "meals")), ["the fridge is full"]);
    assert_eq!(toy.asked(), [1, 4, 2, 1, 1, 1, 1, 1, 1], "the question, fewer and fewer, then each alone");
    ask(&memory, &toy, "meals");
    assert_eq!(toy.asked(), [1], "what is not taken is not tried again");
}

#[test]
fn a_slow_measure_is_asked_for_less_at_once() {
    let (memory, mut toy) = (Memory::new(), Toy::new());
    filled(&memory);
    (toy.pace.batch, toy.most) = (8, 2);
    assert_eq!(contents(ask(&memory, &toy, "meals")), ["the fridge is full"]);
    assert_eq!(toy.asked(), [1, 5, 2, 2, 1]);
}

#[test]
fn a_measure_that_takes_nothing_is_broken() {
    let (memory, mut toy) = (Memory::new(), Toy::new());
    (0..20).for_each(|number| drop(memory.say(&format!("number {number} is odd or even"))));
    toy.refuses = "odd or even";
    assert!(understood(&memory, &toy, "meals").trouble.is_some());
}

#[test]
fn what_is_superseded_is_found_by_no_measure() {
    let (memory, toy) = (Memory::new(), Toy::new());
    filled(&memory);
    let old = memory.say("meals are cold");
    assert_eq!(ask(&memory, &toy, "food").len(), 2);
    let new = memory.put(draft("dinner is warm"));
    memory.happens(MemoryEvent::Superseded {
        note: old,
        by: new,
        why: "it is warm".to_owned(),
        valid_to: None,
    });
    assert_eq!(contents(ask(&memory, &toy, "food")), ["the fridge is full"]);
}

#[test]
fn a_measure_of_other_dimensions_is_told_and_not_used() {
    let (memory, mut toy) = (Memory::new(), Toy::new());
    filled(&memory);
    ask(&memory, &toy, "meals");
    toy.dimensions = 4;
    let Understood { meaning, trouble } = understood(&memory, &toy, "meals");
    let MeasureError { what, next, .. } = trouble.unwrap();
    assert!(what.contains("4 dimensions now, and 3") && next.contains("dimensions = 4"), "{what}; {next}");
    assert_eq!(memory.ask(&Query { meaning, ..Query::new("meals") }), []);
    toy.identity = "another";
    assert_eq!(contents(ask(&memory, &toy, "meals")), ["the fridge is full"]);
}
