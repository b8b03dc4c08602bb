//! A name for a failure that is the same whenever the failure is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// 128 bits, written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// Of the parts in their order; no two lists of parts are the same bytes.
    pub fn of(parts: &[&str]) -> Fingerprint {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Fingerprint(short)
    }

    /// The name of the `number`th of several that cannot be told apart otherwise; the first keeps the plain name.
    pub(crate) fn numbered(self, number: u32) -> Fingerprint {
        match number {
            0 => self,
            _ => Fingerprint::of(&[&self.to_string(), &number.to_string()]),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Text that is not 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAFingerprint(pub String);

impl fmt::Display for NotAFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not 32 hexadecimal digits", self.0)
    }
}

impl std::error::Error for NotAFingerprint {}

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;

    fn from_str(text: &str) -> Result<Fingerprint, NotAFingerprint> {
        let wrong = || NotAFingerprint(text.to_owned());
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| wrong())?;
        Ok(Fingerprint(number.to_be_bytes()))
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> String {
        fingerprint.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = NotAFingerprint;

    fn try_from(text: String) -> Result<Fingerprint, NotAFingerprint> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn it_is_read_back_as_written() {
        let one = Fingerprint::of(&["a", "b"]);
        assert_eq!(one.to_string().parse(), Ok(one));
        assert_eq!(serde_json::from_str::<Fingerprint>(&serde_json::to_string(&one).unwrap()).unwrap(), one);
        for wrong in ["", "00", &"g".repeat(32), &"+".repeat(32), &"0".repeat(33)] {
            assert!(wrong.parse::<Fingerprint>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(Fingerprint::of(&["ab", "c"]), Fingerprint::of(&["a", "bc"]));
        assert_ne!(Fingerprint::of(&["a"]), Fingerprint::of(&["a", ""]));
    }
}
