//! Words that the question does not have, but the notes that fit it best: others with them are about the same.

use std::collections::BTreeMap;

use ralph_store::{MemoryState, Notes, StoreError, Word};

use super::asked::Asked;
use super::filter::Allowed;
use super::lexical::{Curve, Hit, Matches, rarity};
use crate::ranking::Ranking;

/// How many notes are taken to fit, and how many of their words are taken.
const NOTES: usize = 5;
const WORDS: usize = 10;
/// A word that more than one note in so many has says nothing about any.
const COMMON: u64 = 5;
/// And so many are too many to look at for a hint.
const MOST_NOTES: u32 = 20_000;

pub(super) async fn add(
    store: &impl Notes,
    matches: &mut Matches,
    asked: &Asked,
    visible: &Allowed,
    ranking: &Ranking,
    state: &MemoryState,
) -> Result<(), StoreError> {
    let best = visible.best(matches, NOTES);
    if best.is_empty() || ranking.related == 0.0 {
        return Ok(());
    }
    let mut weights: BTreeMap<String, (f64, Word)> = BTreeMap::new();
    for (no, words) in best.iter().zip(store.words_of(best.clone()).await?) {
        let length: u32 = words.iter().map(|(_, count)| count).sum();
        let share = f64::from(matches.total(*no)) / (f64::from(length) + NOTES as f64);
        for (word, _) in
            words.into_iter().filter(|(word, count)| *count > 0 && is_telling(word, asked, state))
        {
            let weight = share * rarity(state, &word);
            weights.entry(word.text.clone()).or_insert((0.0, word)).0 += weight;
        }
    }
    let mut chosen: Vec<(f64, Word)> = weights.into_values().collect();
    chosen.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.text.cmp(&b.1.text)));
    chosen.truncate(WORDS);
    let all: f64 = chosen.iter().map(|(weight, _)| weight).sum();
    let lists = store.postings(chosen.iter().map(|(_, word)| word.no).collect()).await?;
    let curve = Curve::of(ranking, state);
    let mut sums: Vec<f32> = Vec::new();
    for ((weight, word), list) in chosen.iter().zip(&lists) {
        let worth = ranking.related * weight / all * rarity(state, word);
        curve.each(list, worth, |no, value| {
            if no as usize >= sums.len() {
                sums.resize(no as usize + 1, 0.0);
            }
            sums[no as usize] += value;
        });
    }
    let mut hits = Vec::with_capacity(sums.iter().filter(|sum| **sum > 0.0).count());
    let sums = (0..).zip(sums).filter(|(_, sum)| *sum > 0.0);
    hits.extend(sums.map(|(no, exact)| Hit { no, exact, near: 0.0 }));
    matches.add(&hits);
    matches.related = hits;
    Ok(())
}

fn is_telling(word: &Word, asked: &Asked, state: &MemoryState) -> bool {
    let is_asked = asked.words.iter().any(|asked| asked.text == word.text);
    !is_asked && word.notes <= MOST_NOTES && u64::from(word.notes) * COMMON <= state.notes.max(COMMON)
}
