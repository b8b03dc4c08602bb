//! Finding the notes that matter for a question.

mod asked;
mod at_hand;
mod filter;
mod lexical;
mod near;
mod places;
mod related;
mod score;
mod set;
mod thread;
mod top;

use std::slice;

use futures::future::try_join_all;
use futures::try_join;
use ralph_core::Timestamp;
use ralph_core::note::Note;
use ralph_store::{MemoryState, Notes, Placed, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::GONE;
use crate::catch_up::caught_up;
use crate::factor::Contribution;
use crate::query::Query;
use crate::ranking::Ranking;
use asked::Asked;
use at_hand::AtHand;
use filter::{Allowed, Facets};
pub(crate) use lexical::most_rare;
use lexical::{Form, Matches};
use near::Nearness;
use places::Places;
use score::{Scored, Scoring};

/// A note that was found, and why it stands where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recalled {
    pub note: Note,
    /// Only comparable within one answer.
    pub score: f64,
    /// What the score is made of; they add up to it.
    pub factors: Vec<Contribution>,
}

/// So many times what is wanted, of the best by their own words, is looked at closely, with those beside them.
const CANDIDATES: usize = 10;
const FEWEST: usize = 100;
const MOST: usize = 300;
/// The same where several are asked at once, each of which wants more than will be taken of it.
const CANDIDATES_EACH: usize = 2;
const FEWEST_EACH: usize = 24;
/// Where time is a condition, which only a closer look tells.
const CANDIDATES_IN_TIME: usize = 3000;
/// How many places away a note may stand to count as a neighbour.
const REACH: u32 = 2;

/// The notes that answer a question best, the best first: those that are active, visible and let through by its
/// filters. Brings the notes up to date first.
pub async fn recall(
    store: &impl Notes,
    query: &Query,
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Recalled>, StoreError> {
    let closely = |limit: usize| limit.saturating_mul(CANDIDATES).clamp(FEWEST, MOST);
    let state = caught_up(store).await?;
    let queries = slice::from_ref(query);
    let (facets, begun) = try_join!(Facets::of(store, queries), Begun::of(store, query, ranking, &state))?;
    let answers = begun.read(store, &facets).await?.answer(store, queries, closely, now).await?;
    Ok(answers.into_iter().flatten().collect())
}

/// The same for several questions. What is asked for in the same words is looked up once, and so is what kinds and files
/// there are.
pub(crate) async fn recall_each(
    store: &impl Notes,
    queries: &[Query],
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Vec<Recalled>>, StoreError> {
    let state = caught_up(store).await?;
    let alike: Vec<&[Query]> = queries.chunk_by(Query::is_in_the_words_of).collect();
    // Asked for together, they are one way to the store and back.
    let begun = alike.iter().map(|alike| Begun::of(store, &alike[0], ranking, &state));
    let (facets, begun) = try_join!(Facets::of(store, queries), try_join_all(begun))?;
    let readings = try_join_all(begun.into_iter().map(|begun| begun.read(store, &facets))).await?;
    let closely = |limit: usize| limit.saturating_mul(CANDIDATES_EACH).clamp(FEWEST_EACH, MOST);
    let answers =
        alike.iter().zip(&readings).map(|(alike, reading)| reading.answer(store, alike, closely, now));
    Ok(try_join_all(answers).await?.into_iter().flatten().collect())
}

/// What a question asks for, as far as it is known without the notes that it is about.
struct Begun<'a> {
    query: &'a Query,
    ranking: &'a Ranking,
    state: &'a MemoryState,
    asked: Asked,
    forms: Vec<Form>,
    at_hand: AtHand,
    near: Nearness,
}

impl<'a> Begun<'a> {
    async fn of(
        store: &impl Notes,
        query: &'a Query,
        ranking: &'a Ranking,
        state: &'a MemoryState,
    ) -> Result<Begun<'a>, StoreError> {
        let asked = Asked::of(&query.text, ranking);
        let (forms, at_hand, near) = try_join!(
            lexical::forms(store, &asked, ranking, state),
            at_hand::of(store, &query.context),
            near::nearness(store, query.meaning.as_ref()),
        )?;
        Ok(Begun { query, ranking, state, asked, forms, at_hand, near })
    }

    async fn read(self, store: &impl Notes, facets: &'a Facets) -> Result<Reading<'a>, StoreError> {
        let Begun { query, ranking, state, asked, forms, at_hand, near } = self;
        let mut matches = lexical::matches(store, &asked, forms, ranking, state).await?;
        let visible = filter::visible(query, facets);
        related::add(store, &mut matches, &asked, &visible, ranking, state).await?;
        Ok(Reading { ranking, state, asked, matches, at_hand, near, facets, visible })
    }
}

/// What does not depend on which of the notes that may be seen are asked for.
struct Reading<'a> {
    ranking: &'a Ranking,
    state: &'a MemoryState,
    asked: Asked,
    matches: Matches,
    at_hand: AtHand,
    near: Nearness,
    facets: &'a Facets,
    visible: Allowed,
}

/// What is looked at closely for a question.
struct Look<'a> {
    query: &'a Query,
    allowed: Allowed,
    /// In the order of their numbers, each once.
    candidates: Vec<u32>,
}

/// It will be so only later. What was put down by a clock that was ahead is so all the same.
fn is_to_come(one: &Placed, now: Timestamp) -> bool {
    one.valid_from > now && one.valid_from > one.evidence_at
}

impl Reading<'_> {
    /// Looks at so many closely as a question that wants so many should.
    async fn answer(
        &self,
        store: &impl Notes,
        queries: &[Query],
        closely: impl Fn(usize) -> usize,
        now: Timestamp,
    ) -> Result<Vec<Vec<Recalled>>, StoreError> {
        let mut looks = Vec::with_capacity(queries.len());
        for query in queries {
            looks.push(self.look(store, query, closely(query.limit)).await?);
        }
        // Where no words are asked for, nobody has any to lend to a neighbour.
        let reach = if self.asked.words.is_empty() { 0 } else { REACH };
        let all = looks.iter().flat_map(|look| look.candidates.iter().copied()).collect();
        let places = Places::of(store, all, reach).await?;
        let ranked: Vec<Vec<Scored>> = looks.iter().map(|look| self.ranked(look, &places, now)).collect();
        let numbers = ranked.iter().flatten().map(|one| one.no).collect();
        // In the order in which they are asked for; some may be gone by now.
        let mut notes = store.numbered_notes(numbers).await?.into_iter().peekable();
        let mut recalled = |one: Scored| {
            let (_, note) = notes.next_if(|(no, _)| *no == one.no)?;
            Some(Recalled { note, score: one.score(), factors: one.factors })
        };
        Ok(ranked.into_iter().map(|ranked| ranked.into_iter().filter_map(&mut recalled).collect()).collect())
    }

    /// The best of those that a question is about.
    fn ranked(&self, look: &Look<'_>, places: &Places, now: Timestamp) -> Vec<Scored> {
        let Reading { ranking, asked, matches, at_hand, near, .. } = self;
        let Look { query, allowed, candidates } = look;
        let in_time = |at: Timestamp| {
            query.since.is_none_or(|since| at >= since) && query.until.is_none_or(|until| at <= until)
        };
        let scoring = Scoring { asked, matches, at_hand, near, ranking, now };
        let is_found = |one: &Placed| one.marks & GONE == 0 && allowed.lets(one.no) && !is_to_come(one, now);
        let placed = places.around(candidates);
        let mut ranked = scoring.score(&placed, |one| is_found(one) && in_time(one.valid_from));
        ranked.truncate(query.limit);
        ranked
    }

    async fn look<'q>(
        &self,
        store: &impl Notes,
        query: &'q Query,
        closely: usize,
    ) -> Result<Look<'q>, StoreError> {
        let Some(allowed) = filter::allowed(query, &self.visible, self.facets) else {
            return Ok(Look { query, allowed: self.visible.clone(), candidates: Vec::new() });
        };
        let is_timed = query.since.is_some() || query.until.is_some();
        let most = if is_timed { CANDIDATES_IN_TIME } else { closely };
        let candidates = self.candidates(store, query, most, &allowed).await?;
        Ok(Look { query, allowed, candidates })
    }

    async fn candidates(
        &self,
        store: &impl Notes,
        query: &Query,
        most: usize,
        allowed: &Allowed,
    ) -> Result<Vec<u32>, StoreError> {
        let Reading { state, matches, at_hand, near, .. } = self;
        let mut found = allowed.best(matches, most);
        found.extend(top::best(at_hand.shares().filter(|(no, _)| allowed.lets(*no)), most));
        found.extend(top::best(near.outstanding().filter(|(no, _)| allowed.lets(*no)), most));
        if found.is_empty() && query.text.trim().is_empty() && state.notes > 0 {
            found = match allowed.newest(most) {
                Some(newest) => newest,
                None => store.newest_notes(None, most).await?.into_iter().map(|(no, _)| no).collect(),
            };
            found.retain(|no| allowed.lets(*no));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}
