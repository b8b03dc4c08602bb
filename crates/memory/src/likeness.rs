//! How much two notes say the same, whatever the words are put in.

use std::collections::BTreeSet;

use ralph_core::note::Note;

use crate::words::{Stem, Stems};

const DENY: [&str; 8] = ["not", "no", "never", "none", "without", "cannot", "neither", "nor"];

/// What a note is compared by; made once where it is compared with many.
#[derive(Debug)]
pub(crate) struct Gist {
    /// Each once, in their order.
    words: Vec<Stem>,
    pairs: Vec<(Stem, Stem)>,
    numbers: BTreeSet<String>,
    denies: bool,
}

impl Gist {
    /// Those that are compared are made with the same stems.
    pub(crate) fn of(stems: &mut Stems, note: &Note) -> Gist {
        let told = told(stems, note);
        let pairs = told.windows(2).map(|two| (two[0], two[1])).collect();
        let said = format!("{}\n{}", note.said.title, note.said.content).to_lowercase();
        let parts = || said.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
        let numbers = parts().filter(|part| part.contains(|c: char| c.is_ascii_digit()));
        Gist {
            numbers: numbers.map(str::to_owned).collect(),
            denies: parts()
                .any(|part| DENY.contains(&part) || part.ends_with("n't") || part.ends_with("n’t")),
            words: each_once(told),
            pairs: each_once(pairs),
        }
    }

    /// From 0 to 1: half of it are the words that both have, half what stands beside what. A note with all the words of
    /// another in another order is like it, but not the same. Where numbers differ or one of them denies something,
    /// they may say the opposite in the same words, and are not alike.
    pub(crate) fn likeness(&self, other: &Gist) -> f64 {
        if self.numbers != other.numbers || self.denies != other.denies {
            return 0.0;
        }
        if self.words.is_empty() && other.words.is_empty() {
            return 1.0;
        }
        let words = overlap(&self.words, &other.words);
        if self.pairs.is_empty() || other.pairs.is_empty() {
            // One word has nothing beside it.
            return words;
        }
        (words + overlap(&self.pairs, &other.pairs)) / 2.0
    }
}

/// What is said, and what belongs to its kind; not the files and tags, for many notes are about one file.
fn told(stems: &mut Stems, note: &Note) -> Vec<Stem> {
    let said = &note.said;
    let mut texts = vec![&*said.title, &*said.content];
    texts.extend(said.kind.texts().into_iter().filter(|text| *text != said.content));
    texts.into_iter().flat_map(|text| stems.of(text)).collect()
}

fn each_once<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all.dedup();
    all
}

/// The share of both together that both have; each is in order.
fn overlap<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let both = in_both(a, b);
    both as f64 / (a.len() + b.len() - both).max(1) as f64
}

fn in_both<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut at, mut beside, mut both) = (0, 0, 0);
    while let (Some(one), Some(other)) = (a.get(at), b.get(beside)) {
        let order = one.cmp(other);
        both += usize::from(order.is_eq());
        at += usize::from(order.is_le());
        beside += usize::from(order.is_ge());
    }
    both
}

#[cfg(test)]
mod tests {
    use ralph_core::Timestamp;
    use ralph_core::id::NoteId;
    use ralph_core::note::{Draft, Kind, MemoryEvent, Note, Observation, Recorded, fold};

    use super::Gist;
    use crate::words::Stems;

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
        let mut stems = Stems::new();
        let [a, b] = [a, b].map(|content| Gist::of(&mut stems, &note(content)));
        let (one, other) = (a.likeness(&b), b.likeness(&a));
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

    #[test]
    fn what_says_the_opposite_in_the_same_words_is_not_alike() {
        for (one, other) in [
            ("The build needs nightly", "The build doesn't need nightly"),
            ("Restart the server after a deploy", "Never restart the server after a deploy"),
            ("The exporter listens on port 9187", "The exporter listens on port 9188"),
        ] {
            assert!(alike(one, other) < 0.001, "{one} / {other}");
        }
    }
}
