//! The last characters of an output, in memory.

use std::collections::VecDeque;

/// How many characters the tail of an attempt's output has at most.
pub const TAIL_CHARACTERS: usize = 250_000;

/// Keeps the last bytes that could make up so many characters. A push costs its own length, never the tail's.
#[derive(Debug, Clone)]
pub struct Tail {
    characters: usize,
    bytes: VecDeque<u8>,
}

impl Default for Tail {
    fn default() -> Tail {
        Tail::new(TAIL_CHARACTERS)
    }
}

impl Tail {
    pub fn new(characters: usize) -> Tail {
        Tail { characters, bytes: VecDeque::new() }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        // A character has at most four bytes.
        let most = self.characters * 4;
        let last = &bytes[bytes.len().saturating_sub(most)..];
        let surplus = (self.bytes.len() + last.len()).saturating_sub(most);
        self.bytes.drain(..surplus);
        self.bytes.extend(last);
    }

    /// The last characters; bytes that are not text show as U+FFFD.
    pub fn text(&self) -> String {
        let (front, back) = self.bytes.as_slices();
        let bytes = [front, back].concat();
        // The front may be cut inside a character; up to three bytes then continue nothing.
        let cut = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80);
        let full = self.bytes.len() == self.characters * 4;
        let start = if full { cut.count() } else { 0 };
        let text = String::from_utf8_lossy(&bytes[start..]);
        let surplus = text.chars().count().saturating_sub(self.characters);
        let first = text.char_indices().nth(surplus).map_or(text.len(), |(at, _)| at);
        text[first..].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Tail;

    fn check(characters: usize, pushes: &[&str], expected: &str) {
        let mut tail = Tail::new(characters);
        for push in pushes {
            tail.push(push.as_bytes());
        }
        assert_eq!(tail.text(), expected);
    }

    #[test]
    fn the_last_characters_stay() {
        check(4, &[], "");
        check(4, &["ab", "c"], "abc");
        check(4, &["ab", "cdef"], "cdef");
        check(4, &["a longer push than it takes"], "akes");
        check(4, &["\u{1f980}\u{1f980}\u{1f980}\u{1f980}\u{1f980}"], "\u{1f980}\u{1f980}\u{1f980}\u{1f980}");
        check(4, &["\u{1f980}\u{1f980}\u{1f980}\u{1f980}", "x"], "\u{1f980}\u{1f980}\u{1f980}x");
        check(0, &["abc"], "");
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_such() {
        let mut tail = Tail::new(10);
        tail.push(b"a\xff\xc3");
        tail.push(b"\xa9b");
        assert_eq!(tail.text(), "a\u{fffd}\u{e9}b");
    }
}
