//! Bytes as the lines a person would have seen: without colours, without what a carriage return overwrote, cut to size.

use std::borrow::Cow;

/// A line is read up to here; what follows is passed over.
pub(crate) const LONGEST_LINE: usize = 16 * 1024;

/// Each line of the bytes without its end.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest?;
        match memchr::memchr(b'\n', bytes) {
            Some(end) => {
                rest = Some(&bytes[end + 1..]);
                Some(&bytes[..end])
            }
            None => {
                rest = None;
                (!bytes.is_empty()).then_some(bytes)
            }
        }
    })
}

/// A line as text, and whether it had to be cut.
pub(crate) fn visible(line: &[u8]) -> (Cow<'_, str>, bool) {
    let cut = line.len() > LONGEST_LINE;
    let line = if cut { &line[..LONGEST_LINE] } else { line };
    if memchr::memchr(0x1b, line).is_none() {
        let line = without_overwritten(line);
        // Nearly always; the check alone is much faster than replacing.
        let text = std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
        return (text, cut);
    }
    let plain = without_escapes(line);
    (Cow::Owned(String::from_utf8_lossy(without_overwritten(&plain)).into_owned()), cut)
}

/// What is left on the line after its carriage returns; those at its end move nothing.
fn without_overwritten(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    memchr::memrchr(b'\r', line).map_or(line, |at| &line[at + 1..])
}

/// Leaves out escape sequences: `ESC [ … letter`, `ESC ] … BEL` or `ESC \`, and any other with one byte.
fn without_escapes(line: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(0x1b, rest) {
        plain.extend_from_slice(&rest[..at]);
        let after = &rest[at + 1..];
        let taken = match after.first() {
            Some(b'[') => 1 + ending(&after[1..], |byte| (0x40..=0x7e).contains(&byte)),
            Some(b']') => 1 + ending(&after[1..], |byte| byte == 0x07 || byte == b'\\'),
            Some(_) => 1,
            None => 0,
        };
        rest = &after[taken..];
    }
    plain.extend_from_slice(rest);
    plain
}

/// How many bytes there are up to and with the one that ends a sequence.
fn ending(bytes: &[u8], is_end: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| is_end(*byte)).map_or(bytes.len(), |at| at + 1)
}

/// The text up to a number of bytes, never within a character.
pub(crate) fn cut(text: &str, longest: usize) -> &str {
    &text[..text.floor_char_boundary(longest)]
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, lines, visible};

    fn seen(line: &[u8]) -> String {
        visible(line).0.into_owned()
    }

    #[test]
    fn colours_links_and_overwritten_text_are_gone() {
        assert_eq!(seen(b"\x1b[31m\x1b[1mFAIL\x1b[0m a\r"), "FAIL a");
        assert_eq!(seen(b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x07!"), "link!");
        assert_eq!(seen(b" 10%\r 100%"), " 100%");
        assert_eq!(seen(b"end \x1b"), "end");
        assert_eq!(seen(b"\x1b[1mbold\r\x1b[0m"), "bold");
        assert_eq!(seen(b"\xff\x1b[1mx"), "\u{fffd}x");
    }

    #[test]
    fn lines_end_where_they_end() {
        let all = |text: &'static str| lines(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(all("a\n\nb"), [&b"a"[..], b"", b"b"]);
        assert_eq!(all("a\n"), [b"a"]);
        assert!(all("").is_empty());
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let (text, cut) = visible(&[b'x'; LONGEST_LINE + 1]);
        assert!(cut && text.len() == LONGEST_LINE);
    }
}
