//! HTML that shows text, or hides it, rather than says it.

use super::tag::starts_with;

pub(super) const COMMENT_END: &str = "-->";

const SHOWING_BLOCKS: &[(&str, &str)] =
    &[("<pre", "</pre>"), ("<code", "</code>"), ("<blockquote", "</blockquote>")];

/// What ends the showing block that this line begins with. Elsewhere in a line such an element is taken for text:
/// left open by mistake it would hide the rest of the message.
pub(super) fn shown_until(content: &str) -> Option<&'static str> {
    SHOWING_BLOCKS.iter().find(|(opener, _)| opens(content, opener)).map(|(_, closer)| *closer)
}

/// Just after the closer, if it is there.
pub(super) fn end_of_hidden(text: &str, closer: &str) -> Option<usize> {
    let (at, _) = text.match_indices(['-', '<']).find(|(at, _)| starts_with(&text[*at..], closer))?;
    Some(at + closer.len())
}

fn opens(content: &str, opener: &str) -> bool {
    starts_with(content, opener)
        && content[opener.len()..].starts_with(|c: char| c == '>' || c.is_whitespace())
}
