//! Whether a note earns its place: what merely can be found makes a brief longer and the work worse.

use std::collections::HashSet;

use ralph_core::Timestamp;
use ralph_core::note::{Confidence, Kind, Note, Origin};

use super::hydration::Section;
use super::need::Need;
use crate::factor::{Contribution, Factor};
use crate::recall::Recalled;
use crate::words::{Stem, Stems};

/// What scores less than this share of the best of its section is left out.
const OF_THE_BEST: f64 = 0.4;
/// What is relied on less is left out.
const LEAST_CONFIDENCE: f64 = 0.25;
/// Words of the task that a note has to have, or else this share of its own words.
const LEAST_WORDS: usize = 2;
const LEAST_SHARE: f64 = 0.2;
/// Or this share of the best score, by what it means alone.
const BY_VECTORS: f64 = 0.2;

/// By what notes are judged, made once for a brief.
pub(super) struct Judged<'a> {
    need: &'a Need,
    asked: HashSet<Stem>,
    now: Timestamp,
}

/// The best of a section: what others are measured against.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Best {
    score: f64,
    /// By what it says alone.
    fit: f64,
}

impl Best {
    fn of<'a>(notes: impl Iterator<Item = &'a Recalled>) -> Option<Best> {
        let better =
            |a: Best, b: Best| Best { score: f64::max(a.score, b.score), fit: f64::max(a.fit, b.fit) };
        notes.map(|one| Best { score: one.score, fit: fit(one) }).reduce(better)
    }
}

impl<'a> Judged<'a> {
    /// All notes are judged with the same stems.
    pub(super) fn by(need: &'a Need, stems: &mut Stems, now: Timestamp) -> Judged<'a> {
        Judged { need, asked: stems.of(&need.text).into_iter().collect(), now }
    }

    /// A need has the words of the last errors, so what quotes them, and what was said of them in the same run, fits it
    /// better than anything that would help. Others are not measured against that.
    pub(super) fn best(&self, notes: &[Recalled]) -> Best {
        let is_echo =
            |one: &&Recalled| one.note.said.origin == Origin::Tool || self.need.is_of_this_run(&one.note);
        let others = Best::of(notes.iter().filter(|one| !is_echo(one)));
        others.or_else(|| Best::of(notes.iter())).unwrap_or_default()
    }

    /// `best` is that of its section.
    pub(super) fn earns(&self, one: &Recalled, section: Section, best: Best, stems: &mut Stems) -> bool {
        if !self.is_relied_on(&one.note) {
            return false;
        }
        let is_at_hand = one
            .factors
            .iter()
            .any(|factor| matches!(factor.factor, Factor::Files | Factor::Symbols) && factor.value > 0.0);
        match section {
            // They are about the files at hand, or they would not be here.
            Section::Observations => true,
            // Agents find out a lot, and most of it is of use to nobody else.
            Section::Known if !is_established(&one.note) => false,
            Section::Skills | Section::Patterns | Section::Gotchas | Section::Failures | Section::Known => {
                is_at_hand || (fit(one) >= OF_THE_BEST * best.fit && self.is_about_it(one, best.score, stems))
            }
        }
    }

    fn is_relied_on(&self, note: &Note) -> bool {
        self.confidence(note).share() >= LEAST_CONFIDENCE
    }

    /// What a person said is not worn down by time alone.
    fn confidence(&self, note: &Note) -> Confidence {
        match note.said.origin {
            Origin::Person => note.said.confidence,
            Origin::Rule | Origin::Agent | Origin::Tool => note.confidence_at(self.now),
        }
    }

    /// One word in common is chance, unless the note has few; and half of all notes are nearer by vectors than the others.
    fn is_about_it(&self, one: &Recalled, best: f64, stems: &mut Stems) -> bool {
        let is_near = |found: &Contribution| match found.factor {
            Factor::Graph => found.value > 0.0,
            Factor::Vectors => found.value > 0.0 && found.value >= BY_VECTORS * best,
            _ => false,
        };
        if one.factors.iter().any(is_near) {
            return true;
        }
        let said = &one.note.said;
        let texts = [&*said.title, &*said.content].into_iter().chain(telling(&said.kind));
        let (mut own, mut both) = (HashSet::new(), 0);
        for stem in texts.flat_map(|text| stems.of(text)) {
            both += usize::from(own.insert(stem) && self.asked.contains(&stem));
            if both >= LEAST_WORDS {
                return true;
            }
        }
        both > 0 && both as f64 >= LEAST_SHARE * own.len() as f64
    }
}

/// What a note scores by what it says, and not by what it stands beside or is about.
fn fit(one: &Recalled) -> f64 {
    let by_itself = |found: &&Contribution| match found.factor {
        Factor::Words
        | Factor::Spelling
        | Factor::Related
        | Factor::Answer
        | Factor::Asks
        | Factor::Measure
        | Factor::Graph
        | Factor::Vectors
        | Factor::Confidence => true,
        Factor::Neighbours | Factor::Thread | Factor::Files | Factor::Symbols | Factor::Recency => false,
    };
    one.factors.iter().filter(by_itself).map(|found| found.value).sum()
}

fn is_established(note: &Note) -> bool {
    note.verified || note.said.origin == Origin::Person
}

/// What a terminal showed has words of everything.
pub(crate) fn telling(kind: &Kind) -> Vec<&str> {
    match kind {
        Kind::Gotcha { triggers, .. } => triggers.iter().map(String::as_str).collect(),
        Kind::Observation(_) | Kind::Skill | Kind::Pattern | Kind::Failure { .. } => kind.texts(),
    }
}
