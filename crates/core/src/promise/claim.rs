//! What a message claimed, in words that can go into the next brief.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much of a wrong word is repeated to the agent.
const GIVEN_CHARS: usize = 80;

/// What one final message says about completion. Lines count from 1 and name where the tag opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "claim", rename_all = "snake_case")]
pub enum Claim {
    /// No tag at all.
    None,
    /// The promise was given.
    Made { line: u64 },
    /// A tag was there and does not count.
    Refused { line: u64, why: Refusal },
}

impl Claim {
    pub fn is_made(&self) -> bool {
        matches!(self, Claim::Made { .. })
    }
}

/// Why a tag does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refusal {
    Negated,
    Postponed,
    Quoted,
    BlockQuote,
    CodeFence,
    IndentedCode,
    InlineCode,
    /// In an HTML comment, or in an HTML block that shows text rather than says it (`pre`, `code`, `blockquote`).
    Html,
    NotAtLineEnd,
    Echo,
    /// The line offers another word as well.
    Ambiguous,
    Nested,
    WrongWord {
        given: String,
    },
    EmptyWord,
    /// The opening tag has attributes or spaces, or is escaped.
    Malformed,
    Unclosed,
}

impl Refusal {
    pub(super) fn wrong_word(given: &str) -> Refusal {
        let mut words: String = given.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((cut, _)) = words.char_indices().nth(GIVEN_CHARS) {
            words.truncate(cut);
            words.push('…');
        }
        Refusal::WrongWord { given: words.replace(char::is_control, "") }
    }

    /// Whether the right word was there, so that this refusal is the one worth explaining.
    pub(super) fn is_near(&self) -> bool {
        match self {
            Refusal::Negated
            | Refusal::Postponed
            | Refusal::Quoted
            | Refusal::BlockQuote
            | Refusal::CodeFence
            | Refusal::IndentedCode
            | Refusal::InlineCode
            | Refusal::Html
            | Refusal::NotAtLineEnd
            | Refusal::Echo
            | Refusal::Ambiguous
            | Refusal::Nested => true,
            Refusal::WrongWord { .. } | Refusal::EmptyWord | Refusal::Malformed | Refusal::Unclosed => false,
        }
    }
}

/// A fragment that continues "the promise did not count because …". It never contains the tag itself.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Negated => "its sentence negates it; give it alone on a line, apart from any sentence",
            Refusal::Postponed => {
                "its sentence only says when or that it would be given; give it alone on a line"
            }
            Refusal::Quoted => "it stood inside quotation marks; give it without them",
            Refusal::BlockQuote => {
                "it stood in a block quote; give it on a line of its own after a blank line"
            }
            Refusal::CodeFence => "it stood in a code fence (perhaps one never closed); give it outside",
            Refusal::IndentedCode => "it was indented like code; start the line with the tag",
            Refusal::InlineCode => "it stood in inline code; give it without backticks",
            Refusal::Html => "it stood in an HTML comment or block; give it outside",
            Refusal::NotAtLineEnd => "other text followed it on its line; let the line end with the tag",
            Refusal::Echo => {
                "it repeated the brief together with its neighbouring line; give it apart from them"
            }
            Refusal::Ambiguous => "its line offered another word as well; give only the one word",
            Refusal::Nested => "the tag was nested or an earlier one was left open; open and close it once",
            Refusal::EmptyWord => "the tag held no word",
            Refusal::Malformed => {
                "the opening tag was not plain; write it without attributes, spaces or backslashes"
            }
            Refusal::Unclosed => "the tag was not closed right after the word",
            Refusal::WrongWord { given } => {
                return write!(f, "it gave the word \"{given}\", which is not the word of this attempt");
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, Refusal};

    #[test]
    fn a_claim_is_stored_with_tags_in_snake_case() {
        let claim = Claim::Refused { line: 3, why: Refusal::wrong_word("OTHER") };
        let json = r#"{"claim":"refused","line":3,"why":{"reason":"wrong_word","given":"OTHER"}}"#;
        assert_eq!(serde_json::to_string(&claim).expect("json"), json);
        assert_eq!(serde_json::from_str::<Claim>(json).expect("claim"), claim);
        assert_eq!(serde_json::to_string(&Claim::None).expect("json"), r#"{"claim":"none"}"#);
    }

    #[test]
    fn a_wrong_word_is_repeated_only_in_part_and_on_one_line() {
        let Refusal::WrongWord { given } = Refusal::wrong_word(&"a\nb ".repeat(500)) else { unreachable!() };
        assert_eq!(given.chars().count(), 81);
        assert!(!given.contains('\n'));
    }
}
