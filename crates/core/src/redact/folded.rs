//! Lines that one long token was broken into: each as wide as the programs that do so make them, with nothing else in it.

use std::ops::Range;

use super::view::{Places, View};

/// What `base64`, `openssl`, `gpg`, `xxd` and `fold` break at.
const WIDTHS: [usize; 5] = [60, 64, 72, 76, 80];

/// Every block of such lines in `text[from..]`, joined, together with what the line after it begins with.
pub(super) fn blocks(text: &[u8], from: usize) -> Vec<View> {
    let mut blocks = Vec::new();
    let mut at = line_start(text, from);
    while let Some(newline) = memchr::memchr(b'\n', &text[at..]) {
        let end = at + newline + 1;
        at = match full(&text[at..end]) {
            Some(width) => block(text, at, width, end - at, &mut blocks),
            None => end,
        };
    }
    blocks
}

/// Where the lines before `end` that may be the beginning of a block start; `end` itself if the last is none.
pub(super) fn unsettled(text: &[u8], from: usize, end: usize) -> usize {
    let first = line_start(&text[..end], from);
    let mut at = end;
    while at > first {
        let start = memchr::memrchr(b'\n', &text[first..at - 1]).map_or(first, |newline| first + newline + 1);
        if full(&text[start..at]).is_none() {
            break;
        }
        at = start;
    }
    at
}

/// Whether the last line of `text[from..]`, which ends with one, belongs to no such beginning. No line before it is
/// looked at, however many there are.
pub(super) fn is_settled(text: &[u8], from: usize) -> bool {
    let first = line_start(text, from);
    let Some(before) = text.len().checked_sub(1).filter(|before| *before >= first) else { return true };
    let start = memchr::memrchr(b'\n', &text[first..before]).map_or(first, |newline| first + newline + 1);
    full(&text[start..]).is_none()
}

/// Joins the lines from `at` on; returns where the first line starts that is not as wide.
fn block(text: &[u8], at: usize, width: usize, pitch: usize, blocks: &mut Vec<View>) -> usize {
    let line = |start: usize| -> Option<Range<usize>> {
        let line = text.get(start..start + pitch)?;
        (line.ends_with(b"\n") && full(line) == Some(width)).then_some(start..start + width)
    };
    let mut bytes = Vec::new();
    let mut next = at;
    while let Some(line) = line(next) {
        bytes.extend_from_slice(&text[line]);
        next += pitch;
    }
    // What begins an armoured key goes on with nothing, and must be there to be recognised by.
    let is_armour = text[next..].starts_with(b"-----");
    let goes_on = text[next..].iter().take(width).take_while(|byte| !is_armour && of_token(**byte));
    let after = goes_on.count();
    bytes.extend_from_slice(&text[next..next + after]);
    if bytes.len() > width {
        blocks.push(View { bytes, places: Places::Lines { start: at, width, pitch } });
    }
    next.max(at + pitch)
}

/// The width of `line` if it is broken by a program: without its line break.
fn full(line: &[u8]) -> Option<usize> {
    let line = line.strip_suffix(b"\n")?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let broken = WIDTHS.contains(&line.len()) && line.iter().all(|byte| of_token(*byte));
    broken.then_some(line.len())
}

fn of_token(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`<>()[]{}\\|".contains(&byte)
}

/// `from`, or the start of the next line if it is in the middle of one.
fn line_start(text: &[u8], from: usize) -> usize {
    if from == 0 || text[from - 1] == b'\n' {
        return from;
    }
    memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |newline| from + newline + 1)
}

#[cfg(test)]
mod tests {
    use super::{blocks, is_settled, unsettled};

    fn lines(width: usize, count: usize, end: &str) -> String {
        format!("{}{end}", format!("{}\n", "x".repeat(width)).repeat(count))
    }

    #[test]
    fn lines_of_one_width_are_joined_with_what_follows() {
        let text = format!("prose first\n{}", lines(64, 2, "yyy zzz\nmore prose\n"));
        let found = blocks(text.as_bytes(), 0);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].bytes, format!("{}yyy", "x".repeat(128)).as_bytes());
        assert_eq!(found[0].place(128..131), 12 + 130..12 + 133);
        assert!(blocks(lines(65, 2, "yyy\n").as_bytes(), 0).is_empty());
        assert!(blocks(lines(64, 1, " yyy\n").as_bytes(), 0).is_empty());
        assert!(blocks(lines(64, 1, "-----BEGIN PRIVATE KEY-----\n").as_bytes(), 0).is_empty());
    }

    #[test]
    fn full_lines_at_the_end_wait_for_the_next() {
        let text = format!("prose\n{}", lines(76, 2, ""));
        assert_eq!(unsettled(text.as_bytes(), 0, text.len()), 6);
        assert!(!is_settled(text.as_bytes(), 0) && !is_settled(text.as_bytes(), 6));
        assert!(is_settled(text.as_bytes(), text.len() - 40), "its beginning is out");
        let text = format!("{text}short\n");
        assert_eq!(unsettled(text.as_bytes(), 0, text.len()), text.len());
        assert!(is_settled(text.as_bytes(), 0));
    }
}
