//! Whether two notes say the same, in the same or in nearly the same words.

use std::collections::BTreeSet;

use ralph_core::note::{Draft, Kind, KindName, Observation};

use crate::capture::is_mended;
use crate::contradict::{Claims, Clause, clauses};

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
    Reading::of(one).is_like(&Reading::of(other))
}

/// A note taken apart once, to be compared with many.
pub(crate) struct Reading<'a> {
    draft: &'a Draft,
    title: String,
    content: String,
    said: Said,
    pub(crate) claims: Claims,
}

impl<'a> Reading<'a> {
    pub(crate) fn of(draft: &'a Draft) -> Reading<'a> {
        Reading {
            draft,
            title: normal(&draft.title),
            content: normal(&draft.content),
            said: Said::of(draft),
            claims: Claims::of(draft),
        }
    }

    pub(crate) fn is_like(&self, other: &Reading<'_>) -> bool {
        match (&self.draft.kind, &other.draft.kind) {
            (Kind::Failure { diff: a, errors: b, .. }, Kind::Failure { diff: c, errors: d, .. }) => {
                (a.is_some() && a == c && b == d) || self.is_same(other)
            }
            (Kind::Failure { .. }, _) | (_, Kind::Failure { .. }) => false,
            (
                Kind::Observation(Observation::Command { command: a }),
                Kind::Observation(Observation::Command { command: b }),
            ) => normal(a) == normal(b) && (self.is_same(other) || self.is_near(other)),
            (Kind::Gotcha { triggers: a, .. }, Kind::Gotcha { triggers: b, .. })
                if is_mended(self.draft) && is_mended(other.draft) =>
            {
                // The same thing with the same error: of it there is one way in which it was mended last.
                self.title == other.title && a == b
            }
            _ => {
                let are_prose = is_prose(self.draft) && is_prose(other.draft);
                self.is_same(other) || (are_prose && self.is_near(other))
            }
        }
    }

    fn is_same(&self, other: &Reading<'_>) -> bool {
        // What is short may depend on its title.
        let is_plain = self.title.is_empty() || self.content.split(' ').count() >= FEWEST;
        self.content == other.content && (is_plain || self.title == other.title)
    }

    fn is_near(&self, other: &Reading<'_>) -> bool {
        self.said.is_near(&other.said) && self.claims.conflict(&other.claims).is_none()
    }
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

    fn is_near(&self, other: &Said) -> bool {
        let shorter = self.words.len().min(other.words.len());
        let longer = self.words.len().max(other.words.len());
        if shorter < FEWEST
            || self.denials != other.denials
            || self.has_more_than(other)
            || other.has_more_than(self)
        {
            return false;
        }
        let both = self.words.intersection(&other.words).count();
        let together = (shorter + longer - both) as f64;
        let is_within = both as f64 / shorter as f64 >= OF_SHORTER;
        both as f64 / together >= IN_BOTH || (is_within && shorter as f64 / longer as f64 >= NOT_MUCH_LONGER)
    }

    /// Whether it has a name that the other one does not have: it would be lost with this one.
    fn has_more_than(&self, other: &Said) -> bool {
        self.names.difference(&other.words).next().is_some()
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
