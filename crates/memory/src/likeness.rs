//! How much two notes say the same, whatever the words are put in.

use std::collections::BTreeSet;

use ralph_core::note::Note;

use crate::words::Words;

/// From 0 to 1: half of it are the words that both have, half what stands beside what. A note with all the words of
/// another in another order is like it, but not the same.
pub(crate) fn likeness(a: &Note, b: &Note) -> f64 {
    let words = Words::new();
    let (a, b) = (stems(&words, a), stems(&words, b));
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    if a.len() < 2 || b.len() < 2 {
        // One word has nothing beside it.
        return overlap(&a.iter().collect(), &b.iter().collect());
    }
    let pairs = |stems: &[String]| -> BTreeSet<(String, String)> {
        stems.windows(2).map(|two| (two[0].clone(), two[1].clone())).collect()
    };
    (overlap(&a.iter().collect(), &b.iter().collect()) + overlap(&pairs(&a), &pairs(&b))) / 2.0
}

/// What is said, and what belongs to its kind; not the files and tags, for many notes are about one file.
fn stems(words: &Words, note: &Note) -> Vec<String> {
    let said = &note.said;
    let mut texts = vec![&*said.title, &*said.content];
    texts.extend(said.kind.texts().into_iter().filter(|text| *text != said.content));
    texts.into_iter().flat_map(|text| words.of(text)).map(|token| token.text).collect()
}

/// The share of both together that both have.
fn overlap<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> f64 {
    let both = a.intersection(b).count();
    both as f64 / (a.len() + b.len() - both).max(1) as f64
}

#[cfg(test)]
mod tests {
    use ralph_core::Timestamp;
    use ralph_core::id::NoteId;
    use ralph_core::note::{Draft, Kind, MemoryEvent, Note, Observation, Recorded, fold};

    use super::likeness;

    fn note(content: &str) -> Note {
        let id = NoteId::new(Timestamp::UNIX_EPOCH, 1);
        let draft = Draft::new(Kind::Observation(Observation::Discovery), content);
        let event = MemoryEvent::Observed { note: id.clone(), draft: Box::new(draft) };
        let line = Recorded {
            seq: 1,
            at: Timestamp::UNIX_EPOCH,
            note: id,
            name: event.name().to_owned(),
            event: Some(event),
        };
        fold(None, &line).expect("it was observed")
    }

    fn alike(a: &str, b: &str) -> f64 {
        let (one, other) = (likeness(&note(a), &note(b)), likeness(&note(b), &note(a)));
        assert!((one - other).abs() < f64::EPSILON, "it is the same in both directions");
        assert!((0.0..=1.0).contains(&one), "{one}");
        one
    }

    #[test]
    fn the_same_in_other_forms_is_alike_and_the_rest_is_not() {
        let text = "Run the migrations before the tests";
        assert!(alike(text, text) > 0.999);
        assert!(alike(text, "run migrations before running the tests!") > 0.5);
        assert!(alike(text, "tests before the migrations run") < 0.999);
        assert!(alike(text, "the cache is warm") < 0.001);
        assert!(alike("cache", "caches") > 0.999);
        assert!(alike("", "cache") < 0.001);
    }
}
