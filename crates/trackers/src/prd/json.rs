//! Where things stand in a JSON text. Only for text that was found to be JSON before: nothing is checked again, and
//! nothing recurses, so that no depth of nesting does any harm.

use std::ops::Range;

/// A member of an object: where its key stands, quotation marks included, and where its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
}

/// The value that begins at or after a place, without the space around it.
pub(super) fn value(bytes: &[u8], at: usize) -> Range<usize> {
    let start = skip_space(bytes, at);
    start..end_of_value(bytes, start)
}

/// The members of the object that begins at a place: all of them, or one more than `most`.
pub(super) fn members(bytes: &[u8], object: usize, most: usize) -> Vec<Member> {
    let mut members = Vec::new();
    let mut at = skip_space(bytes, object + 1);
    while bytes[at] != b'}' && members.len() <= most {
        let key = at..end_of_string(bytes, at);
        let colon = skip_space(bytes, key.end);
        let value = value(bytes, colon + 1);
        at = skip_space(bytes, value.end);
        members.push(Member { key, value });
        if bytes[at] == b',' {
            at = skip_space(bytes, at + 1);
        }
    }
    members
}

/// The elements of the array that begins at a place: all of them, or one more than `most`.
pub(super) fn elements(bytes: &[u8], array: usize, most: usize) -> Vec<Range<usize>> {
    let mut elements = Vec::new();
    let mut at = skip_space(bytes, array + 1);
    while bytes[at] != b']' && elements.len() <= most {
        let element = value(bytes, at);
        at = skip_space(bytes, element.end);
        elements.push(element);
        if bytes[at] == b',' {
            at = skip_space(bytes, at + 1);
        }
    }
    elements
}

fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    at + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).unwrap_or(rest.len())
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', &bytes[at..]).expect("a string has an end");
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
}

fn end_of_value(bytes: &[u8], start: usize) -> usize {
    match bytes[start] {
        b'"' => end_of_string(bytes, start),
        b'{' | b'[' => {
            let (mut depth, mut at) = (0_usize, start);
            loop {
                match bytes[at] {
                    b'"' => {
                        at = end_of_string(bytes, at);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return at;
                }
            }
        }
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
            bytes[start..].iter().position(ends).map_or(bytes.len(), |length| start + length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{elements, members, value};

    #[test]
    fn values_are_found_where_they_stand() {
        let text = br#" { "a\"}" : [1, "]" ,{"b":[]} ], "c":true }"#;
        let all = value(text, 0);
        assert_eq!((all.start, all.end), (1, text.len()));
        let found: Vec<(&[u8], &[u8])> =
            members(text, 1, 9).into_iter().map(|one| (&text[one.key], &text[one.value])).collect();
        assert_eq!(found[0], (br#""a\"}""#.as_slice(), br#"[1, "]" ,{"b":[]} ]"#.as_slice()));
        assert_eq!(found[1], (br#""c""#.as_slice(), b"true".as_slice()));
        let array = members(text, 1, 9)[0].value.start;
        let of_array: Vec<&[u8]> = elements(text, array, 9).into_iter().map(|range| &text[range]).collect();
        assert_eq!(of_array, [b"1".as_slice(), br#""]""#, br#"{"b":[]}"#]);
        assert_eq!(
            (members(text, 1, 0).len(), elements(text, array, 1).len()),
            (1, 2),
            "one more tells that there are more"
        );
        assert!(members(b"{ }", 0, 9).is_empty() && elements(b"[\n]", 0, 9).is_empty());
    }
}
