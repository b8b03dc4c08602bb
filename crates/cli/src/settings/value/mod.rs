//! How single values are spelled. Strict on purpose: a loop once ran 6,239 iterations because `0` was
//! taken for "no limit", so nothing here rounds, trims, guesses or falls back.

pub(crate) mod command;
pub(crate) mod cost;
pub(crate) mod count;
pub(crate) mod duration;
pub(crate) mod plain;
pub(crate) mod sandbox;
pub(crate) mod size;

use ralph_core::nearest::shortened;

use super::raw::Raw;

/// Why a value is not taken and what would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) what: String,
    pub(crate) hints: Vec<String>,
}

impl Refused {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Refused {
        Refused { what: cut(what.into()), hints: vec![cut(hint.into())] }
    }

    pub(crate) fn kind(raw: &Raw, expected: &str) -> Refused {
        Refused::new(format!("expected {expected}, found {}", raw.kind()), format!("write {expected}"))
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Refused {
        self.hints.push(hint.into());
        self
    }
}

/// A number of a million digits is repeated only in part.
fn cut(text: String) -> String {
    const LONGEST: usize = 400;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How to ask for what an impossible value was meant to ask for.
pub(crate) const UNLIMITED: &str = "for a run without a limit on iterations, say `--unlimited` together with one of \
     --max-duration, --max-tokens, --max-cost-usd";

/// The refusal of a text that is no number, duration, amount or size at all.
pub(crate) fn unreadable(text: &str, expected: &str) -> Refused {
    let what = match text {
        "" => "the value is empty".to_owned(),
        text => format!("`{}` is not {}", shortened(text), article(expected)),
    };
    Refused::new(what, format!("write {expected}"))
}

/// Just the first few words of a rule: "a whole number" of "a whole number from 1 to 10".
fn article(expected: &str) -> &str {
    expected.split(" from ").next().unwrap_or(expected).split(" such as ").next().unwrap_or(expected)
}

/// Whether the text is one of the ways people spell "no limit".
pub(crate) fn wishes_no_limit(text: &str) -> bool {
    const WISHES: [&str; 16] = [
        "none",
        "null",
        "nil",
        "inf",
        "infinite",
        "infinity",
        "unlimited",
        "never",
        "no",
        "off",
        "false",
        "max",
        "nan",
        "0",
        "∞",
        "forever",
    ];
    let text = text.trim().to_lowercase();
    WISHES.contains(&text.trim_start_matches(['-', '+']))
        || text.parse::<f64>().is_ok_and(|n| n <= 0.0 || !n.is_finite())
}

/// Digits with single underscores between them, as TOML has them: no sign, no leading zero.
pub(crate) fn digits(text: &str) -> Option<String> {
    let groups: Vec<&str> = text.split('_').collect();
    let plain = groups.iter().all(|g| !g.is_empty() && g.bytes().all(|b| b.is_ascii_digit()));
    let leading_zero = text.len() > 1 && text.starts_with('0');
    (plain && !leading_zero).then(|| groups.concat())
}

#[cfg(test)]
mod tests {
    use super::{digits, wishes_no_limit};

    #[test]
    fn digits_are_digits() {
        assert_eq!(digits("1_000").as_deref(), Some("1000"));
        assert_eq!(digits("0").as_deref(), Some("0"));
        for wrong in ["", "_1", "1_", "1__0", "007", "+3", "-3", "3.5", "1e9", "0x10", " 3", "3 ", "٣"] {
            assert_eq!(digits(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn wishes_are_understood() {
        for wish in ["none", "INF", "-inf", "unlimited", "0", "-1", "00", "nan", " 0 ", "-0.0"] {
            assert!(wishes_no_limit(wish), "{wish:?}");
        }
        for other in ["3", "3.5", "ten", ""] {
            assert!(!wishes_no_limit(other), "{other:?}");
        }
    }
}
