//! JSON in which text was cut inside of a character. JavaScript counts in halves of characters and writes one that is left
//! alone as an escape, which is no text anywhere else.

use serde::de::DeserializeOwned;

/// What stands for a character that is not whole.
const UNKNOWN: &[u8; 6] = b"\\ufffd";

/// As JSON, or else as JSON with every half of a character replaced.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(bytes).or_else(|error| match whole(bytes) {
        Some(bytes) => serde_json::from_slice(&bytes),
        None => Err(error),
    })
}

/// None where every character is whole already.
fn whole(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut made = Vec::with_capacity(bytes.len());
    let (mut rest, mut is_changed) = (bytes, false);
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        made.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let length = match (half(rest), rest.get(6..).and_then(half)) {
            (Some(Half::First), Some(Half::Second)) => 12,
            (Some(_), _) => {
                made.extend_from_slice(UNKNOWN);
                (rest, is_changed) = (&rest[6..], true);
                continue;
            }
            // Whatever it escapes goes with the backslash, another backslash too.
            (None, _) => rest.len().min(2),
        };
        made.extend_from_slice(&rest[..length]);
        rest = &rest[length..];
    }
    made.extend_from_slice(rest);
    is_changed.then_some(made)
}

enum Half {
    First,
    Second,
}

/// The half of a character that is escaped at the beginning of this.
fn half(text: &[u8]) -> Option<Half> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    match digits {
        [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', low @ ..] => {
            is_hex(low).then_some(Half::First)
        }
        [b'd' | b'D', b'c'..=b'f' | b'C'..=b'F', low @ ..] => is_hex(low).then_some(Half::Second),
        _ => None,
    }
}

fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::{read, whole};
    use proptest::prelude::*;
    use serde_json::Value;

    /// What stands in a text, and the units of it as JavaScript counts them.
    const PIECES: [(&str, &[u16]); 12] = [
        ("\\ud83d", &[0xd83d]),
        ("\\uDBFF", &[0xdbff]),
        ("\\ude00", &[0xde00]),
        ("\\uDC00", &[0xdc00]),
        ("\\ud83d\\ude00", &[0xd83d, 0xde00]),
        ("\\u00e9", &[0xe9]),
        ("\\ud7ff", &[0xd7ff]),
        ("\\\\", &[0x5c]),
        ("\\\"", &[0x22]),
        ("u", &[0x75]),
        ("d83d", &[0x64, 0x38, 0x33, 0x64]),
        ("\u{1f600}", &[0xd83d, 0xde00]),
    ];

    #[test]
    fn an_escaped_backslash_is_no_half_of_a_character() {
        assert_eq!(whole(br#""\\ud83d and \\\\udc00""#), None);
        assert_eq!(whole(br#""a \ud83d\ude00 \u0041""#), None);
        assert_eq!(whole(br#""\\\ud83d""#).as_deref(), Some(&br#""\\\ufffd""#[..]));
        assert_eq!(whole(br#""\ud83d\ud83d\ude00""#).as_deref(), Some(&br#""\ufffd\ud83d\ude00""#[..]));
        for cut in [&br#"{"a":"\ud83d"#[..], br#"{"a":"\ud8"#, br"\", br#""\u"#] {
            assert!(read::<Value>(cut).is_err());
        }
    }

    proptest! {
        #[test]
        fn whatever_halves_are_in_it_a_text_is_read_and_whole_characters_stay(
            pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..12)
        ) {
            let text: String = pieces.iter().map(|(written, _)| *written).collect();
            let units: Vec<u16> = pieces.iter().flat_map(|(_, units)| units.iter().copied()).collect();
            let expected = String::from_utf16_lossy(&units);
            let json = format!("{{\"k{text}\":[\"{text}\"]}}");
            let expected = serde_json::json!({ format!("k{expected}"): [expected] });
            prop_assert_eq!(read::<Value>(json.as_bytes()).unwrap(), expected);
        }
    }
}
