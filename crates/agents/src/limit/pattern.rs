//! A text with `*` for any characters, compared from the first to the last character.

use serde::{Deserialize, Serialize};

/// Anchored at both ends, so that a message which merely contains the words does not match. Case does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Pattern {
    text: String,
    parts: Vec<String>,
}

impl From<String> for Pattern {
    fn from(text: String) -> Pattern {
        let parts = plain(&text).split('*').map(str::to_owned).collect();
        Pattern { text, parts }
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> String {
        pattern.text
    }
}

impl Pattern {
    pub fn matches(&self, text: &str) -> bool {
        let text = plain(text.trim());
        let [first, middle @ .., last] = self.parts.as_slice() else {
            return self.parts.first().is_some_and(|only| *only == text);
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            let Some(at) = rest.find(part.as_str()) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last.as_str())
    }
}

/// Programs disagree about the apostrophe, even with themselves.
fn plain(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn a_pattern_matches_the_whole_text() {
        let check = |pattern: &str, text: &str, expected: bool| {
            assert_eq!(Pattern::from(pattern.to_owned()).matches(text), expected, "{pattern} / {text}");
        };
        check("rate limited", "Rate limited ", true);
        check("rate limited", "not rate limited", false);
        check("You've hit your *limit*", "You’ve hit your session limit · resets 5pm", true);
        check("You've hit your *limit*", "It says: You've hit your session limit", false);
        check("a*b", "ab", true);
        check("ab*ba", "aba", false);
        check("*429*", "status 429", true);
        check("", "", true);
        check("*", "", true);
        check("a*b*b", "ab", false);
    }
}
