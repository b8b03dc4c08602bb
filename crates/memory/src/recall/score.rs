//! The score of each candidate, factor by factor.

use ralph_core::Timestamp;
use ralph_store::Placed;

use super::asked::Asked;
use super::at_hand::AtHand;
use super::lexical::{Matches, hits_on};
use super::near::Nearness;
use super::thread::Threads;
use crate::analysis::{ASKS, COUNTED, DATED};
use crate::factor::{Contribution, Factor};
use crate::ranking::Ranking;

/// Everything that a score depends on.
#[derive(Debug)]
pub(super) struct Scoring<'a> {
    pub(super) asked: &'a Asked,
    pub(super) matches: &'a Matches,
    pub(super) at_hand: &'a AtHand,
    pub(super) near: &'a Nearness,
    pub(super) ranking: &'a Ranking,
    pub(super) now: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scored {
    pub(super) no: u32,
    pub(super) factors: Vec<Contribution>,
}

/// After so many days a note has half the advantage of a new one.
const RECENT_DAYS: f64 = 30.0;

impl Scored {
    pub(super) fn score(&self) -> f64 {
        self.factors.iter().map(|one| one.value).sum()
    }

    fn add(&mut self, factor: Factor, value: f64) {
        if value != 0.0 {
            self.factors.push(Contribution { factor, value });
        }
    }
}

/// What a note is worth by its own words.
#[derive(Debug, Clone, Copy)]
struct Own {
    words: f64,
    spelling: f64,
    related: f64,
}

/// What each word of the question is worth in each note that is looked at: as it is asked for, and what a similar
/// spelling adds.
#[derive(Debug)]
pub(super) struct Worth {
    words: usize,
    /// A row for each note, in their order.
    rows: Vec<(f32, f32)>,
}

impl Worth {
    fn in_all(placed: &[Placed], matches: &Matches) -> Worth {
        let words = matches.words.len();
        let mut rows = vec![(0.0, 0.0); placed.len() * words];
        for (hits, word) in matches.words.iter().zip(0..) {
            for (hit, at) in hits_on(hits, placed.iter().map(|one| one.no)).zip(0..) {
                rows[at * words + word] = hit.map_or((0.0, 0.0), |hit| (hit.exact, hit.near));
            }
        }
        Worth { words, rows }
    }

    pub(super) fn of(&self, at: usize) -> &[(f32, f32)] {
        &self.rows[at * self.words..(at + 1) * self.words]
    }
}

impl Own {
    fn total(self) -> f64 {
        self.words + self.spelling + self.related
    }
}

impl Scoring<'_> {
    /// The best first; of equals, the newer. `is_wanted` says which may be among them: the others only lend theirs to
    /// their neighbours.
    pub(super) fn score(&self, placed: &[Placed], is_wanted: impl Fn(&Placed) -> bool) -> Vec<Scored> {
        let worth = Worth::in_all(placed, self.matches);
        let own = self.own(placed, &worth);
        let threads = Threads::of(placed, &worth);
        let wanted: Vec<&Placed> = placed.iter().filter(|one| is_wanted(one)).collect();
        let mut scored: Vec<Scored> = placed
            .iter()
            .zip(0..)
            .filter(|(one, _)| is_wanted(one))
            .map(|(one, at)| self.by_words(one, at, placed, &own, &threads))
            .collect();
        self.add_at_hand(&mut scored);
        self.add_vectors(&mut scored);
        for (one, placed) in scored.iter_mut().zip(wanted) {
            self.add_standing(one, placed);
        }
        let mut ranked: Vec<(f64, Scored)> = scored.into_iter().map(|one| (one.score(), one)).collect();
        ranked.retain(|(score, _)| *score > 0.0);
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.no.cmp(&a.1.no)));
        ranked.into_iter().map(|(_, one)| one).collect()
    }

    fn own(&self, placed: &[Placed], worth: &Worth) -> Vec<Own> {
        let related = hits_on(&self.matches.related, placed.iter().map(|one| one.no));
        let each = related.enumerate().map(|(at, related)| {
            let row = worth.of(at);
            Own {
                words: row.iter().map(|(exact, _)| f64::from(*exact)).sum(),
                spelling: row.iter().map(|(_, near)| f64::from(*near)).sum(),
                related: related.map_or(0.0, |hit| f64::from(hit.exact)),
            }
        });
        each.collect()
    }

    fn by_words(&self, one: &Placed, at: usize, placed: &[Placed], own: &[Own], threads: &Threads) -> Scored {
        let ranking = self.ranking;
        let mut scored = Scored { no: one.no, factors: Vec::new() };
        scored.add(Factor::Words, own[at].words);
        scored.add(Factor::Spelling, own[at].spelling);
        scored.add(Factor::Related, own[at].related);
        let beside = |by| threads.beside(one, by).map_or(0.0, |at| own[at].total());
        let lent = ranking.to_next * beside(-1)
            + ranking.to_second_next * beside(-2)
            + ranking.to_last * beside(1)
            + ranking.to_second_last * beside(2);
        scored.add(Factor::Neighbours, lent);
        let follows_a_question = threads.beside(one, -1).is_some_and(|last| placed[last].marks & ASKS != 0);
        scored.add(Factor::Answer, if follows_a_question { ranking.answer * beside(-1) } else { 0.0 });
        if one.marks & ASKS != 0 {
            scored.add(Factor::Asks, -ranking.asks * scored.score());
        }
        let fits = self.asked.wants & one.marks;
        let dated = if fits & DATED != 0 { ranking.dated } else { 0.0 };
        let counted = if fits & COUNTED != 0 { ranking.counted } else { 0.0 };
        scored.add(Factor::Measure, (dated + counted) * scored.score());
        let alone = own[at].words + own[at].spelling;
        scored.add(Factor::Thread, ranking.thread * threads.coverage(one).unwrap_or(alone));
        scored
    }

    /// Measured against the best, so that it means the same for every question.
    fn add_at_hand(&self, scored: &mut [Scored]) {
        let best = scored.iter().map(Scored::score).fold(0.0, f64::max);
        let unit = if best > 0.0 { best } else { 1.0 };
        for one in scored {
            let share = self.at_hand.share(one.no);
            one.add(Factor::Files, unit * self.ranking.files * share.files);
            one.add(Factor::Symbols, unit * self.ranking.symbols * share.symbols);
            one.add(Factor::Graph, unit * self.ranking.graph * share.graph);
        }
    }

    /// Two measures that know nothing of each other are brought to the same spread before they are added. What no word
    /// speaks for has to stand out, and what words speak for loses at most half of that.
    fn add_vectors(&self, scored: &mut [Scored]) {
        if self.near.is_empty() {
            return;
        }
        let (_, spread) = moments(scored.iter().map(Scored::score));
        let unit = self.ranking.vectors * if spread > 0.0 { spread } else { 1.0 };
        for one in scored {
            let so_far = one.score();
            if so_far > 0.0 {
                one.add(Factor::Vectors, (unit * self.near.of(one.no)).max(-so_far / 2.0));
            } else if self.near.stands_out(one.no) {
                one.add(Factor::Vectors, unit * self.near.of(one.no));
            }
        }
    }

    /// What is new and relied on comes before what is as good otherwise.
    fn add_standing(&self, one: &mut Scored, placed: &Placed) {
        // Without words there is nothing but this to tell notes apart.
        let ground = if self.asked.words.is_empty() { 1.0 } else { 0.0 };
        let so_far = one.score().max(0.0) + ground;
        let days = |since: Timestamp| (self.now.duration_since(since).as_secs_f64() / 86_400.0).max(0.0);
        let recent = (-days(placed.valid_from) / RECENT_DAYS).exp2();
        one.add(Factor::Recency, so_far * self.ranking.recency * recent);
        let confidence = placed.confidence.aged(days(placed.evidence_at)).share();
        one.add(Factor::Confidence, so_far * self.ranking.confidence * (2.0 * confidence - 1.0));
    }
}

/// Mean and standard deviation.
pub(super) fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}
