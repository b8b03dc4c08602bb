//! What kind of line a line is, after the CommonMark rules that decide whether its text is said or shown.

use super::lines::Line;

/// An indentation this much deeper than its surroundings makes code.
const CODE_INDENT: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block<'a> {
    Blank,
    /// A thematic break.
    Rule,
    /// In a fence, its opening and closing lines included.
    Fenced,
    Indented,
    Quote,
    Text {
        content: &'a str,
        role: Role,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Flow,
    Item,
    Heading,
}

#[derive(Debug, Default)]
pub(super) struct Blocks {
    fence: Option<Fence>,
    /// The column at which the text of the current list item begins; 0 outside lists.
    list_column: usize,
    in_paragraph: bool,
    /// A paragraph in a block quote goes on without its `>`, as Markdown shows it.
    in_quoted_paragraph: bool,
}

#[derive(Debug)]
struct Fence {
    mark: char,
    len: usize,
    /// A closing line is indented less than this.
    close_within: usize,
}

impl Blocks {
    pub(super) fn read<'a>(&mut self, line: Line<'a>) -> Block<'a> {
        let block = self.classify(line);
        self.in_paragraph = match block {
            Block::Text { content, role } => role != Role::Heading && !content.trim().is_empty(),
            Block::Blank | Block::Rule | Block::Fenced | Block::Indented | Block::Quote => false,
        };
        self.in_quoted_paragraph =
            block == Block::Quote && !line.text.trim_matches(['>', ' ', '\t']).is_empty();
        block
    }

    fn classify<'a>(&mut self, line: Line<'a>) -> Block<'a> {
        let start = line.cut_head.unwrap_or(line.text);
        if let Some(fence) = &self.fence {
            if line.cut_head.is_none() && fence.is_closed_by(line.text) {
                self.fence = None;
            }
            return Block::Fenced;
        }
        if start.trim().is_empty() && line.cut_head.is_none() {
            return Block::Blank;
        }
        let indent = columns(start);
        if !self.in_paragraph {
            self.list_column = self.list_column.min(indent);
            if indent >= self.list_column + CODE_INDENT {
                return Block::Indented;
            }
            if is_rule(start) {
                return Block::Rule;
            }
        }
        self.enter(line, start.trim_start(), indent)
    }

    /// Goes through list markers to the text itself.
    fn enter<'a>(&mut self, line: Line<'a>, start: &'a str, indent: usize) -> Block<'a> {
        let (mut rest, mut column, mut role) = (start, indent, Role::Flow);
        while let Some(after) = after_list_marker(rest) {
            role = Role::Item;
            let text = after.trim_start();
            column += rest.len() - text.len();
            self.list_column = column;
            rest = text;
        }
        if rest.starts_with('>') {
            return Block::Quote;
        }
        if let Some(fence) = self.opening_fence(rest, column) {
            self.fence = Some(fence);
            return Block::Fenced;
        }
        if let Some(heading) = after_heading_marker(rest) {
            (rest, role) = (heading, Role::Heading);
        }
        if self.in_quoted_paragraph && role == Role::Flow {
            return Block::Quote;
        }
        let content = if line.cut_head.is_some() { line.text } else { rest };
        Block::Text { content, role }
    }

    fn opening_fence(&self, rest: &str, column: usize) -> Option<Fence> {
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let len = rest.len() - info.len();
        // With a backtick in its info string it is inline code that only looks like a fence.
        if len < 3 || (mark == '`' && info.contains('`')) {
            return None;
        }
        let container = if column >= self.list_column { self.list_column } else { 0 };
        Some(Fence { mark, len, close_within: container + CODE_INDENT })
    }
}

impl Fence {
    fn is_closed_by(&self, line: &str) -> bool {
        let run = line.trim();
        run.len() >= self.len && run.chars().all(|c| c == self.mark) && columns(line) < self.close_within
    }
}

/// The indentation, with tab stops of four.
fn columns(line: &str) -> usize {
    let mut column = 0;
    for c in line.chars() {
        match c {
            ' ' => column += 1,
            '\t' => column += 4 - column % 4,
            _ => break,
        }
    }
    column
}

fn is_rule(line: &str) -> bool {
    let marks: String = line.split_whitespace().collect();
    marks.len() >= 3 && ["-", "*", "_"].iter().any(|mark| marks.replace(mark, "").is_empty())
}

fn after_list_marker(text: &str) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = match digits {
        0 => text.strip_prefix(['-', '+', '*'])?,
        1..=9 => text[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    (after.is_empty() || after.starts_with([' ', '\t'])).then_some(after)
}

fn after_heading_marker(text: &str) -> Option<&str> {
    let after = text.trim_start_matches('#');
    let level = text.len() - after.len();
    ((1..=6).contains(&level) && (after.is_empty() || after.starts_with([' ', '\t'])))
        .then(|| after.trim_start())
}

#[cfg(test)]
mod tests {
    use super::{Block, Blocks, Role};
    use crate::promise::lines::Line;

    /// One letter per line: b(lank), r(ule), f(enced), i(ndented), q(uote), t(ext), l(ist item), h(eading).
    fn check(text: &str, expected: &str) {
        let mut blocks = Blocks::default();
        let kinds: String = text
            .lines()
            .map(|text| match blocks.read(Line { number: 1, text, cut_head: None }) {
                Block::Blank => 'b',
                Block::Rule => 'r',
                Block::Fenced => 'f',
                Block::Indented => 'i',
                Block::Quote => 'q',
                Block::Text { role: Role::Flow, .. } => 't',
                Block::Text { role: Role::Item, .. } => 'l',
                Block::Text { role: Role::Heading, .. } => 'h',
            })
            .collect();
        assert_eq!(kinds, expected, "{text}");
    }

    #[test]
    fn a_fence_closes_only_with_its_own_mark_at_least_as_long_and_bare() {
        check("```\n~~~\n```\nx", "ffft");
        check("````\n```\n`````\nx", "ffft");
        check("```sh\n``` no\n    ```\n```\nx", "fffft");
        check("~~~ a`b\nx\n~~~\nx", "ffft");
        check("```a`b```\nx", "tt");
        check("- ```\n  x\n  ```\nx", "ffft");
        check("1. a\n\n   ```\n   x\n```\nx", "lbffft");
        check("```\nx\n\nx", "ffff");
    }

    #[test]
    fn quotes_lists_headings_and_indented_code_are_told_apart() {
        check("> a\nlazy\n\nx", "qqbt");
        check("- > a", "q");
        check("# a\n    code\n\ttoo\nx", "hiit");
        check("a\n    not code", "tt");
        check("- a\n\n    in the item\n\n        code", "lbtbi");
        check("a\n\n---\n* * *\n12) b\n#c", "tbrrlt");
    }
}
