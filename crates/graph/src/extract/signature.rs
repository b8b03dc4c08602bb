//! How a symbol begins: what stands before its body.

use std::ops::Range;

use tree_sitter::Node;

pub(super) const LONGEST_SIGNATURE: usize = 160;
/// How much may stand before a symbol on its line and still be part of its signature (`export default`, `type`).
const LONGEST_PREFIX: usize = 40;

/// The beginning of a symbol up to its body, on one line.
pub(super) fn signature_of(node: Node<'_>, bytes: &Range<usize>, content: &[u8]) -> String {
    let start = line_start(content, bytes.start);
    let body = body(node).filter(|body| *body > bytes.start);
    let text = content.get(start..body.unwrap_or(bytes.end)).unwrap_or_default();
    let text = &text[..text.len().min(4 * LONGEST_SIGNATURE)];
    let text = String::from_utf8_lossy(text);
    let whole = if body.is_some() { text.as_ref() } else { text.lines().next().unwrap_or_default() };
    let words: Vec<&str> = whole.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.trim_end_matches([' ', '{', ':', ';', '=', ',']).trim_end_matches("=>").trim_end();
    match line.char_indices().nth(LONGEST_SIGNATURE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The beginning of the line where only a few plain words stand before.
fn line_start(content: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(LONGEST_PREFIX);
    let before = &content[from..at];
    let begin = match before.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => from + end + 1,
        None if from == 0 => 0,
        None => return at,
    };
    let is_plain = |byte: &u8| byte.is_ascii_alphabetic() || byte.is_ascii_whitespace();
    if content[begin..at].iter().all(is_plain) { begin } else { at }
}

/// Where the body of a symbol begins, or that of the function it is given.
fn body(node: Node<'_>) -> Option<usize> {
    if let Some(body) = node.child_by_field_name("body") {
        return Some(body.start_byte());
    }
    let mut cursor = node.walk();
    let values = node.named_children(&mut cursor).take(4).filter_map(|child| {
        let value = child.child_by_field_name("value").or_else(|| child.child_by_field_name("right"));
        value.or_else(|| child.child_by_field_name("body").map(|_| child))
    });
    let own = node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"));
    own.into_iter()
        .chain(values)
        .find_map(|value| value.child_by_field_name("body"))
        .map(|body| body.start_byte())
}
