//! What a text is found by: its words, without those that every text has, cut back to their stems; names of code as a
//! whole and in their parts.

mod split;
mod stems;
mod stop;

use rust_stemmers::{Algorithm, Stemmer};

use split::Run;
pub(crate) use stems::{Stem, Stems};

/// A word as it is looked up, and whether it was written like a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) is_name: bool,
}

/// What is longer is no word but data.
const LONGEST: usize = 64;
/// Of longer texts the beginning has to do.
const MOST: usize = 4096;

/// Takes texts apart. Made once for many texts.
pub(crate) struct Words {
    stemmer: Stemmer,
}

impl Words {
    pub(crate) fn new() -> Words {
        Words { stemmer: Stemmer::create(Algorithm::English) }
    }

    /// In the order of the text, as often as they stand there.
    pub(crate) fn of(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        for run in split::runs(text) {
            self.add(&run, &mut tokens);
            if tokens.len() >= MOST {
                tokens.truncate(MOST);
                break;
            }
        }
        tokens
    }

    fn add(&self, run: &Run<'_>, tokens: &mut Vec<Token>) {
        let parts = split::parts(run.text);
        let is_name = run.is_inside && is_capitalised(run.text);
        for part in &parts {
            tokens.extend(self.word(part).map(|text| Token { text, is_name }));
        }
        if parts.len() > 1 && run.text.is_ascii() {
            let whole = parts.concat().to_lowercase();
            tokens.extend((whole.len() <= LONGEST).then_some(Token { text: whole, is_name: false }));
        }
    }

    fn word(&self, part: &str) -> Option<String> {
        let lower = part.to_lowercase();
        if lower.is_empty() || lower.len() > LONGEST || stop::is_stop_word(&lower) {
            return None;
        }
        let is_plain = lower.bytes().all(|byte| byte.is_ascii_lowercase());
        Some(if is_plain { self.stemmer.stem(&lower).into_owned() } else { lower })
    }
}

/// The words of a text in small letters, as they are written and without those that every text has; names of code in
/// their parts. For tables of words that know nothing of stems.
pub fn plain_words(text: &str) -> Vec<String> {
    let parts = split::runs(text).flat_map(|run| split::parts(run.text));
    let words = parts.map(str::to_lowercase);
    words.filter(|word| word.len() <= LONGEST && !stop::is_stop_word(word)).take(MOST).collect()
}

fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Words;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = Words::new().of(text).into_iter().map(|token| token.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_that_every_text_has_are_left_out_and_the_others_cut_back() {
        check("What did we decide about the migrations?", &["decid", "migrat"]);
        check("It wasn't flaky, the server's port wasn’t free", &["flaki", "server", "port", "free"]);
    }

    #[test]
    fn names_of_code_are_found_whole_and_in_parts() {
        check("parse_config_file", &["pars", "config", "file", "parseconfigfile"]);
        check("parseConfigFile", &["pars", "config", "file", "parseconfigfile"]);
        check("HTTPServer", &["http", "server", "httpserver"]);
        check("src/sqlite/handle.rs", &["src", "sqlite", "handl", "rs"]);
        check("error[E0382]: std::io", &["error", "e0382", "std", "io"]);
    }

    #[test]
    fn scripts_without_spaces_are_taken_in_pairs() {
        check("데이터베이스", &["데이", "이터", "터베", "베이", "이스"]);
        check("测试 ok", &["测试", "ok"]);
        check("ポート5432で動く", &["ポー", "ート", "5432", "で動", "動く"]);
        check("用tokio运行时", &["用", "tokio", "运行", "行时"]);
        check("größer", &["größer"]);
    }

    #[test]
    fn a_name_is_a_capital_inside_a_sentence() {
        let names = |text: &str| -> Vec<String> {
            let tokens = Words::new().of(text).into_iter();
            tokens.filter(|token| token.is_name).map(|token| token.text).collect()
        };
        assert_eq!(names("Ask Grace. Postgres runs on Kestrel"), ["grace", "kestrel"]);
    }

    #[test]
    fn data_is_no_word() {
        check(&"x".repeat(65), &[]);
    }

    proptest! {
        #[test]
        fn any_text_can_be_taken_apart(text in "\\PC{0,200}") {
            for token in Words::new().of(&text) {
                prop_assert!(!token.text.is_empty() && !token.text.starts_with('='));
            }
        }
    }
}
