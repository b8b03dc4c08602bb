//! What a question asks for: its words, and whether it wants a time or a number.

use crate::analysis::{COUNTED, DATED};
use crate::ranking::Ranking;
use crate::words::Words;

#[derive(Debug)]
pub(super) struct Asked {
    /// Each once.
    pub(super) words: Vec<AskedWord>,
    /// The marks that an answer has.
    pub(super) wants: u32,
}

#[derive(Debug)]
pub(super) struct AskedWord {
    pub(super) text: String,
    pub(super) weight: f64,
}

/// More than that are not a question but a text, of which the beginning has to do.
const MOST_WORDS: usize = 48;

impl Asked {
    pub(super) fn of(text: &str, ranking: &Ranking) -> Asked {
        let mut words: Vec<AskedWord> = Vec::new();
        for token in Words::new().of(text) {
            let weight = if token.is_name { ranking.names } else { 1.0 };
            if let Some(word) = words.iter_mut().find(|word| word.text == token.text) {
                word.weight = word.weight.max(weight);
            } else if words.len() < MOST_WORDS {
                words.push(AskedWord { text: token.text, weight });
            }
        }
        Asked { words, wants: wants(text) }
    }
}

fn wants(text: &str) -> u32 {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let pair = |first: &str, second: &[&str]| {
        words.windows(2).any(|two| two[0] == first && second.contains(&two[1]))
    };
    let asks_when = words.first() == Some(&"when") || pair("what", &["date", "year", "month", "day"]);
    let asks_how_many = pair("how", &["many", "much", "often"]);
    let asks_how_long = pair("how", &["long"]);
    let mut wants = 0;
    if asks_when || asks_how_long {
        wants |= DATED;
    }
    if asks_how_many || asks_how_long {
        wants |= COUNTED;
    }
    wants
}

#[cfg(test)]
mod tests {
    use super::wants;
    use crate::analysis::{COUNTED, DATED};

    #[test]
    fn a_question_says_what_would_answer_it() {
        assert_eq!(wants("When was the cache removed?"), DATED);
        assert_eq!(wants("how many workers are there"), COUNTED);
        assert_eq!(wants("How long do the tests take?"), COUNTED | DATED);
        assert_eq!(wants("what happens when it fails"), 0);
    }
}
