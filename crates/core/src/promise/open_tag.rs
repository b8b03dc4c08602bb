//! A tag whose end has not come yet. It may lie some lines ahead.

use super::blocks::Role;
use super::lines::Line;
use super::tag::starts_with;
use std::borrow::Cow;

/// Longer than any word, so that what is cut off never equals one.
const MAX_CONTENT: usize = 2048;
/// Tag lines longer than this are no longer compared with the brief's.
const MAX_TAG_LINES: usize = 16 * 1024;

#[derive(Debug)]
pub(super) struct OpenTag {
    /// The line it opened on.
    pub(super) line: u64,
    pub(super) depth: usize,
    pub(super) nested: bool,
    /// What it holds so far, lines joined, without whitespace around.
    pub(super) content: String,
    /// A blank line came after the word: now only the closing tag may follow.
    blank_after_word: bool,
    start: usize,
    earlier: Option<Earlier>,
}

/// What the lines before the current one leave behind.
#[derive(Debug)]
struct Earlier {
    before_tag: String,
    line_before: String,
    lines: String,
}

impl OpenTag {
    /// A tag that opened at `start` of the current line's content.
    pub(super) fn at(line: u64, start: usize) -> OpenTag {
        OpenTag {
            line,
            depth: 1,
            nested: false,
            content: String::new(),
            blank_after_word: false,
            start,
            earlier: None,
        }
    }

    pub(super) fn hold(&mut self, piece: &str) {
        let piece = piece.trim_matches(|c: char| c.is_ascii_whitespace());
        if piece.is_empty() || self.content.len() >= MAX_CONTENT {
            return;
        }
        if !self.content.is_empty() {
            self.content.push('\n');
        }
        let room = MAX_CONTENT - self.content.len();
        self.content.push_str(&piece[..piece.floor_char_boundary(room)]);
    }

    pub(super) fn meet_blank_line(&mut self) {
        self.blank_after_word = !self.content.is_empty();
    }

    /// Whether the next line of text can still belong to the tag.
    pub(super) fn goes_on_in(&self, content: &str, role: Role) -> bool {
        role == Role::Flow && (!self.blank_after_word || starts_with(content, "</promise>"))
    }

    pub(super) fn end_line(&mut self, line: Line<'_>, content: &str, line_before: &str) {
        let start = self.start;
        let earlier = self.earlier.get_or_insert_with(|| Earlier {
            before_tag: content[..start].to_owned(),
            line_before: line_before.to_owned(),
            lines: String::new(),
        });
        if earlier.lines.len() < MAX_TAG_LINES {
            if !earlier.lines.is_empty() {
                earlier.lines.push('\n');
            }
            earlier.lines.push_str(line.text.trim());
        }
    }

    /// What stands before the tag on the line it opened on; `content` is the current line's.
    pub(super) fn before<'a>(&'a self, content: &'a str) -> &'a str {
        self.earlier.as_ref().map_or_else(|| &content[..self.start], |e| e.before_tag.as_str())
    }

    pub(super) fn line_before<'a>(&'a self, previous: &'a str) -> &'a str {
        self.earlier.as_ref().map_or(previous, |e| &e.line_before)
    }

    /// The line the tag stands on, or its lines joined.
    pub(super) fn tag_line<'a>(&self, line: Line<'a>) -> Cow<'a, str> {
        match &self.earlier {
            None => Cow::Borrowed(line.text.trim()),
            Some(earlier) => Cow::Owned(format!("{}\n{}", earlier.lines, line.text.trim())),
        }
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        let earlier = self.earlier.as_ref();
        self.content.capacity()
            + earlier.map_or(0, |e| e.before_tag.capacity() + e.line_before.capacity() + e.lines.capacity())
    }
}
