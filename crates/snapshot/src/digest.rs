//! What content is called: the BLAKE3 of its bytes, as `b3sum` prints it.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Stands where there is no content, as with a pipe.
    pub(crate) const NONE: Digest = Digest([0; 32]);

    pub fn of(bytes: &[u8]) -> Digest {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> Digest {
        Digest(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn push_hex(self, text: &mut Vec<u8>) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for byte in self.0 {
            text.push(DIGITS[usize::from(byte >> 4)]);
            text.push(DIGITS[usize::from(byte & 15)]);
        }
    }

    pub(crate) fn from_hex(text: &[u8]) -> Option<Digest> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        if text.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Digest(bytes))
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Digest {
        Digest(*hash.as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}

macro_rules! named_digest {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) Digest);

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }

        impl FromStr for $name {
            type Err = NotADigest;

            fn from_str(text: &str) -> Result<$name, NotADigest> {
                Digest::from_hex(text.as_bytes()).map($name).ok_or(NotADigest($what))
            }
        }
    };
}

named_digest!(
    /// A snapshot. The same tree under the same rules always has the same one.
    SnapshotId,
    "a snapshot"
);
named_digest!(
    /// What a tree held, whenever it was looked at.
    TreeHash,
    "a tree"
);

#[derive(Debug, thiserror::Error)]
#[error("{0} is named by 64 lower-case hexadecimal digits")]
pub struct NotADigest(&'static str);

#[cfg(test)]
mod tests {
    use super::{Digest, SnapshotId};

    #[test]
    fn a_digest_is_read_back_as_it_is_shown() {
        let digest = Digest::of(b"x");
        assert_eq!(Digest::from_hex(digest.to_string().as_bytes()), Some(digest));
        assert_eq!(digest.to_string().parse::<SnapshotId>().unwrap(), SnapshotId(digest));
        let mut hex = Vec::new();
        digest.push_hex(&mut hex);
        assert_eq!(hex, digest.to_string().as_bytes());
        for wrong in ["", "0", &"g".repeat(64), &"A".repeat(64), &"0".repeat(65)] {
            assert!(wrong.parse::<SnapshotId>().is_err(), "{wrong}");
        }
    }
}
