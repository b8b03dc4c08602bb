//! The spellings under which one secret value shows up in output: as it is, in JSON, in addresses, in base64, in
//! hexadecimal digits.

use std::fmt::Write as _;

/// A form shorter than this would hide ordinary text.
const SHORTEST: usize = 8;

/// Longer values are looked for in pieces, so that none is longer than what the stream keeps in view.
pub(super) const LONGEST: usize = 4096;

/// Every spelling of `value`, none of them with a line break in it.
pub(super) fn of(value: &str) -> Vec<Vec<u8>> {
    let json = json_escaped(value);
    let json_twice = json_escaped(&json);
    let mut forms: Vec<String> = value.lines().map(|line| line.trim().to_owned()).collect();
    forms.extend([
        json.replace('/', "\\/"),
        ascii_only(&json),
        json,
        json_twice,
        percent_encoded(value, b"-_.~", true),
        percent_encoded(value, b"-_.~", false),
        percent_encoded(value, b"-_.~!'()*", true),
        percent_encoded(value, b"-_.* ", true).replace(' ', "+"),
    ]);
    let digits: String = hex_digits(value.as_bytes()).map(char::from).collect();
    forms.push(digits.to_ascii_uppercase());
    forms.push(digits);
    for offset in 0..3 {
        let encoded: String = base64_inside(value.as_bytes(), offset).map(char::from).collect();
        forms.push(encoded.replace('+', "-").replace('/', "_"));
        forms.push(encoded.replace('/', "\\/"));
        forms.push(encoded);
    }
    forms
        .iter()
        .flat_map(|form| pieces(form))
        .filter(|piece| piece.len() >= SHORTEST)
        .map(|piece| piece.as_bytes().to_vec())
        .collect()
}

/// `text` with its `%xx` undone, when that is text and not the same.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                rest = &tail[2..];
            }
            _ => {
                decoded.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(decoded).ok().filter(|decoded| decoded != text)
}

fn pieces(form: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = form;
    while rest.len() > LONGEST {
        let (piece, tail) = rest.split_at(rest.floor_char_boundary(LONGEST));
        pieces.push(piece);
        rest = tail;
    }
    pieces.push(rest);
    pieces
}

fn json_escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn ascii_only(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            ascii.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(ascii, "\\u{unit:04x}");
        }
    }
    ascii
}

fn percent_encoded(text: &str, plain: &[u8], upper: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            encoded.push(char::from(byte));
        } else if upper {
            let _ = write!(encoded, "%{byte:02X}");
        } else {
            let _ = write!(encoded, "%{byte:02x}");
        }
    }
    encoded
}

/// In lower case.
pub(super) fn hex_digits(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
    bytes.iter().flat_map(move |byte| [digit(byte >> 4), digit(byte & 15)])
}

/// The part of the base64 of `…value…` that depends on `value` alone when it starts at `offset` modulo three.
pub(super) fn base64_inside(value: &[u8], offset: usize) -> impl Iterator<Item = u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // These share a digit with what stands before.
    let shared = (6 - offset * 8 % 6) % 6;
    let digits = (value.len() * 8).saturating_sub(shared) / 6;
    (0..digits).map(move |index| {
        let bit = shared + index * 6;
        let (at, within) = (bit / 8, bit % 8);
        let two = u16::from(value[at]) << 8 | value.get(at + 1).map_or(0, |byte| u16::from(*byte));
        ALPHABET[usize::from(two >> (10 - within) & 63)]
    })
}

#[cfg(test)]
mod tests {
    use super::{of, percent_decoded};

    fn base64_inside(value: &[u8], offset: usize) -> String {
        super::base64_inside(value, offset).map(char::from).collect()
    }

    #[test]
    fn base64_is_found_at_every_offset() {
        // Encodings of "secret!value", "xsecret!valuey" and "xysecret!value" by coreutils.
        assert_eq!(base64_inside(b"secret!value", 0), "c2VjcmV0IXZhbHVl");
        assert!("eHNlY3JldCF2YWx1ZXk=".contains(&base64_inside(b"secret!value", 1)));
        assert!("eHlzZWNyZXQhdmFsdWU=".contains(&base64_inside(b"secret!value", 2)));
        assert!(base64_inside(b"secret!value", 1).len() >= 14);
    }

    #[test]
    fn a_value_has_its_spellings() {
        let forms = of("a\"b/c d\u{e9}\\\nsecond line");
        for expected in [
            "a\"b/c d\u{e9}\\",
            "second line",
            "a\\\"b/c d\u{e9}\\\\\\nsecond line",
            "a\\\"b/c d\\u00e9\\\\\\nsecond line",
            "a\\\\\\\"b/c d\u{e9}\\\\\\\\\\\\nsecond line",
            "a%22b%2Fc%20d%C3%A9%5C%0Asecond%20line",
            "a%22b%2fc%20d%c3%a9%5c%0asecond%20line",
            "a%22b%2Fc+d%C3%A9%5C%0Asecond+line",
        ] {
            assert!(forms.contains(&expected.as_bytes().to_vec()), "{expected}");
        }
    }

    #[test]
    fn percent_signs_are_undone_where_they_mean_something() {
        assert_eq!(percent_decoded("a%40b%zz%"), Some("a@b%zz%".to_owned()));
        assert_eq!(percent_decoded("plain"), None);
    }
}
