//! Numbers in a claim, with what they count.

use std::collections::BTreeSet;

use super::clause::Word;
use super::tables::{chooses, is_passing, is_unit};

/// A number, and the words beside it that say of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: String,
    pub(super) labels: BTreeSet<String>,
    unit: Option<String>,
    bound: Bound,
    /// Where it stands.
    pub(super) at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exactly,
    AtLeast,
    AtMost,
}

/// Words before a number among which one says what it is.
const BEFORE: usize = 3;
/// With more of them it is a listing.
const MOST: usize = 2;

pub(super) fn numbers(words: &[Word]) -> Vec<Number> {
    let found: Vec<Number> = (0..words.len()).filter_map(|at| number(words, at)).collect();
    if found.len() > MOST { Vec::new() } else { found }
}

impl Number {
    /// Whether both are of the same, and cannot both be so.
    pub(super) fn excludes(&self, other: &Number) -> bool {
        self.labels.intersection(&other.labels).next().is_some()
            && self.unit == other.unit
            && !is_part(&self.value, &other.value)
            && !is_part(&other.value, &self.value)
            && match (self.bound, other.bound) {
                (Bound::Exactly, Bound::Exactly)
                | (Bound::AtLeast, Bound::AtLeast)
                | (Bound::AtMost, Bound::AtMost) => true,
                (Bound::AtLeast, Bound::Exactly) | (Bound::Exactly, Bound::AtMost) => is_less(other, self),
                (Bound::Exactly, Bound::AtLeast) | (Bound::AtMost, Bound::Exactly) => is_less(self, other),
                (Bound::AtLeast, Bound::AtMost) | (Bound::AtMost, Bound::AtLeast) => false,
            }
    }
}

/// `3` and `3.11` may be the same version.
fn is_part(shorter: &str, longer: &str) -> bool {
    longer.strip_prefix(shorter).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn is_less(one: &Number, other: &Number) -> bool {
    let parts = |value: &str| -> Vec<u64> { value.split('.').filter_map(|part| part.parse().ok()).collect() };
    parts(&one.value) < parts(&other.value)
}

fn number(words: &[Word], at: usize) -> Option<Number> {
    let word = &words[at];
    if word.is_quoted {
        return None;
    }
    let (own_label, text) = match word.text.rsplit_once(['@', '=', ':']) {
        Some((label, text)) if text.starts_with(|c: char| c.is_ascii_digit()) => (Some(label), text),
        Some(_) | None => (None, word.text.as_str()),
    };
    let (mut bound, text) = bounded(text);
    let (value, own_unit) = value(text)?;
    let mut labels: BTreeSet<String> = BTreeSet::new();
    if let Some(label) = own_label {
        bound = if label.ends_with('>') { Bound::AtLeast } else { bound };
        let label = label.trim_end_matches(['>', '<', '=', '~', '^']);
        labels.extend((!label.is_empty()).then(|| label.to_owned()));
        // An address ends with its port.
        labels.extend((word.text.contains(':') && !word.text.contains('=')).then(|| "port".to_owned()));
    }
    let before = words[..at].iter().rev().take(BEFORE).filter_map(|word| word.stem.as_deref());
    labels.extend(before.filter(|stem| !chooses(stem)).take(1).map(str::to_owned));
    let next = words.get(at + 1).filter(|next| !next.is_set_off).and_then(|next| next.stem.clone());
    let unit = own_unit.or_else(|| next.clone().filter(|next| is_unit(next)));
    labels.extend(next.filter(|next| !is_unit(next)));
    if labels.is_empty() || labels.iter().any(|label| is_passing(label)) {
        return None;
    }
    let bound = said_bound(words, at).unwrap_or(bound);
    Some(Number { value, labels, unit, bound, at })
}

fn bounded(text: &str) -> (Bound, &str) {
    let bound = if text.starts_with('>') || text.ends_with('+') {
        Bound::AtLeast
    } else if text.starts_with('<') {
        Bound::AtMost
    } else {
        Bound::Exactly
    };
    (bound, text.trim_start_matches(['>', '<', '=', '~', '^']).trim_end_matches('+'))
}

/// `at least 18`, `18 or newer`, `up to 5`.
fn said_bound(words: &[Word], at: usize) -> Option<Bound> {
    let before: Vec<&str> = words[..at].iter().rev().take(3).map(|word| word.text.as_str()).collect();
    let after: Vec<&str> = words[at + 1..].iter().take(3).map(|word| word.text.as_str()).collect();
    let more = ["newer", "later", "higher", "above", "more", "up"];
    if before.contains(&"least")
        || before.contains(&"minimum")
        || after.iter().any(|word| more.contains(word))
    {
        return Some(Bound::AtLeast);
    }
    let less = ["most", "maximum", "to", "below", "under", "than"];
    let is_most = before.first().is_some_and(|word| less.contains(word)) && before.get(1) != Some(&"set");
    (is_most && before.first() != Some(&"to") || before.starts_with(&["to", "up"])).then_some(Bound::AtMost)
}

fn value(text: &str) -> Option<(String, Option<String>)> {
    const WORDS: [(&str, &str); 10] = [
        ("two", "2"),
        ("three", "3"),
        ("four", "4"),
        ("five", "5"),
        ("six", "6"),
        ("seven", "7"),
        ("eight", "8"),
        ("nine", "9"),
        ("ten", "10"),
        ("twelve", "12"),
    ];
    if let Some((_, digits)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Some(((*digits).to_owned(), None));
    }
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit()) && (unit.is_empty() || is_unit(unit));
    let digits = digits.replace('_', "").trim_end_matches('.').to_owned();
    is_number.then(|| (digits, (!unit.is_empty()).then(|| unit.to_owned())))
}
