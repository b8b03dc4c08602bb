//! Whether two notes say the same, in the same or in nearly the same words.

use std::collections::BTreeSet;

use ralph_core::note::{Draft, Kind, KindName, Observation};

use crate::contradict::{Clause, clauses, contradict};

/// How much of the words of both together has to be in both.
const IN_BOTH: f64 = 0.7;
/// How much of the shorter one has to be in the longer one, if that is not much longer.
const OF_SHORTER: f64 = 0.9;
const NOT_MUCH_LONGER: f64 = 0.6;
/// A shorter text is only like another if it is the same.
const FEWEST: usize = 3;

/// Two failures are alike if their fingerprints are; other notes if nothing that matters differs: no number, no name, no
/// negation.
pub fn alike(one: &Draft, other: &Draft) -> bool {
    match (&one.kind, &other.kind) {
        (Kind::Failure { diff: a, errors: b, .. }, Kind::Failure { diff: c, errors: d, .. }) => {
            (a.is_some() && a == c && b == d) || same_text(one, other)
        }
        (Kind::Failure { .. }, _) | (_, Kind::Failure { .. }) => false,
        (
            Kind::Observation(Observation::Command { command: a }),
            Kind::Observation(Observation::Command { command: b }),
        ) => normal(a) == normal(b) && (same_text(one, other) || nearly(one, other)),
        _ => same_text(one, other) || (is_prose(one) && is_prose(other) && nearly(one, other)),
    }
}

fn same_text(one: &Draft, other: &Draft) -> bool {
    normal(&one.content) == normal(&other.content)
        && (is_plain(one) || normal(&one.title) == normal(&other.title))
}

/// What it says does not depend on its title.
fn is_plain(draft: &Draft) -> bool {
    draft.title.trim().is_empty() || draft.content.split_whitespace().count() >= FEWEST
}

fn is_prose(draft: &Draft) -> bool {
    match draft.kind.name() {
        KindName::ToolUse | KindName::Failure => false,
        KindName::Discovery
        | KindName::Decision
        | KindName::Command
        | KindName::Skill
        | KindName::Pattern
        | KindName::Gotcha => true,
    }
}

/// Without what makes no difference: capitals, spaces, and the marks at the end.
fn normal(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['.', '!', ' ']).to_owned()
}

fn nearly(one: &Draft, other: &Draft) -> bool {
    let (ours, theirs) = (Said::of(one), Said::of(other));
    let differ = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        a.difference(b).next().is_some() && b.difference(a).next().is_some()
    };
    if ours.denials != theirs.denials || differ(&ours.names, &theirs.names) {
        return false;
    }
    let shorter = ours.words.len().min(theirs.words.len());
    let longer = ours.words.len().max(theirs.words.len());
    if shorter < FEWEST {
        return false;
    }
    let both = ours.words.intersection(&theirs.words).count();
    let together = (shorter + longer - both) as f64;
    let is_near = both as f64 / together >= IN_BOTH
        || (both as f64 / shorter as f64 >= OF_SHORTER && shorter as f64 / longer as f64 >= NOT_MUCH_LONGER);
    is_near && contradict(one, other).is_none()
}

/// What counts when two texts are compared.
#[derive(Default)]
struct Said {
    words: BTreeSet<String>,
    /// Numbers, names, commands: what no other word can stand for.
    names: BTreeSet<String>,
    denials: usize,
}

impl Said {
    fn of(draft: &Draft) -> Said {
        let mut said = Said::default();
        for clause in clauses(&draft.content) {
            said.take(&clause);
        }
        said
    }

    fn take(&mut self, clause: &Clause) {
        self.denials += clause.denials();
        for (stem, is_name) in clause.stems() {
            self.words.insert(stem.to_owned());
            if is_name {
                self.names.insert(stem.to_owned());
            }
        }
    }
}
