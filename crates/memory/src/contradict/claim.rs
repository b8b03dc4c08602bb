//! What a sentence claims: of what, under which conditions, and with which values.

use std::collections::BTreeSet;

use super::clause::{Clause, Word};
use super::number::{Number, numbers};
use super::tables::{choice, chooses, denies, hedges, is_condition, is_place};
use super::value::{Value, command, value};

/// A sentence taken apart.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    /// It says that something is not so.
    pub(super) is_denied: bool,
    /// It says so only of a part.
    pub(super) is_hedged: bool,
    /// Under which it holds.
    pub(super) condition: BTreeSet<String>,
    /// All stems, of what is rejected too: claims that have none in common are about other things.
    pub(super) stems: BTreeSet<String>,
    /// Everything it speaks of, in its order, apart from its condition.
    pub(super) words: Vec<Word>,
    pub(super) numbers: Vec<Number>,
    pub(super) choices: Vec<Chosen>,
    /// What it says that it is not, or no longer.
    pub(super) rejected: BTreeSet<String>,
    pub(super) command: Option<String>,
    pub(super) value: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) among: usize,
    pub(super) what: String,
}

impl Claim {
    /// Nothing where it is told how things were.
    pub(super) fn of(clause: &Clause) -> Option<Claim> {
        if is_past(&clause.words) {
            return None;
        }
        let (kept, rejected) = without_rejected(&clause.words);
        let (words, condition) = conditioned(&kept);
        let denials =
            words.iter().enumerate().filter(|(at, word)| denies(&word.text) && !is_idle(&words, *at));
        Some(Claim {
            is_denied: denials.count() % 2 == 1,
            is_hedged: words.iter().any(|word| hedges(&word.text)),
            numbers: numbers(&words),
            choices: choices(&words),
            rejected,
            stems: clause.words.iter().filter_map(|word| word.stem.clone()).collect(),
            command: command(&words),
            value: value(&words),
            condition,
            words,
        })
    }

    /// What it is about, without the verbs of choosing and without what `is_left_out`.
    pub(super) fn subject(&self, is_left_out: impl Fn(usize, &Word) -> bool) -> BTreeSet<&str> {
        let about = self.words.iter().enumerate().filter(|(at, word)| !is_left_out(*at, word));
        about
            .filter(|(_, word)| !denies(&word.text))
            .filter_map(|(_, word)| word.stem.as_deref())
            .filter(|stem| !chooses(stem))
            .collect()
    }

    /// All that it speaks of, verbs too, in its order.
    pub(super) fn everything(&self) -> Vec<&str> {
        let said = self.words.iter().filter(|word| !denies(&word.text));
        said.filter_map(|word| word.stem.as_deref()).collect()
    }
}

const BYGONE: [&str; 9] =
    ["was", "were", "had", "did", "previously", "formerly", "originally", "once", "historically"];
/// After which a past is about now.
const RESOLVED: [&str; 12] = [
    "decided", "chosen", "switched", "moved", "migrated", "changed", "replaced", "set", "raised", "lowered",
    "renamed", "upgraded",
];

fn is_past(words: &[Word]) -> bool {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.text.as_str()));
    let used_to =
        words.windows(2).any(|two| two[0].text == "used" && two[1].text == "to" && !two[0].is_set_off);
    let is_passive = words
        .windows(2)
        .any(|two| two[1].text == "used" && ["is", "are", "be"].contains(&two[0].text.as_str()));
    (has(&BYGONE) && !has(&RESOLVED)) || (used_to && !is_passive)
}

/// Without what is named only to say that it is not that: `, not X`, `instead of X`, `from X to`.
fn without_rejected(words: &[Word]) -> (Vec<Word>, BTreeSet<String>) {
    let mut kept: Vec<Word> = Vec::new();
    let mut rejected = BTreeSet::new();
    let mut at = 0;
    while at < words.len() {
        match end_of_rejected(words, at, kept.last()) {
            Some(end) => {
                rejected.extend(words[at..end].iter().filter_map(|word| word.stem.clone()));
                at = end;
            }
            None => {
                kept.push(words[at].clone());
                at += 1;
            }
        }
    }
    (kept, rejected)
}

/// Where what is rejected ends, if it begins here.
fn end_of_rejected(words: &[Word], at: usize, last: Option<&Word>) -> Option<usize> {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    if text(at) == "from" {
        return (at + 2..=at + 3).find(|to| text(*to) == "to");
    }
    let last = last?;
    let is_contrast =
        text(at) == "not" && (words[at].is_set_off || ["but", "and"].contains(&last.text.as_str()));
    let is_instead = matches!((text(at), text(at + 1)), ("instead", "of") | ("rather", "than"));
    let end = || (at + 1..words.len()).find(|at| words[*at].is_set_off).unwrap_or(words.len());
    (is_contrast || is_instead).then(end)
}

/// `not only`, `no matter`: words of denial that deny nothing.
fn is_idle(words: &[Word], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |word| word.text.as_str());
    ["only", "just", "matter", "doubt"].contains(&next)
}

/// What is said, and under which condition.
fn conditioned(words: &[Word]) -> (Vec<Word>, BTreeSet<String>) {
    let mut kept = Vec::new();
    let mut condition = BTreeSet::new();
    let mut at = 0;
    while at < words.len() {
        let word = &words[at];
        let is_where = ["in", "on", "under", "during", "inside"].contains(&word.text.as_str());
        let place = (at + 1..at + 3).find(|at| words.get(*at).is_some_and(|word| is_place(&word.text)));
        let skips_only_articles =
            place.is_some_and(|place| words[at + 1..place].iter().all(|word| word.stem.is_none()));
        if is_where && let (Some(place), true) = (place, skips_only_articles) {
            condition.extend(words[place].stem.clone().or_else(|| Some(words[place].text.clone())));
            at = place + 1;
        } else if is_condition(&word.text) {
            let end = (at + 1..words.len()).find(|at| words[*at].is_set_off).unwrap_or(words.len());
            condition.insert(word.text.clone());
            condition.extend(words[at + 1..end].iter().filter_map(|word| word.stem.clone()));
            at = end;
        } else if ["locally", "remotely"].contains(&word.text.as_str()) {
            condition.insert(word.text.clone());
            at += 1;
        } else {
            kept.push(word.clone());
            at += 1;
        }
    }
    (kept, condition)
}

/// What is chosen. Where two of a kind are, neither excludes others.
fn choices(words: &[Word]) -> Vec<Chosen> {
    let mut found: Vec<Chosen> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(stem) = word.stem.as_deref() else { continue };
        let stem = if choice(stem).is_some() { stem } else { word.text.as_str() };
        if let Some(among) = choice(stem).filter(|_| is_chosen(words, at)) {
            found.push(Chosen { among, what: stem.to_owned() });
        }
    }
    let count = |among: usize| found.iter().filter(|one| one.among == among).count();
    found.iter().filter(|one| count(one.among) == 1).cloned().collect()
}

/// It stands where what is chosen stands, and does not merely say more about the next word.
fn is_chosen(words: &[Word], at: usize) -> bool {
    const BEFORE: [&str; 26] = [
        "use", "uses", "using", "used", "is", "are", "on", "with", "in", "to", "as", "by", "requires",
        "needs", "need", "require", "prefer", "prefers", "chose", "chosen", "run", "runs", "choose", "adopt",
        "adopted", "be",
    ];
    const KINDS: [&str; 10] = [
        "database", "server", "instance", "manager", "cluster", "format", "files", "queries", "backend",
        "runner",
    ];
    let before = words[..at].iter().rev().take(2).any(|word| BEFORE.contains(&word.text.as_str()));
    let next = words.get(at + 1);
    let ends = next.is_none_or(|next| {
        next.is_set_off
            || next.stem.is_none()
            || KINDS.contains(&next.text.as_str())
            || next.text.starts_with(|c: char| c.is_ascii_digit())
            || ["is", "are", "now", "instead"].contains(&next.text.as_str())
    });
    let is_subject = at <= 1 && next.is_some_and(|next| next.text == "is");
    ends && (before || is_subject)
}
