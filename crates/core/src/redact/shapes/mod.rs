//! The known shapes of keys, as one table: what starts one, what may stand before it, and what the whole looks like.
//!
//! A pattern is tried only where one of its triggers stands, anchored there, so it never searches. No pattern may match
//! a line break, a quotation mark or a bracket: a hidden secret must leave the JSON around it whole, and a replacement
//! must never be taken for a secret again.

mod anywhere;
mod builds;
mod clouds;
mod models;
mod talk;
mod work;

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// What may stand before a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::redact) enum Before {
    /// The trigger is telling enough wherever it stands.
    Anything,
    /// The trigger must begin a word: `sk-` but not `task-`.
    WordStart,
    /// The secret begins with the digits before the trigger.
    Digits,
    /// The secret begins this many bytes before the trigger.
    Bytes(usize),
}

/// What the matched text must be besides fitting the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::redact) enum Look {
    Any,
    /// Letters and digits both: not a word, not a number.
    Mixed,
    /// Not words and numbers joined by dashes, and not a call.
    Random,
}

#[derive(Debug)]
pub(in crate::redact) struct Shape {
    pub(in crate::redact) kind: &'static str,
    pub(in crate::redact) triggers: &'static [&'static str],
    pub(in crate::redact) before: Before,
    pub(in crate::redact) look: Look,
    pattern: &'static str,
    compiled: OnceLock<Regex>,
}

impl Shape {
    /// Compiled at the first trigger: most runs never see most shapes.
    pub(in crate::redact) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            RegexBuilder::new(&format!("^(?:{})", self.pattern))
                .unicode(false)
                .build()
                .expect("the pattern of a shape is a constant and compiles in a test")
        })
    }
}

const fn shape(
    kind: &'static str,
    triggers: &'static [&'static str],
    before: Before,
    look: Look,
    pattern: &'static str,
) -> Shape {
    Shape { kind, triggers, before, look, pattern, compiled: OnceLock::new() }
}

/// Distinctive enough wherever it stands.
const fn key(kind: &'static str, triggers: &'static [&'static str], pattern: &'static str) -> Shape {
    shape(kind, triggers, Before::Anything, Look::Any, pattern)
}

/// A prefix that also ends ordinary words, or that random base64 may contain.
const fn word(kind: &'static str, triggers: &'static [&'static str], pattern: &'static str) -> Shape {
    shape(kind, triggers, Before::WordStart, Look::Mixed, pattern)
}

/// Every shape there is. Of two that fit at the same place the longer one counts, then the earlier.
pub(in crate::redact) fn all() -> impl Iterator<Item = &'static Shape> {
    let tables: [&[Shape]; 6] =
        [&models::MODELS, &builds::BUILDS, &clouds::CLOUDS, &talk::TALK, &work::WORK, &anywhere::ANYWHERE];
    tables.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::beginnings::SHORTEST;

    #[test]
    fn every_pattern_compiles_and_every_trigger_is_long_enough() {
        for shape in super::all() {
            assert!(shape.regex().as_str().starts_with('^'), "{}", shape.kind);
            let long_enough = |trigger: &&str| trigger.len() >= SHORTEST;
            assert!(shape.triggers.iter().all(long_enough), "{}", shape.kind);
        }
    }

    #[test]
    fn more_than_a_hundred_kinds_are_known() {
        let kinds: BTreeSet<_> = super::all().map(|shape| shape.kind).collect();
        assert!(kinds.len() > 130, "{}", kinds.len());
    }
}
