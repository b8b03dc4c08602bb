//! Names of things: each its own type with a closed alphabet, so that no id can ever be a path or an option.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// An id with a character outside its alphabet, or of the wrong length.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a {kind}: {rule}")]
pub struct BadId {
    kind: &'static str,
    given: String,
    rule: &'static str,
}

fn checked(kind: &'static str, rule: &'static str, given: &str, legal: bool) -> Result<String, BadId> {
    if legal {
        Ok(given.to_owned())
    } else {
        Err(BadId { kind, given: given.chars().take(80).collect(), rule })
    }
}

fn within(given: &str, longest: usize, legal: impl Fn(u8) -> bool) -> bool {
    (1..=longest).contains(&given.len()) && given.bytes().all(legal)
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $rule:literal, $legal:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(String);

        impl $name {
            pub fn parse(given: &str) -> Result<Self, BadId> {
                let legal: fn(&str) -> bool = $legal;
                checked($kind, $rule, given, legal(given)).map(Self)
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadId;
            fn try_from(given: String) -> Result<Self, BadId> {
                Self::parse(&given)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
    };
}

text_id!(
    /// A run: seconds since the epoch and five random characters, in base 32, so that ids sort by age.
    RunId, "run id", "twelve characters 0-9 a-z", |s| s.len() == RunId::LENGTH
        && within(s, RunId::LENGTH, |b| b.is_ascii_digit() || b.is_ascii_lowercase())
);
text_id!(
    /// A task of a backlog, as its tracker names it; a prompt's task is called `prompt`.
    TaskId, "task id", "1 to 128 letters, digits or any of . _ : # / - , not beginning with - or .",
    |s| within(s, 128, |b| b.is_ascii_alphanumeric() || b"._:#/-".contains(&b)) && !s.starts_with(['-', '.', '/'])
);
text_id!(
    /// A note: seconds since the epoch and nine random characters, in base 32, so that ids sort by age.
    NoteId, "note id", "sixteen characters 0-9 a-z", |s| s.len() == NoteId::LENGTH
        && within(s, NoteId::LENGTH, |b| b.is_ascii_digit() || b.is_ascii_lowercase())
);
text_id!(
    /// A session of a host.
    SessionId, "session id", "1 to 64 letters, digits, _ or -, and not `null` or `undefined`",
    |s| within(s, 64, |b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) && !matches!(s, "null" | "undefined")
);
text_id!(
    /// An agent, as the catalogue names it.
    AgentName, "agent name", "1 to 64 letters, digits, _ or -",
    |s| within(s, 64, |b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) && !s.starts_with('-')
);

/// Digits of an id that are seconds; the others are random.
const TIME: u32 = 7;

impl NoteId {
    const LENGTH: usize = 16;

    pub fn new(at: Timestamp, entropy: u64) -> NoteId {
        NoteId(timed(at, entropy, Self::LENGTH))
    }

    /// The same for the same run and hash, whenever it is asked for: what is put down again after a crash is put down
    /// once. It sorts with the run.
    pub fn in_run(run: &RunId, hash: u64) -> NoteId {
        NoteId::beside(run.as_str(), hash)
    }

    /// The same for the same note and hash: one that was made of it.
    pub fn made_of(note: &NoteId, hash: u64) -> NoteId {
        NoteId::beside(note.as_str(), hash)
    }

    fn beside(id: &str, hash: u64) -> NoteId {
        NoteId(id[..TIME as usize].to_owned() + &base32(hash, Self::LENGTH as u32 - TIME))
    }
}

impl RunId {
    const LENGTH: usize = 12;

    pub fn new(at: Timestamp, entropy: u64) -> RunId {
        RunId(timed(at, entropy, Self::LENGTH))
    }
}

impl TaskId {
    /// The task of a run that was given one prompt.
    pub fn prompt() -> TaskId {
        TaskId("prompt".to_owned())
    }

    /// The name of an entry of a backlog, which cannot be that of a prompt's task.
    pub fn of_backlog(given: &str) -> Result<TaskId, BadId> {
        match TaskId::parse(given)? {
            id if id == TaskId::prompt() => Err(BadId {
                kind: "task id for a backlog",
                given: given.to_owned(),
                rule: "that is what the task of `ralph run \"PROMPT\"` is called",
            }),
            id => Ok(id),
        }
    }
}

fn timed(at: Timestamp, entropy: u64, length: usize) -> String {
    let seconds = at.as_second().max(0).unsigned_abs();
    base32(seconds, TIME) + &base32(entropy, length as u32 - TIME)
}

/// The lowest `digits` digits of `value` in Crockford's alphabet, which has no i, l, o or u.
fn base32(value: u64, digits: u32) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    (0..digits).rev().map(|place| ALPHABET[(value >> (5 * place) & 31) as usize] as char).collect()
}

#[cfg(test)]
mod tests {
    use super::{NoteId, RunId, SessionId, TaskId};
    use crate::Timestamp;

    #[test]
    fn run_ids_sort_by_age_and_survive_parsing() {
        let at = |s| Timestamp::from_second(s).unwrap();
        let older = RunId::new(at(1_700_000_000), u64::MAX);
        let newer = RunId::new(at(1_700_000_001), 0);
        assert!(older < newer);
        assert_eq!(RunId::parse(older.as_str()), Ok(older));
    }

    #[test]
    fn a_note_that_is_made_again_has_the_same_id() {
        let run = RunId::new(Timestamp::from_second(1_700_000_000).unwrap(), 5);
        let note = NoteId::in_run(&run, 7);
        assert_eq!(note, NoteId::new(Timestamp::from_second(1_700_000_000).unwrap(), 7));
        assert_eq!(NoteId::parse(note.as_str()), Ok(note.clone()));
        assert_ne!(NoteId::made_of(&note, 8), NoteId::in_run(&run, 9));
    }

    #[test]
    fn no_id_can_be_a_path_or_an_option() {
        for hostile in
            ["", "..", "../x", "/abs", "a\0b", "-rf", "%2e%2e", "\u{202e}x", "a b", &"x".repeat(4096)]
        {
            assert!(RunId::parse(hostile).is_err(), "run id {hostile:?}");
            assert!(SessionId::parse(hostile).is_err() || hostile == "-rf", "session id {hostile:?}");
            assert!(TaskId::parse(hostile).is_err(), "task id {hostile:?}");
        }
        assert!(SessionId::parse("null").is_err());
    }
}
