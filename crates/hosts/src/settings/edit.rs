//! Putting one thing into a container, and taking one out, with everything else where it was.

use super::tree::{Member, Node, skip};

/// How a file is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) unit: String,
    pub(super) line_end: &'static str,
}

impl Layout {
    /// As the file has it already.
    pub(super) fn of(text: &str, root: &Node) -> Layout {
        let line_end = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let first = root.inside().first().map(|span| &text[..span.start]);
        let before = first.map(|before| &before[before.rfind('\n').map_or(0, |at| at + 1)..]);
        let unit = before.filter(|before| !before.is_empty() && before.trim().is_empty());
        Layout { unit: unit.unwrap_or("  ").to_owned(), line_end }
    }

    pub(super) fn line(&self, depth: usize) -> String {
        format!("{}{}", self.line_end, self.unit.repeat(depth))
    }
}

/// Adds something behind all that is in a container. `line` begins its line.
pub(super) fn append(text: &str, container: &Node, item: &str, line: &str) -> String {
    let Some(last) = container.inside().pop() else {
        let at = container.span.start + 1;
        return format!("{}{item}{}", &text[..at], &text[at..]);
    };
    match comma(text, last.end) {
        Some(comma) => {
            let at = remark_end(text, comma + 1);
            format!("{}{line}{item},{}", &text[..at], &text[at..])
        }
        None => {
            let at = remark_end(text, last.end);
            format!("{},{}{line}{item}{}", &text[..last.end], &text[last.end..at], &text[at..])
        }
    }
}

/// Takes the n-th thing out of a container, with the comma and the whitespace that came with it.
pub(super) fn remove(text: &str, container: &Node, number: usize) -> String {
    let inside = container.inside();
    let own = &inside[number];
    let before = number.checked_sub(1).and_then(|number| inside.get(number));
    let comma_before = before.and_then(|before| comma(text, before.end));
    let from = comma_before.map_or(container.span.start + 1, |comma| comma + 1);
    let lead = lead(text, from, own.start);
    let (before, after) = match (comma(text, own.end), comma_before) {
        (Some(comma), _) => {
            (text[..lead].to_owned(), format!("{}{}", &text[own.end..comma], &text[comma + 1..]))
        }
        (None, Some(comma)) => {
            (format!("{}{}", &text[..comma], &text[comma + 1..lead]), text[own.end..].to_owned())
        }
        (None, None) => (text[..lead].to_owned(), text[own.end..].to_owned()),
    };
    // A remark that ended with its line would swallow what follows.
    let goes_on = !after.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    let space = if goes_on && is_in_remark(text, from, lead) { &text[lead..own.start] } else { "" };
    format!("{before}{space}{after}")
}

/// Whether what stands before a place, with nothing but whitespace and comments since another, is a line's remark.
fn is_in_remark(text: &str, from: usize, at: usize) -> bool {
    let since = &text[from..at];
    !since.is_empty() && skip(&format!("{since}x"), 0).is_ok_and(|end| end > since.len())
}

/// Whether a container was made along with the first thing in it.
pub(super) fn is_made(text: &str, container: &Node) -> bool {
    let first = container.inside().first().cloned();
    first.is_some_and(|first| lead(text, container.span.start + 1, first.start) < first.start)
}

/// Whether nothing but whitespace and commas stands between the things in a container: no remark of a person's.
pub(super) fn is_bare(text: &str, container: &Node) -> bool {
    let inside = container.inside();
    let starts = std::iter::once(container.span.start + 1).chain(inside.iter().map(|span| span.end));
    let ends = inside.iter().map(|span| span.start).chain([container.span.end - 1]);
    starts
        .zip(ends)
        .all(|(start, end)| text[start..end].trim_matches([' ', '\t', '\r', '\n', ',']).is_empty())
}

/// Whether a remark stands between a key and its value.
pub(super) fn is_remarked(text: &str, member: &Member) -> bool {
    let before = &text[member.span.start..member.value.span.start];
    let key = before.trim_end().strip_suffix(':');
    !key.is_some_and(|key| key.ends_with('"') && serde_json::from_str::<String>(key).is_ok())
}

/// The comma behind a thing, past comments.
fn comma(text: &str, at: usize) -> Option<usize> {
    skip(text, at).ok().filter(|at| text[*at..].starts_with(','))
}

/// Behind what is remarked on the same line.
fn remark_end(text: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        let rest = text[end..].trim_start_matches([' ', '\t']);
        let start = text.len() - rest.len();
        if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or_default();
            return start + line.trim_end_matches('\r').len();
        }
        match rest.strip_prefix("/*").and_then(|inside| inside.find("*/")) {
            Some(length) if !rest[..length + 4].contains('\n') => end = start + length + 4,
            _ => return end,
        }
    }
}

/// Where the whitespace right before something begins, between two places with nothing but whitespace and comments.
fn lead(text: &str, from: usize, to: usize) -> usize {
    let mut begin = from;
    loop {
        let rest = text[begin..to].trim_start_matches([' ', '\t', '\r', '\n']);
        let start = to - rest.len();
        if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or_default();
            begin = start + line.trim_end_matches('\r').len();
        } else if let Some(length) = rest.strip_prefix("/*").and_then(|inside| inside.find("*/")) {
            begin = start + length + 4;
        } else {
            return begin;
        }
    }
}
