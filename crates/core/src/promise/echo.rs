//! The brief's own tag lines and their neighbours, to tell a repeated brief from a claim.

use super::lines::Lines;
use super::tag::{contains_literal_tag, starts_with};
use std::collections::{HashMap, HashSet};

/// A tag spread over more lines than this in the brief is not remembered as one.
const MAX_TAG_LINES: usize = 6;

#[derive(Debug, Default)]
pub(super) struct Echo {
    tag_lines: HashMap<String, Neighbours>,
}

#[derive(Debug, Default)]
struct Neighbours {
    before: HashSet<String>,
    after: HashSet<String>,
}

impl Echo {
    pub(super) fn of(brief: &str) -> Echo {
        let mut echo = Echo::default();
        if !contains_literal_tag(brief) {
            return echo;
        }
        let mut lines = Vec::new();
        let mut assembled = Lines::default();
        let mut keep = |text: &str| {
            if !text.trim().is_empty() {
                lines.push(text.trim().to_owned());
            }
        };
        // Through the same cutting as the message, so that over-long lines stay comparable.
        assembled.feed(brief, |line| keep(line.text));
        assembled.finish(|line| keep(line.text));
        for first in 0..lines.len() {
            if let Some(len) = tag_len(&lines[first..]) {
                echo.remember(&lines, first, len);
            }
        }
        echo
    }

    pub(super) fn comes_after(&self, tag_line: &str, before: &str) -> bool {
        self.tag_lines.get(tag_line).is_some_and(|n| n.before.contains(before))
    }

    pub(super) fn comes_before(&self, tag_line: &str, after: &str) -> bool {
        self.tag_lines.get(tag_line).is_some_and(|n| n.after.contains(after))
    }

    fn remember(&mut self, lines: &[String], first: usize, len: usize) {
        let key = lines[first..first + len].join("\n");
        let neighbours = self.tag_lines.entry(key).or_default();
        if let Some(before) = first.checked_sub(1) {
            neighbours.before.insert(lines[before].clone());
        }
        if let Some(after) = lines.get(first + len) {
            neighbours.after.insert(after.clone());
        }
    }
}

/// How many of these lines a tag that opens in the first one takes.
fn tag_len(lines: &[String]) -> Option<usize> {
    if contains_literal_tag(&lines[0]) {
        return Some(1);
    }
    let opens = lines[0].match_indices('<').any(|(at, _)| starts_with(&lines[0][at..], "<promise>"));
    if !opens {
        return None;
    }
    (2..=lines.len().min(MAX_TAG_LINES)).find(|&len| contains_literal_tag(&lines[..len].join("\n")))
}

#[cfg(test)]
mod tests {
    use super::Echo;

    #[test]
    fn a_tag_line_is_known_together_with_either_neighbour() {
        let echo = Echo::of("Do it.\n\n  Then print\n\n<promise>X</promise>\nThanks.");
        assert!(echo.comes_after("<promise>X</promise>", "Then print"));
        assert!(echo.comes_before("<promise>X</promise>", "Thanks."));
        assert!(!echo.comes_after("<promise>X</promise>", "Do it."));
    }

    #[test]
    fn a_tag_over_several_lines_is_one_tag_line() {
        let echo = Echo::of("Print\n<promise>\n\nX\n</promise>\nThanks.");
        assert!(echo.comes_after("<promise>\nX\n</promise>", "Print"));
        assert!(echo.comes_before("<promise>\nX\n</promise>", "Thanks."));
    }
}
