//! The sentence a tag belongs to: what stands between the last sentence's end and the tag.

/// What is remembered of a sentence.
const TAIL: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Sentence {
    text: String,
}

impl Sentence {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn advance(&mut self, piece: &str) {
        let piece = match last_end(piece) {
            Some(end) => {
                self.text.clear();
                &piece[end..]
            }
            None => piece,
        };
        let piece = &piece[piece.ceil_char_boundary(piece.len().saturating_sub(TAIL))..];
        let over = (self.text.len() + piece.len()).saturating_sub(TAIL);
        self.text.drain(..self.text.ceil_char_boundary(over));
        self.text.push_str(piece);
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
    }

    /// "I will print this:" leads on to what follows, even after a blank line.
    pub(super) fn end_paragraph(&mut self) {
        let end = self.text.trim_end_matches(|c: char| c.is_whitespace() || is_closer(c));
        if !end.ends_with([':', ',', ';', '—', '–', '-', '…']) && !end.ends_with("...") {
            self.text.clear();
        }
    }
}

/// Just after the first sentence's end, if one ends here.
pub(super) fn first_end(text: &str) -> Option<usize> {
    text.char_indices().find_map(|(at, c)| end_at(text, at, c))
}

fn last_end(text: &str) -> Option<usize> {
    if text.is_ascii() {
        let stops = memchr::memrchr3_iter(b'.', b'!', b'?', text.as_bytes());
        return stops.into_iter().find_map(|at| end_at(text, at, char::from(text.as_bytes()[at])));
    }
    text.char_indices().rev().find_map(|(at, c)| end_at(text, at, c))
}

/// A full stop inside a file name or a number is followed by more, one after an abbreviation or of an ellipsis
/// ends nothing.
fn end_at(text: &str, at: usize, c: char) -> Option<usize> {
    let after = &text[at + c.len_utf8()..];
    let ends = match c {
        '。' | '！' | '？' => true,
        '!' | '?' => followed_by_space(after),
        '.' => followed_by_space(after) && !text[..at].ends_with('.') && !is_abbreviation(&text[..at]),
        _ => false,
    };
    ends.then(|| text.len() - after.trim_start_matches(is_closer).len())
}

fn followed_by_space(after: &str) -> bool {
    after.chars().find(|c| !is_closer(*c)).is_none_or(char::is_whitespace)
}

fn is_closer(c: char) -> bool {
    matches!(c, ')' | ']' | '"' | '\'' | '*' | '_' | '`' | '”' | '’' | '»' | '“' | '«')
}

fn is_abbreviation(before: &str) -> bool {
    ["e.g", "i.e", "etc", "vs", "cf", "z.B", "d.h"].iter().any(|short| {
        before
            .strip_suffix(short)
            .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '.'))
    })
}

#[cfg(test)]
mod tests {
    use super::{Sentence, TAIL};

    fn check(pieces: &[&str], expected: &str) {
        let mut sentence = Sentence::default();
        for piece in pieces {
            sentence.advance(piece);
        }
        assert_eq!(sentence.text().trim(), expected);
    }

    #[test]
    fn a_sentence_begins_after_the_last_full_stop_that_ends_one() {
        check(&["It works. So: "], "So:");
        check(&["I fixed foo.rs and v1.2 of it "], "I fixed foo.rs and v1.2 of it");
        check(&["Not, e.g. now, "], "Not, e.g. now,");
        check(&["I cannot... "], "I cannot...");
        check(&["(It is.) ", "Now"], "Now");
        check(&["**Done.**"], "");
        check(&["まだです。完了"], "完了");
    }

    #[test]
    fn only_the_end_of_a_long_sentence_is_remembered() {
        let mut sentence = Sentence::default();
        for _ in 0..TAIL {
            sentence.advance("é word");
        }
        assert!(sentence.text().len() <= TAIL && sentence.text.capacity() <= 4 * TAIL);
    }
}
