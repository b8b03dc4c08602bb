//! A question and what the notes have of it, and the notes that answer it.

use futures::try_join;
use ralph_core::Timestamp;
use ralph_store::{MemoryState, Notes, Placed, StoreError};

use super::asked::Asked;
use super::at_hand::{self, AtHand};
use super::filter::{self, Allowed, Facets};
use super::lexical::{self, Form, Matches};
use super::near::{self, Nearness};
use super::places::Places;
use super::score::{Scored, Scoring};
use super::{Recalled, related, top};
use crate::analysis::GONE;
use crate::query::Query;
use crate::ranking::Ranking;

/// Where time is a condition, which only a closer look tells.
const CANDIDATES_IN_TIME: usize = 3000;
/// How many places away a note may stand to count as a neighbour.
const REACH: u32 = 2;

/// What a question asks for, as far as it is known without the notes that it is about.
pub(super) struct Begun<'a> {
    query: &'a Query,
    ranking: &'a Ranking,
    state: &'a MemoryState,
    asked: Asked,
    forms: Vec<Form>,
    at_hand: AtHand,
    near: Nearness,
}

impl<'a> Begun<'a> {
    pub(super) async fn of(
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

    pub(super) async fn read(
        self,
        store: &impl Notes,
        facets: &'a Facets,
    ) -> Result<Reading<'a>, StoreError> {
        let Begun { query, ranking, state, asked, forms, at_hand, near } = self;
        let mut matches = lexical::matches(store, &asked, forms, ranking, state).await?;
        let visible = filter::visible(query, facets);
        related::add(store, &mut matches, &asked, &visible, ranking, state).await?;
        Ok(Reading { ranking, state, asked, matches, at_hand, near, facets, visible })
    }
}

/// What does not depend on which of the notes that may be seen are asked for.
pub(super) struct Reading<'a> {
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
    /// For each of the questions; `closely` says at how many to look where so many are wanted.
    pub(super) async fn answer(
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
        let allowed = filter::allowed(query, &self.visible, self.facets);
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
