//! The events of a `text/event-stream`, out of pieces of any size and in bounded memory.

/// A longer event is passed over as a whole.
const LONGEST: usize = 8 * 1024 * 1024;

/// What a piece of the stream brought.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// The data of one event.
    Data(String),
    /// An event was there and is not to be had: too long, or not text.
    Lost,
}

#[derive(Debug)]
pub(super) struct Decoder {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// Nothing counts until the next blank line.
    is_skipping: bool,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    longest: usize,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::with_longest(LONGEST)
    }
}

impl Decoder {
    fn with_longest(longest: usize) -> Decoder {
        Decoder {
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            is_skipping: false,
            after_return: false,
            longest,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], mut out: impl FnMut(Item)) {
        for byte in bytes {
            let follows_return = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => self.end_line(&mut out),
                _ if self.line.len() + self.data.len() >= self.longest => self.skip(),
                _ => self.line.push(*byte),
            }
        }
    }

    /// Lets go of an event that is too long; its line still has to be told from a blank one.
    fn skip(&mut self) {
        self.is_skipping = true;
        self.data = Vec::new();
        self.line.truncate(1);
        self.line.shrink_to_fit();
    }

    fn end_line(&mut self, out: &mut impl FnMut(Item)) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.end_event(out);
        }
        let Some(value) = line.strip_prefix(b"data:") else { return };
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
    }

    fn end_event(&mut self, out: &mut impl FnMut(Item)) {
        let data = std::mem::take(&mut self.data);
        let had_data = std::mem::take(&mut self.has_data);
        if std::mem::take(&mut self.is_skipping) {
            out(Item::Lost);
        } else if had_data {
            out(String::from_utf8(data).map_or(Item::Lost, Item::Data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decoder, Item};
    use proptest::prelude::*;

    fn decoded(pieces: &[&[u8]], longest: usize) -> Vec<Item> {
        let mut decoder = Decoder::with_longest(longest);
        let mut items = Vec::new();
        for piece in pieces {
            decoder.push(piece, |item| items.push(item));
        }
        items
    }

    fn data(text: &str) -> Item {
        Item::Data(text.to_owned())
    }

    #[test]
    fn an_event_is_its_data_lines_up_to_the_blank_one() {
        let check = |text: &str, expected: &[Item]| assert_eq!(decoded(&[text.as_bytes()], 64), expected);
        check("data: a\n\n", &[data("a")]);
        check("event: x\nid: 1\ndata:a\ndata: b\n\n", &[data("a\nb")]);
        check(": a comment\n\ndata: a\r\n\r\ndata: b\r\rdata:\n\n", &[data("a"), data("b"), data("")]);
        check("retry: 3\n\n\n\n", &[]);
        check("data: cut off", &[]);
    }

    #[test]
    fn an_event_that_is_too_long_is_lost_alone() {
        let long = "x".repeat(100);
        let text = format!("data: one\n\ndata: {long}\ndata: {long}\n\ndata: two\n\n");
        assert_eq!(decoded(&[text.as_bytes()], 32), [data("one"), Item::Lost, data("two")]);
        let many = "data: 1234\n".repeat(20);
        let text = format!("{many}\ndata: two\n\n");
        assert_eq!(decoded(&[text.as_bytes()], 32), [Item::Lost, data("two")]);
        assert_eq!(decoded(&[b"data: \xff\n\ndata: a\n\n"], 32), [Item::Lost, data("a")]);
    }

    proptest! {
        #[test]
        fn where_the_stream_is_cut_into_pieces_does_not_matter(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'd'), Just(b':'), any::<u8>()], 0..200),
            at in 0usize..200,
        ) {
            let framed = [b"data: ".as_slice(), &bytes, b"\n\ndata: end\n\n"].concat();
            let at = at.min(framed.len());
            let whole = decoded(&[&framed], 48);
            prop_assert_eq!(&decoded(&[&framed[..at], &framed[at..]], 48), &whole);
            prop_assert!(whole.ends_with(&[data("end")]));
        }
    }
}
