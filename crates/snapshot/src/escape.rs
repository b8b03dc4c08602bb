//! Names as one word of printable ASCII, in the form that `printf %b` of any POSIX shell turns back.

/// What stands for itself. No space, no backslash, no quote, no percent sign.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-+,@=:/~".contains(&byte)
}

pub(crate) fn push_escaped(name: &[u8], text: &mut Vec<u8>) {
    for &byte in name {
        if is_plain(byte) {
            text.push(byte);
        } else {
            text.extend([b'\\', b'0', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]);
        }
    }
}

pub(crate) fn escaped(name: &[u8]) -> String {
    let mut text = Vec::with_capacity(name.len());
    push_escaped(name, &mut text);
    String::from_utf8(text).expect("an escaped name is ASCII")
}

pub(crate) fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match (byte, after) {
            (b'\\', [b'0', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                name.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                after
            }
            _ if is_plain(byte) => {
                name.push(byte);
                after
            }
            _ => return None,
        };
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::{escaped, unescaped};

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (1..=255).collect();
        assert_eq!(unescaped(escaped(&all).as_bytes()), Some(all));
        assert_eq!(escaped(b"a b\n\\%"), "a\\0040b\\0012\\0134\\0045");
        for wrong in ["a b", "\\", "\\012", "\\0400", "\\0x00", "\u{e9}"] {
            assert_eq!(unescaped(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
