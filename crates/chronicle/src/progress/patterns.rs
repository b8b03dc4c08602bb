//! What everybody who works on the code should know: people and agents write it into the file, or an agent states it in
//! its final message.

use std::collections::HashSet;
use std::ops::Range;

use super::Recorded;
use super::layout::{Layout, as_in, insert_block};
use crate::text::one_line;

/// How an agent is asked to state a pattern, and how that is found again.
pub const PATTERN: &str = "Pattern:";

const LONGEST: usize = 300;
/// Of one message.
const MOST: usize = 10;
/// A section with more bytes than this takes no more from messages.
const FULL: usize = 32 * 1024;

const HEADING: &str = "## Codebase patterns\n";
/// What ralph-tui puts into its file.
const PLACEHOLDER: &str = "*Add reusable patterns discovered during development here.*";

/// The patterns that a message states, each on a line of its own that begins with [`PATTERN`].
pub fn stated(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    let mut fenced = false;
    for line in message.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced
            && let Some(pattern) = stated_in(line)
            && known.insert(normal(&pattern))
        {
            found.push(pattern);
        }
    }
    found.truncate(MOST);
    found
}

fn stated_in(line: &str) -> Option<String> {
    let line = line.trim_start_matches(['-', '*', '•', '#', '_', ' ', '\t']);
    let start = line.get(..PATTERN.len())?;
    let rest = line[PATTERN.len()..].trim_matches(['*', '_', ' ', '\t']);
    // What the brief has as an example is no pattern.
    let says_something = !normal(rest).is_empty() && !rest.starts_with(['…', '<']);
    (start.eq_ignore_ascii_case(PATTERN) && says_something).then(|| one_line(rest, LONGEST))
}

/// What stands in the section, without comments.
pub(super) fn text(file: &str) -> String {
    let sections = Layout::of(file).patterns.into_iter().map(|range| {
        let section = without_comments(&file[range]);
        let lines = section.lines().map(str::trim_end).filter(|line| line.trim() != PLACEHOLDER);
        let section = lines.collect::<Vec<_>>().join("\n");
        section[..content_end(&section)].trim().to_owned()
    });
    sections.filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Where what a section says ends: before empty lines, and before the rule that may close it.
fn content_end(section: &str) -> usize {
    let mut content = section.trim_end();
    while let Some(rest) = content.strip_suffix("---").filter(|rest| rest.is_empty() || rest.ends_with('\n'))
    {
        content = rest.trim_end();
    }
    content.len()
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<!--") {
        let Some((_, behind)) = behind.split_once("-->") else { break };
        out.push_str(before);
        rest = behind;
    }
    out + rest
}

/// The file with the patterns that it does not have yet.
pub(super) fn with(file: &str, patterns: &[String]) -> (String, Recorded) {
    let mut recorded = Recorded::default();
    let sections = Layout::of(file).patterns;
    let mut known: HashSet<String> =
        sections.iter().flat_map(|range| file[range.clone()].lines()).map(normal).collect();
    let mut size: usize = sections.iter().map(ExactSizeIterator::len).sum();
    for pattern in patterns {
        let pattern = one_line(pattern, LONGEST);
        if normal(&pattern).is_empty() || !known.insert(normal(&pattern)) {
            continue;
        }
        size += pattern.len() + 3;
        if size > FULL {
            recorded.left_out += 1;
        } else {
            recorded.added.push(pattern);
        }
    }
    if recorded.added.is_empty() {
        return (file.to_owned(), recorded);
    }
    let lines: String = recorded.added.iter().map(|pattern| format!("- {pattern}\n")).collect();
    let file = match sections.first() {
        Some(section) => insert(file, section, &lines),
        None => {
            let at = Layout::of(file).iterations.map_or(file.len(), |section| section.start);
            insert_block(file, at, &format!("{HEADING}\n{lines}"))
        }
    };
    (file, recorded)
}

/// Behind the last line of the section that says something.
fn insert(file: &str, section: &Range<usize>, lines: &str) -> String {
    let content = &file[section.clone()][..content_end(&file[section.clone()])];
    let last = section.start + content.len();
    let rest = &file[last..section.end];
    let at = if content.is_empty() {
        section.start
    } else {
        last + rest.find('\n').map_or(rest.len(), |at| at + 1)
    };
    let is_list = content.lines().last().is_some_and(|last| last.trim_start().starts_with(['-', '*', '+']));
    if !is_list {
        return insert_block(file, at, lines);
    }
    let (before, behind) = file.split_at(at);
    let gap = if before.ends_with('\n') { "" } else { "\n" };
    [before, &as_in(file, &format!("{gap}{lines}")), behind].concat()
}

/// The same for lines that say the same.
fn normal(line: &str) -> String {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "-*+•.;_".contains(c));
    line.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
