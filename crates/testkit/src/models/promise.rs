//! The promise word as a model finds it: in the words of the brief.

use ralph_core::promise::{Word, instruction};

/// The word that the last instruction in a text asks for, also where a program has escaped the text as XML.
pub fn promise_word(text: &str) -> Option<Word> {
    in_plain(text).or_else(|| in_plain(&text.replace("&lt;", "<").replace("&gt;", ">")))
}

fn in_plain(text: &str) -> Option<Word> {
    let (before, after) = around_the_word();
    let rest = &text[text.rfind(&before)? + before.len()..];
    Word::parse(&rest[..rest.find(&after)?]).ok()
}

/// The instruction's text on both sides of its word, from the instruction itself.
fn around_the_word() -> (String, String) {
    const STAND_IN: &str = "5tand1n";
    let word = Word::parse(STAND_IN).expect("a plain word is a word");
    let sample = instruction(&word);
    let (before, after) = sample.split_once(STAND_IN).expect("the instruction names its word");
    (before.to_owned(), after.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_brief_is_the_last_one_asked_for() {
        let brief = |word: &str| format!("Do it.\n\n{}\n", instruction(&Word::parse(word).unwrap()));
        let text = format!("{}{}and more", brief("DONE-1a2b"), brief("DONE-3c4d"));
        assert_eq!(promise_word(&text), Some(Word::parse("DONE-3c4d").unwrap()));
        let escaped = brief("DONE-5e6f").replace('<', "&lt;").replace('>', "&gt;");
        assert_eq!(promise_word(&escaped), Some(Word::parse("DONE-5e6f").unwrap()));
        assert_eq!(promise_word("end with <promise>DONE</promise>"), None);
    }
}
