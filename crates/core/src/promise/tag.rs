//! Where the tag's parts stand in a line.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Open,
    Close,
    /// An opening tag with attributes or spaces.
    BrokenOpen,
    CommentOpen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) part: Part,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The first part at or after `from`.
pub(super) fn next_part(text: &str, from: usize) -> Option<Found> {
    text[from..].match_indices('<').find_map(|(at, _)| {
        let start = from + at;
        let (part, len) = part_at(&text[start..])?;
        Some(Found { part, start, end: start + len })
    })
}

/// The words of all tags that open and close in this text, without regard to where they stand.
pub(super) fn whole_tags(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(open) = next_part(text, from) {
            from = open.end;
            if let Some(close) = closing(text, open) {
                from = close.end;
                return Some(&text[open.end..close.start]);
            }
        }
        None
    })
}

/// The closing tag, if it is the very next part and `open` an opening one.
pub(super) fn closing(text: &str, open: Found) -> Option<Found> {
    if open.part != Part::Open {
        return None;
    }
    // A word never has an angle bracket, so looking no further than the next one keeps the time linear.
    let start = open.end + text[open.end..].find('<')?;
    let (part, len) = part_at(&text[start..])?;
    (part == Part::Close).then_some(Found { part, start, end: start + len })
}

/// Whether a prompt or template writes the whole tag, so that its echo could be taken for a claim.
pub fn contains_literal_tag(text: &str) -> bool {
    whole_tags(text).next().is_some()
}

fn part_at(text: &str) -> Option<(Part, usize)> {
    if text.starts_with("<!--") {
        return Some((Part::CommentOpen, 4));
    }
    if starts_with(text, "</promise>") {
        return Some((Part::Close, "</promise>".len()));
    }
    if !starts_with(text, "<promise") {
        return None;
    }
    let after = &text["<promise".len()..];
    if after.starts_with('>') {
        return Some((Part::Open, "<promise>".len()));
    }
    if !after.starts_with(|c: char| c.is_whitespace() || c == '/') {
        return None;
    }
    let end = after.find(['<', '>'])?;
    after[end..].starts_with('>').then_some((Part::BrokenOpen, "<promise".len() + end + 1))
}

pub(super) fn starts_with(text: &str, prefix: &str) -> bool {
    text.as_bytes().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{contains_literal_tag, whole_tags};

    #[test]
    fn only_a_whole_tag_is_a_literal_tag() {
        assert!(contains_literal_tag("print <Promise>{{promise}}</PROMISE> at the end"));
        assert!(contains_literal_tag("<promise>\nDONE\n</promise>"));
        assert!(!contains_literal_tag("wrap DONE in `<promise>`"));
        assert!(!contains_literal_tag("<promise>DONE</promises>"));
        assert!(!contains_literal_tag("<promise id=1>DONE</promise>"));
        assert!(!contains_literal_tag("</promise>DONE<promise>"));
    }

    #[test]
    fn the_innermost_of_nested_tags_is_whole() {
        assert_eq!(
            whole_tags("<promise>a<promise>b</promise><promise>c</promise>").collect::<Vec<_>>(),
            ["b", "c"]
        );
    }
}
