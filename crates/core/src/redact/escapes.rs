//! Text with its escapes undone: percent codes, `\u0061` and `\x61`, HTML entities, and the colours of terminals, which
//! may stand in the middle of a secret.

use std::ops::Range;

use super::view::{Places, View};

/// Tells the three bytes of each beginning of an escape, once.
pub(super) fn beginnings(mut found: impl FnMut(&[u8; 3])) {
    for byte in 0x20..0x7f_u8 {
        let lower = [b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
        found(&lower);
        let upper = lower.map(|byte| byte.to_ascii_uppercase());
        if upper != lower {
            found(&upper);
        }
    }
    for digit in b'0'..=b'9' {
        found(&[b'&', b'#', digit]);
        found(&[0x1b, b'[', digit]);
    }
    (b'1'..b'8').for_each(|digit| found(&[b'\\', b'x', digit]));
    [b"\\u0", b"\\03", b"\\e[", b"&#x", b"&#X", b"\x1b[m", b"\x1b[K"].into_iter().for_each(found);
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The lines of `text` that one of `escapes` stands in; these are in order.
/// What stands before `from` was decided with what came before it.
pub(super) fn lines(text: &[u8], from: usize, escapes: &[usize]) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for escape in escapes {
        if lines.last().is_some_and(|line| *escape < line.end) {
            continue;
        }
        let start = memchr::memrchr(b'\n', &text[from..*escape]).map_or(from, |newline| from + newline + 1);
        let end = memchr::memchr(b'\n', &text[*escape..]).map_or(text.len(), |newline| escape + newline);
        lines.push(start..end);
    }
    lines
}

pub(super) fn undone(text: &[u8], line: Range<usize>) -> View {
    let mut bytes = Vec::with_capacity(line.len());
    let mut places = Vec::with_capacity(line.len());
    let mut at = line.start;
    while at < line.end {
        let (byte, length) = escape(&text[at..line.end]).unwrap_or((Some(text[at]), 1));
        if let Some(byte) = byte {
            bytes.push(byte);
            places.push((at, at + length));
        }
        at += length;
    }
    View { bytes, places: Places::Each(places) }
}

/// What the escape at the beginning of `text` stands for, which is nothing for a colour, and how long it is.
fn escape(text: &[u8]) -> Option<(Option<u8>, usize)> {
    let (byte, length) = match text[0] {
        b'%' => (number(text.get(1..3)?, 16)?, 3),
        b'\\' => backslash(text)?,
        b'&' => entity(text)?,
        0x1b => (0x1b, 1),
        _ => return None,
    };
    match colour(&text[length..]) {
        Some(more) if byte == 0x1b => Some((None, length + more)),
        Some(_) | None => Some((Some(byte), length)),
    }
}

/// JSON inside of JSON has its backslashes doubled, once or twice.
fn backslash(text: &[u8]) -> Option<(u8, usize)> {
    let slashes = text.iter().take(4).take_while(|byte| **byte == b'\\').count();
    let (byte, length) = match text.get(slashes)? {
        b'u' if text.get(slashes + 1..slashes + 3)? == b"00" => {
            (number(text.get(slashes + 3..slashes + 5)?, 16)?, 5)
        }
        b'x' => (number(text.get(slashes + 1..slashes + 3)?, 16)?, 3),
        b'0' if text.get(slashes + 1..slashes + 3)? == b"33" => (0x1b, 3),
        b'e' if text.get(slashes + 1)? == &b'[' => (0x1b, 1),
        _ => return None,
    };
    Some((byte, slashes + length))
}

fn entity(text: &[u8]) -> Option<(u8, usize)> {
    let end = text.iter().take(12).position(|byte| *byte == b';')?;
    let byte = match &text[1..end] {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16)?,
        [b'#', digits @ ..] => number(digits, 10)?,
        b"amp" => b'&',
        b"lt" => b'<',
        b"gt" => b'>',
        b"quot" => b'"',
        b"apos" => b'\'',
        _ => return None,
    };
    Some((byte, end + 1))
}

/// How long the rest of a control sequence is, whose escape stands before `text`.
fn colour(text: &[u8]) -> Option<usize> {
    let (b'[', parameters) = text.split_first()? else { return None };
    let length = parameters.iter().take(24).take_while(|byte| b"0123456789;:?".contains(byte)).count();
    parameters.get(length).filter(|last| last.is_ascii_alphabetic()).map(|_| length + 2)
}

fn number(digits: &[u8], radix: u32) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u8::from_str_radix(digits.trim_start_matches('0'), radix).ok().or((digits == "00").then_some(0))
}

#[cfg(test)]
mod tests {
    use super::{lines, undone};

    #[test]
    fn escapes_are_undone_and_colours_left_out() {
        let check = |text: &str, expected: &str| {
            let view = undone(text.as_bytes(), 0..text.len());
            assert_eq!(String::from_utf8_lossy(&view.bytes), expected, "{text}");
        };
        check("a%62c%zz%", "abc%zz%");
        check("\\u0061\\\\u0062\\x63\\n\\u00", "abc\\n\\u00");
        check("&#97;&#x62;&#0099;&amp;&nope;", "abc&&nope;");
        check("g\u{1b}[31mh\u{1b}[0;1mp\\u001b[32m_\\033[0m\u{1b}", "ghp_\u{1b}");
    }

    #[test]
    fn a_place_covers_the_whole_escape() {
        let text = "x%61b\u{1b}[1mc";
        let view = undone(text.as_bytes(), 0..text.len());
        assert_eq!(view.bytes, b"xabc");
        assert_eq!(view.place(1..2), 1..4);
        assert_eq!(view.place(1..4), 1..10);
    }

    #[test]
    fn each_line_is_taken_once() {
        assert_eq!(lines(b"a%20%20\nb\n%20c", 0, &[1, 4, 10]), [0..7, 10..14]);
    }
}
