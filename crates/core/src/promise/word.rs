//! The word of a promise: what may be one, and when a given one is it.

use serde::{Deserialize, Serialize};

/// Longest word a person may choose, in characters.
const MAX_CHARS: usize = 200;
/// Longest nonce; a stored word may be this much longer than a chosen one.
const MAX_NONCE: usize = 32;

/// The word an attempt must give, e.g. `DONE-7f3a`. Never empty, never with an angle bracket.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Word(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    #[error("the promise word is empty")]
    Empty,
    #[error("the promise word has {chars} characters, more than {MAX_CHARS}")]
    TooLong { chars: usize },
    #[error("the promise word contains an angle bracket")]
    AngleBracket,
    #[error("the promise word contains the invisible character {code}")]
    Invisible { code: String },
}

impl WordError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            WordError::Empty => "choose a word such as DONE",
            WordError::TooLong { .. } => "choose a short word such as DONE; a sentence is easily given wrong",
            WordError::AngleBracket => "give the word alone, without the promise tag around it",
            WordError::Invisible { .. } => {
                "choose a word on one line that can be seen and typed, such as DONE"
            }
        }
    }
}

impl Word {
    /// Reads a chosen word. Whitespace around it is dropped, as it is inside the tag.
    pub fn parse(text: &str) -> Result<Word, WordError> {
        Word::within(text, MAX_CHARS)
    }

    /// The word of one attempt, `DONE` with `7f3a` being `DONE-7f3a`.
    ///
    /// # Panics
    /// If the nonce is not 1 to 32 ASCII letters and digits: nonces are ours, so another one is a bug.
    #[must_use]
    pub fn with_nonce(&self, nonce: &str) -> Word {
        assert!(
            (1..=MAX_NONCE).contains(&nonce.len()) && nonce.bytes().all(|b| b.is_ascii_alphanumeric()),
            "a nonce is 1 to {MAX_NONCE} ASCII letters and digits"
        );
        Word(format!("{}-{nonce}", self.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Only ASCII case is folded, so that no look-alike from another script becomes equal.
    pub(super) fn is_given_by(&self, given: &str) -> bool {
        self.0.eq_ignore_ascii_case(given)
    }

    fn within(text: &str, max_chars: usize) -> Result<Word, WordError> {
        let word = text.trim();
        if word.is_empty() {
            return Err(WordError::Empty);
        }
        let chars = word.chars().count();
        if chars > max_chars {
            return Err(WordError::TooLong { chars });
        }
        if word.contains(['<', '>']) {
            return Err(WordError::AngleBracket);
        }
        if let Some(c) = word.chars().find(|c| is_invisible(*c)) {
            return Err(WordError::Invisible { code: format!("U+{:04X}", u32::from(c)) });
        }
        Ok(Word(word.to_owned()))
    }
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Word {
    type Error = WordError;

    /// A stored word may already carry its nonce.
    fn try_from(text: String) -> Result<Word, WordError> {
        Word::within(&text, MAX_CHARS + 1 + MAX_NONCE)
    }
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        word.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Word, WordError};

    #[test]
    fn a_word_that_could_match_everything_or_nothing_is_refused() {
        assert_eq!(Word::parse(""), Err(WordError::Empty));
        assert_eq!(Word::parse(" \t\n "), Err(WordError::Empty));
        assert_eq!(Word::parse("<promise>DONE</promise>"), Err(WordError::AngleBracket));
        assert_eq!(Word::parse("DO\nNE"), Err(WordError::Invisible { code: "U+000A".into() }));
        assert_eq!(Word::parse("\u{200b}"), Err(WordError::Invisible { code: "U+200B".into() }));
        assert_eq!(Word::parse(&"x".repeat(201)), Err(WordError::TooLong { chars: 201 }));
        assert!(!WordError::Empty.hint().is_empty());
    }

    #[test]
    fn the_longest_word_survives_its_nonce_and_storage() {
        let word = Word::parse(&"é".repeat(200)).expect("200 characters").with_nonce(&"a".repeat(32));
        let stored = serde_json::to_string(&word).expect("a string");
        assert_eq!(serde_json::from_str::<Word>(&stored).expect("valid"), word);
        assert!(serde_json::from_str::<Word>("\"  \"").is_err());
    }

    #[test]
    fn a_word_is_trimmed_and_given_in_any_ascii_case() {
        let word = Word::parse(" Done ").expect("valid").with_nonce("7F3a");
        assert_eq!(word.to_string(), "Done-7F3a");
        assert!(word.is_given_by("dONE-7f3A"));
        assert!(!word.is_given_by("D\u{41e}NE-7f3a"));
    }
}
