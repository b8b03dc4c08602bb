//! What one line of Markdown is, as far as checklists are concerned.

/// A line taken apart. Columns count tabs up to the next multiple of four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Blank,
    /// The mark of a code fence, how often, and what comes behind it.
    Fence {
        mark: char,
        length: usize,
        info: &'a str,
    },
    Heading {
        level: usize,
        text: &'a str,
    },
    /// The beginning of a list's element, with the column at which its content begins.
    Bullet {
        content: usize,
        checkbox: Option<Checkbox<'a>>,
        text: &'a str,
    },
    Text(&'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checkbox<'a> {
    pub(super) mark: u8,
    /// Where the mark is, in bytes from the beginning of the line.
    pub(super) at: usize,
    pub(super) title: &'a str,
}

/// How far a line is indented, in columns and in bytes.
pub(super) fn indent(line: &str) -> (usize, usize) {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => column += 1,
            b'\t' => column += 4 - column % 4,
            _ => return (column, at),
        }
    }
    (column, line.len())
}

pub(super) fn parse(line: &str) -> Line<'_> {
    let (column, at) = indent(line);
    let rest = &line[at..];
    if rest.trim_end().is_empty() {
        return Line::Blank;
    }
    if let Some(fence) = fence(rest) {
        return fence;
    }
    let level = rest.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&level) && rest[level..].starts_with([' ', '\t']) {
        return Line::Heading { level, text: rest[level..].trim().trim_end_matches('#').trim_end() };
    }
    match marker(rest) {
        None => Line::Text(rest.trim_end()),
        Some(length) => {
            let (space, skipped) = indent(&rest[length..]);
            let text = &rest[length + skipped..];
            Line::Bullet {
                content: column + length + space.clamp(1, 4),
                checkbox: checkbox(text, at + length + skipped),
                text: text.trim_end(),
            }
        }
    }
}

fn fence(rest: &str) -> Option<Line<'_>> {
    let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = rest.chars().take_while(|character| *character == mark).count();
    let info = rest[length..].trim();
    // A line of code in backticks is not a fence.
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Line::Fence { mark, length, info })
}

/// The length of a list's marker, if there is one with a space behind it.
fn marker(rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length = match rest.as_bytes() {
        [b'-' | b'*' | b'+', ..] => 1,
        bytes if (1..=9).contains(&digits) && matches!(bytes.get(digits), Some(b'.' | b')')) => digits + 1,
        _ => return None,
    };
    rest[length..].starts_with([' ', '\t']).then_some(length)
}

/// `[ ] title`; without a title it is no task.
fn checkbox(text: &str, at: usize) -> Option<Checkbox<'_>> {
    let [b'[', mark @ (b' ' | b'x' | b'X' | b'-' | b'~'), b']', b' ' | b'\t', ..] = text.as_bytes() else {
        return None;
    };
    let title = text[4..].trim();
    (!title.is_empty()).then_some(Checkbox { mark: *mark, at: at + 1, title })
}

#[cfg(test)]
mod tests {
    use super::{Checkbox, Line, parse};

    #[test]
    fn lines_are_what_they_look_like() {
        let bullet = |content, text| Line::Bullet { content, checkbox: None, text };
        let boxed = |content, mark, at, title, text| Line::Bullet {
            content,
            checkbox: Some(Checkbox { mark, at, title }),
            text,
        };
        let cases = [
            ("  \t", Line::Blank),
            ("- [ ] a task ", boxed(2, b' ', 3, "a task", "[ ] a task")),
            ("  * [x] done", boxed(4, b'x', 5, "done", "[x] done")),
            ("12) [X] done", boxed(4, b'X', 5, "done", "[X] done")),
            ("\t+ [-] no", boxed(6, b'-', 4, "no", "[-] no")),
            ("- [ ]", bullet(2, "[ ]")),
            ("- [y] what", bullet(2, "[y] what")),
            ("- [](link)", bullet(2, "[](link)")),
            ("-[ ] no space", Line::Text("-[ ] no space")),
            ("## Two ##", Line::Heading { level: 2, text: "Two" }),
            ("#hash", Line::Text("#hash")),
            ("~~~~ sh", Line::Fence { mark: '~', length: 4, info: "sh" }),
            ("```a``` b", Line::Text("```a``` b")),
            ("> - [ ] quoted", Line::Text("> - [ ] quoted")),
            ("1234567890. [ ] x", Line::Text("1234567890. [ ] x")),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line:?}");
        }
    }
}
