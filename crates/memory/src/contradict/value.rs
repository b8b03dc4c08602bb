//! What something is called, where it is, and what it is done with.

use std::collections::BTreeSet;

use super::clause::Word;
use super::tables::{has_one, has_one_name};

/// What stands for something that has one name or one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) of: BTreeSet<String>,
    pub(super) is: String,
}

/// `the default branch is main`, `migrations live in db/migrations`.
pub(super) fn value(words: &[Word]) -> Option<Value> {
    called(words).or_else(|| placed(words))
}

fn called(words: &[Word]) -> Option<Value> {
    let copula = words
        .iter()
        .position(|word| ["is", "are", "=", "equals", "defaults"].contains(&word.text.as_str()))?;
    let of: BTreeSet<String> = words[..copula].iter().filter_map(|word| word.stem.clone()).collect();
    let mut right = words[copula + 1..].iter().filter(|word| word.stem.is_some() || word.is_quoted);
    let is = right.next()?;
    if right.next().is_some() {
        return None;
    }
    let any_word = of.iter().any(|stem| has_one(stem)) && !is_quality(&is.text);
    let a_name = of.iter().any(|stem| has_one_name(stem)) && (is.is_name || is.is_quoted);
    (any_word || a_name).then(|| Value { of, is: is.text.clone() })
}

/// Words that say how something is, not what.
fn is_quality(word: &str) -> bool {
    const ENDINGS: [&str; 12] =
        ["ed", "able", "ible", "ing", "ful", "less", "ant", "ent", "ive", "ous", "ory", "ional"];
    const OTHERS: [&str; 16] = [
        "slow",
        "fast",
        "short",
        "long",
        "unknown",
        "empty",
        "wrong",
        "correct",
        "broken",
        "available",
        "same",
        "set",
        "free",
        "unique",
        "ok",
        "stable",
    ];
    ENDINGS.iter().any(|ending| word.ends_with(ending)) || OTHERS.contains(&word)
}

fn placed(words: &[Word]) -> Option<Value> {
    const VERBS: [&str; 12] =
        ["read", "load", "live", "store", "kept", "keep", "defin", "place", "found", "find", "put", "belong"];
    let verb =
        words.iter().position(|word| word.stem.as_deref().is_some_and(|stem| VERBS.contains(&stem)))?;
    let is = words[verb + 1..].iter().find(|word| is_path(word))?;
    let others = words.iter().filter(|word| !is_path(word)).filter_map(|word| word.stem.clone());
    Some(Value { of: others.collect(), is: is.text.trim_end_matches('/').to_owned() })
}

fn is_path(word: &Word) -> bool {
    let text = &word.text;
    !text.contains(' ')
        && (text.contains('/')
            || text
                .rsplit_once('.')
                .is_some_and(|(name, end)| !name.is_empty() && end.chars().any(char::is_alphabetic)))
}

/// The one command by which something is to be done.
pub(super) fn command(words: &[Word]) -> Option<String> {
    let mut quoted = words.iter().enumerate().filter(|(_, word)| word.is_quoted);
    let (at, only) = quoted.next()?;
    if quoted.next().is_some() {
        return None;
    }
    let before = words[..at].iter().rev().take(2).map(|word| word.text.as_str());
    let is_used = before.clone().any(|word| ["use", "uses"].contains(&word));
    let is_with = before.clone().any(|word| ["with", "using", "via", "by"].contains(&word));
    let next = words.get(at + 1).map_or("", |next| next.text.as_str());
    let has_purpose = ["to", "for"].contains(&next);
    let is_line = only.text.contains(' ');
    ((is_used && has_purpose) || (is_with && is_line)).then(|| only.text.clone())
}

/// What a command is without its options and what it is given.
pub(super) fn skeleton(command: &str) -> Vec<&str> {
    command.split_whitespace().filter(|word| !word.starts_with('-')).take(2).collect()
}
