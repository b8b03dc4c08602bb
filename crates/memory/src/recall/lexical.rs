//! How well notes fit a question by their words: BM25 over every word, exact or nearly so.

use futures::try_join;
use ralph_store::{MemoryState, Notes, PostingList, StoreError, Word};

use super::asked::Asked;
use crate::ranking::Ranking;

/// What each word of the question is worth in each note that has it.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// One for each word of the question, in the order of the notes' numbers.
    pub(super) words: Vec<Vec<Hit>>,
    /// Words that the question does not have, but the best notes do.
    pub(super) related: Vec<Hit>,
    totals: Vec<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    pub(super) no: u32,
    /// For the word as it is asked for.
    pub(super) exact: f32,
    /// What a similar spelling adds to that.
    pub(super) near: f32,
}

/// How many postings are read for a question at most: the rarest words first, for they say most.
const MOST_POSTINGS: u64 = 1_500_000;
/// Shorter words are alike by chance.
const SHORTEST_ALIKE: usize = 4;
/// How many similar spellings of a word are looked for, and how many of them are taken.
const LOOKED_AT: usize = 32;
const MOST_ALIKE: usize = 8;

impl Matches {
    /// Every note that has any of the words, with what they come to.
    pub(super) fn totals(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.totals.iter().zip(0..).filter(|(total, _)| **total > 0.0).map(|(total, no)| (no, *total))
    }

    pub(super) fn total(&self, no: u32) -> f32 {
        self.totals.get(no as usize).copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, hits: &[Hit]) {
        let end = hits.last().map_or(0, |hit| hit.no as usize + 1);
        if self.totals.len() < end {
            self.totals.resize(end, 0.0);
        }
        for hit in hits {
            self.totals[hit.no as usize] += hit.exact + hit.near;
        }
    }
}

/// What a list has on each of these notes; both are in the order of their numbers.
pub(super) fn hits_on<'a>(
    hits: &'a [Hit],
    numbers: impl Iterator<Item = u32> + 'a,
) -> impl Iterator<Item = Option<&'a Hit>> + 'a {
    let mut rest = hits;
    numbers.map(move |no| {
        rest = &rest[below(rest, no)..];
        rest.first().filter(|hit| hit.no == no)
    })
}

/// How many of the first stand before this note. The next one asked for is seldom far, in a list that may be long.
fn below(hits: &[Hit], no: u32) -> usize {
    let mut end = 1;
    while hits.get(end - 1).is_some_and(|hit| hit.no < no) {
        end *= 2;
    }
    let begin = end / 2;
    begin + hits[begin..end.min(hits.len())].partition_point(|hit| hit.no < no)
}

/// A word of the question, and a word of the notes that stands for it.
pub(super) struct Form {
    asked: usize,
    word: Word,
    /// Of the worth of the word as asked for.
    share: f64,
    worth: f64,
}

pub(super) async fn matches(
    store: &impl Notes,
    asked: &Asked,
    mut forms: Vec<Form>,
    ranking: &Ranking,
    state: &MemoryState,
) -> Result<Matches, StoreError> {
    let mut words = vec![Vec::new(); asked.words.len()];
    if forms.is_empty() {
        return Ok(Matches { words, ..Matches::default() });
    }
    forms.sort_by_key(|form| form.word.notes);
    let mut read = 0;
    forms.retain(|form| {
        let is_first = read == 0;
        read += u64::from(form.word.notes);
        is_first || read <= MOST_POSTINGS
    });
    let lists = store.postings(forms.iter().map(|form| form.word.no).collect()).await?;
    let curve = Curve::of(ranking, state);
    let mut hits = Vec::new();
    for (form, list) in forms.iter().zip(&lists) {
        curve.hits(list, form, &mut hits);
        let all = &mut words[form.asked];
        *all = best_of_both(all, &hits);
    }
    let mut matches = Matches::default();
    words.iter().for_each(|hits| matches.add(hits));
    Ok(Matches { words, ..matches })
}

/// Every word of the notes that counts for a word of the question.
pub(super) async fn forms(
    store: &impl Notes,
    asked: &Asked,
    ranking: &Ranking,
    state: &MemoryState,
) -> Result<Vec<Form>, StoreError> {
    let texts: Vec<String> = asked.words.iter().map(|word| word.text.clone()).collect();
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let long =
        |text: &String| if text.chars().count() < SHORTEST_ALIKE { String::new() } else { text.clone() };
    let long_texts = texts.iter().map(long).collect();
    let (exact, alike) = try_join!(store.words(texts.clone()), store.words_like(long_texts, LOOKED_AT))?;
    let mut forms = Vec::new();
    for ((asked_word, similar), at) in asked.words.iter().zip(alike).zip(0..) {
        let found = exact.iter().find(|word| word.text == asked_word.text && word.notes > 0);
        let worth = |word: &Word| rarity(state, word) * asked_word.weight;
        let most = found.map_or(f64::INFINITY, worth);
        forms.extend(found.map(|word| Form {
            asked: at,
            word: word.clone(),
            share: 1.0,
            worth: worth(word),
        }));
        if asked_word.text.chars().count() < SHORTEST_ALIKE {
            continue;
        }
        let others = similar.into_iter().filter(|word| word.notes > 0 && !texts.contains(&word.text));
        let own = grams(&asked_word.text);
        let mut others: Vec<(f64, Word)> =
            others.map(|word| (likeness(&own, &grams(&word.text)), word)).collect();
        others.retain(|(likeness, _)| *likeness >= ranking.alike);
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.text.cmp(&b.1.text)));
        // A rarer spelling is not worth more than the word that was asked for.
        forms.extend(others.into_iter().take(MOST_ALIKE).map(|(likeness, word)| Form {
            asked: at,
            share: ranking.spelling * likeness,
            worth: worth(&word).min(most),
            word,
        }));
    }
    Ok(forms)
}

/// How much it says that a note has a word: the more, the fewer have it.
pub(super) fn rarity(state: &MemoryState, word: &Word) -> f64 {
    rarity_of(state, f64::from(word.notes))
}

/// How much it says of a note that it alone has a word.
pub(crate) fn most_rare(state: &MemoryState) -> f64 {
    rarity_of(state, 1.0)
}

fn rarity_of(state: &MemoryState, having: f64) -> f64 {
    ((state.notes as f64 - having + 0.5).max(0.5) / (having + 0.5)).ln_1p()
}

/// As the store has them, for comparing many words.
fn grams(word: &str) -> Vec<[char; 3]> {
    let letters: Vec<char> = std::iter::once('^').chain(word.chars()).chain(['$']).collect();
    let mut grams: Vec<[char; 3]> = letters.windows(3).map(|three| [three[0], three[1], three[2]]).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// The share of trigrams that two words have in common.
fn likeness(a: &[[char; 3]], b: &[[char; 3]]) -> f64 {
    let shared = a.iter().filter(|gram| b.binary_search(gram).is_ok()).count();
    2.0 * shared as f64 / (a.len() + b.len()) as f64
}

/// How the worth of a word grows with its repetition, and shrinks with a note's length.
pub(super) struct Curve {
    saturation: f64,
    /// Where half of the most is reached: for a note without a word, and how much more for each that it has.
    half: f64,
    half_by_length: f64,
}

impl Curve {
    pub(super) fn of(ranking: &Ranking, state: &MemoryState) -> Curve {
        let average = (state.length as f64 / (state.notes as f64).max(1.0)).max(1.0);
        let saturation = ranking.saturation;
        let (half, by_length) = (saturation * (1.0 - ranking.length), saturation * ranking.length / average);
        Curve { saturation, half, half_by_length: by_length }
    }

    /// What a word of so much worth comes to in each note that has it.
    pub(super) fn each(&self, list: &PostingList, worth: f64, mut tell: impl FnMut(u32, f32)) {
        let most = worth * (1.0 + self.saturation);
        list.iter().for_each(|posting| {
            let count = f64::from(posting.count);
            let half = self.half + self.half_by_length * f64::from(posting.length);
            tell(posting.no, (most * count / (count + half)) as f32);
        });
    }

    /// Into the same place for every list: to ask for memory, and to give it back, takes as long as to fill it.
    fn hits(&self, list: &PostingList, form: &Form, hits: &mut Vec<Hit>) {
        hits.clear();
        hits.reserve(list.at_most());
        let is_near = form.share < 1.0;
        self.each(list, form.worth * form.share, |no, value| {
            let (exact, near) = if is_near { (0.0, value) } else { (value, 0.0) };
            hits.push(Hit { no, exact, near });
        });
    }
}

/// A note that has two spellings of a word has it once: the better one counts.
fn best_of_both(a: &[Hit], b: &[Hit]) -> Vec<Hit> {
    // Most spellings are rare beside the word itself, whose list is then copied in stretches.
    let (few, mut rest) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut merged = Vec::with_capacity(a.len() + b.len());
    for one in few {
        let (before, from) = rest.split_at(below(rest, one.no));
        merged.extend_from_slice(before);
        rest = from;
        match from.split_first().filter(|(other, _)| other.no == one.no) {
            Some((other, after)) => {
                merged.push(one.or(other));
                rest = after;
            }
            None => merged.push(*one),
        }
    }
    merged.extend_from_slice(rest);
    merged
}

impl Hit {
    fn or(&self, other: &Hit) -> Hit {
        let exact = self.exact.max(other.exact);
        let best = (self.exact + self.near).max(other.exact + other.near);
        Hit { no: self.no, exact, near: best - exact }
    }
}

#[cfg(test)]
mod tests {
    use super::{Hit, best_of_both, grams};

    fn likeness(a: &str, b: &str) -> f64 {
        super::likeness(&grams(a), &grams(b))
    }

    #[test]
    fn words_are_alike_by_the_trigrams_that_they_are_found_by() {
        for word in ["", "a", "ab", "parse_config", "größe", "aaaa"] {
            let joined: Vec<String> = grams(word).iter().map(|gram| gram.iter().collect()).collect();
            assert_eq!(joined, ralph_store::trigrams(word), "{word}");
        }
    }

    #[test]
    fn words_are_alike_by_their_letters() {
        assert!(likeness("educaton", "education") > 0.6);
        assert!(likeness("migration", "immigration") > 0.5);
        assert!(likeness("parser", "server") < 0.5);
    }

    #[test]
    fn of_two_spellings_the_better_counts() {
        let hit = |no, exact, near| Hit { no, exact, near };
        let merged = best_of_both(
            &[hit(1, 2.0, 0.0), hit(4, 1.0, 0.0)],
            &[hit(1, 0.0, 1.0), hit(2, 0.0, 1.0), hit(4, 0.0, 1.5)],
        );
        assert_eq!(merged, [hit(1, 2.0, 0.0), hit(2, 0.0, 1.0), hit(4, 1.0, 0.5)]);
    }
}
