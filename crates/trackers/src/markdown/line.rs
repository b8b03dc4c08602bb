//! What one line of Markdown is, as far as checklists are concerned.

use std::borrow::Cow;

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
    pub(super) mark: char,
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

/// The line without the first columns of its indentation. A tab that reaches beyond them leaves the rest of its columns.
pub(super) fn dedent(line: &str, columns: usize) -> Cow<'_, str> {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        let next = match byte {
            _ if column >= columns => return Cow::Borrowed(&line[at..]),
            b' ' => column + 1,
            b'\t' => column + 4 - column % 4,
            _ => return Cow::Borrowed(&line[at..]),
        };
        if next > columns {
            return Cow::Owned(" ".repeat(next - columns) + &line[at + 1..]);
        }
        column = next;
    }
    Cow::Borrowed("")
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
        return Line::Heading { level, text: heading(rest[level..].trim()) };
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

/// The text of a heading without the marks that close it, which have a space before them: `# C#` has none.
fn heading(text: &str) -> &str {
    let open = text.trim_end_matches('#');
    if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { text }
}

/// `[ ] title`, with any mark but a digit: `[1]` is a reference. Without a title it is no task.
fn checkbox(text: &str, at: usize) -> Option<Checkbox<'_>> {
    let mut inside = text.strip_prefix('[')?.chars();
    let mark = inside.next().filter(|mark| !mark.is_ascii_digit() && !matches!(mark, '[' | ']'))?;
    let title = inside.as_str().strip_prefix(']').filter(|rest| rest.starts_with([' ', '\t']))?.trim();
    (!title.is_empty()).then_some(Checkbox { mark, at: at + 1, title })
}

#[cfg(test)]
mod tests {
    use super::{Checkbox, Line, dedent, parse};

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
            ("- [ ] a task ", boxed(2, ' ', 3, "a task", "[ ] a task")),
            ("  * [x] done", boxed(4, 'x', 5, "done", "[x] done")),
            ("12) [X] done", boxed(4, 'X', 5, "done", "[X] done")),
            ("\t+ [-] no", boxed(6, '-', 4, "no", "[-] no")),
            ("- [ ]", bullet(2, "[ ]")),
            ("- [y] what", boxed(2, 'y', 3, "what", "[y] what")),
            ("- [✓] done", boxed(2, '✓', 3, "done", "[✓] done")),
            ("- [1] see there", bullet(2, "[1] see there")),
            ("- [a](link) text", bullet(2, "[a](link) text")),
            ("- [ab] text", bullet(2, "[ab] text")),
            ("- [](link)", bullet(2, "[](link)")),
            ("-[ ] no space", Line::Text("-[ ] no space")),
            ("## Two ##", Line::Heading { level: 2, text: "Two" }),
            ("# Learn C#", Line::Heading { level: 1, text: "Learn C#" }),
            ("# C# #", Line::Heading { level: 1, text: "C#" }),
            ("# ##", Line::Heading { level: 1, text: "" }),
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
    #[test]
    fn indentation_goes_by_columns() {
        let cases = [
            ("    code", 2, "  code"),
            ("\tcode", 2, "  code"),
            ("\t\tcode", 4, "\tcode"),
            ("  \tcode", 4, "code"),
            (" x", 4, "x"),
            ("x", 0, "x"),
            ("  ", 4, ""),
            ("\tx", 0, "\tx"),
        ];
        for (line, columns, expected) in cases {
            assert_eq!(dedent(line, columns), expected, "{line:?} by {columns}");
        }
    }
}
