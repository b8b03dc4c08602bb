//! What to start, in a form that survives the way to the guard byte for byte.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A program with all it is given. Never run through a shell.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Looked up in `PATH` of `env` when it has no slash; a relative path counts from `dir`.
    #[serde(with = "bytes::path")]
    pub program: PathBuf,
    #[serde(with = "bytes::list")]
    pub args: Vec<OsString>,
    /// The complete environment; only the mark of the run is added to it.
    #[serde(with = "bytes::pairs")]
    pub env: Vec<(OsString, OsString)>,
    #[serde(with = "bytes::path")]
    pub dir: PathBuf,
}

/// Text where the bytes are UTF-8, else an array of numbers: quick and legible, yet lossless.
mod bytes {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStringExt;

    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Text {
        Utf8(String),
        Bytes(Vec<u8>),
    }

    impl From<&OsStr> for Text {
        fn from(text: &OsStr) -> Text {
            match text.to_owned().into_string() {
                Ok(text) => Text::Utf8(text),
                Err(text) => Text::Bytes(text.into_vec()),
            }
        }
    }

    impl From<Text> for OsString {
        fn from(text: Text) -> OsString {
            match text {
                Text::Utf8(text) => text.into(),
                Text::Bytes(bytes) => OsString::from_vec(bytes),
            }
        }
    }

    pub(super) mod path {
        use std::path::{Path, PathBuf};

        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        use super::{OsString, Text};

        pub(in super::super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
            Text::from(path.as_os_str()).serialize(to)
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
            Ok(OsString::from(Text::deserialize(from)?).into())
        }
    }

    pub(super) mod list {
        use serde::{Deserialize, Deserializer, Serializer};

        use super::{OsString, Text};

        pub(in super::super) fn serialize<S: Serializer>(
            list: &[OsString],
            to: S,
        ) -> Result<S::Ok, S::Error> {
            to.collect_seq(list.iter().map(|text| Text::from(text.as_os_str())))
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Vec<OsString>, D::Error> {
            Ok(Vec::<Text>::deserialize(from)?.into_iter().map(OsString::from).collect())
        }
    }

    pub(super) mod pairs {
        use serde::{Deserialize, Deserializer, Serializer};

        use super::{OsString, Text};

        type Pairs = Vec<(OsString, OsString)>;

        pub(in super::super) fn serialize<S: Serializer>(
            pairs: &[(OsString, OsString)],
            to: S,
        ) -> Result<S::Ok, S::Error> {
            to.collect_seq(
                pairs.iter().map(|(key, value)| (Text::from(key.as_os_str()), Text::from(value.as_os_str()))),
            )
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Pairs, D::Error> {
            let pairs = Vec::<(Text, Text)>::deserialize(from)?;
            Ok(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_survive() {
        let odd = OsString::from_vec(vec![b'a', 0xff, b'"']);
        let launch = Launch {
            program: odd.clone().into(),
            args: vec!["plain".into(), odd.clone()],
            env: vec![("KEY".into(), odd.clone())],
            dir: odd.into(),
        };
        let json = serde_json::to_vec(&launch).unwrap();
        assert_eq!(serde_json::from_slice::<Launch>(&json).unwrap(), launch);
    }
}
