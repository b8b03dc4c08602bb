//! The words of many texts as numbers, for comparing them with each other.

use std::collections::HashMap;

use super::{MOST, Words, split};

/// A word as it is looked up, among those that were met before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Stem(u32);

/// What was met so far. Texts about the same have the same words, and each of them is taken apart once.
pub(crate) struct Stems {
    words: Words,
    numbers: HashMap<String, Stem>,
    /// By how a word or name is written.
    written: HashMap<String, Vec<Stem>>,
}

impl Stems {
    pub(crate) fn new() -> Stems {
        Stems { words: Words::new(), numbers: HashMap::new(), written: HashMap::new() }
    }

    /// In the order of the text, as often as they stand there.
    pub(crate) fn of(&mut self, text: &str) -> Vec<Stem> {
        let mut stems = Vec::new();
        for run in split::runs(text) {
            match self.written.get(run.text) {
                Some(known) => stems.extend_from_slice(known),
                None => stems.extend_from_slice(self.met(&run)),
            }
            if stems.len() >= MOST {
                stems.truncate(MOST);
                break;
            }
        }
        stems
    }

    fn met(&mut self, run: &split::Run<'_>) -> &[Stem] {
        let mut tokens = Vec::new();
        self.words.add(run, &mut tokens);
        let mut number = |text: String| {
            let next = Stem(self.numbers.len() as u32);
            *self.numbers.entry(text).or_insert(next)
        };
        let stems = tokens.into_iter().map(|token| number(token.text)).collect();
        self.written.entry(run.text.to_owned()).or_insert(stems)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Stem, Stems};
    use crate::words::Words;

    proptest! {
        #[test]
        fn texts_have_the_same_words_as_numbers(texts in prop::collection::vec("[a-cA-C_.' 測試é]{0,40}", 1..6)) {
            let mut stems = Stems::new();
            let numbered: Vec<Vec<Stem>> = texts.iter().map(|text| stems.of(text)).collect();
            for (text, numbers) in texts.iter().zip(numbered) {
                let words: Vec<String> = Words::new().of(text).into_iter().map(|token| token.text).collect();
                let found: Vec<Stem> = words.iter().map(|word| stems.numbers[word]).collect();
                prop_assert_eq!(found, numbers, "{}", text);
            }
        }
    }
}
