//! Finding the notes that matter for a question.

mod asked;
mod at_hand;
mod filter;
mod lexical;
mod near;
mod related;
mod score;
mod set;
mod thread;
mod top;

use std::collections::BTreeMap;

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
use lexical::Matches;
pub(crate) use lexical::most_rare;
use near::Nearness;
use score::Scoring;

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
    let closely = query.limit.saturating_mul(CANDIDATES).clamp(FEWEST, MOST);
    let reading = Reading::of(store, std::slice::from_ref(query), query, ranking).await?;
    reading.answer(store, query, closely, ranking, now).await
}

/// The same for several questions that differ in the kinds and files that they ask for, and in how many notes they want:
/// what their words come to, and who may see what, is looked up once.
pub(crate) async fn recall_each(
    store: &impl Notes,
    queries: &[Query],
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Vec<Recalled>>, StoreError> {
    let Some(first) = queries.first() else { return Ok(Vec::new()) };
    let reading = Reading::of(store, queries, first, ranking).await?;
    // While the store reads for one, another is scored.
    let answers = queries.iter().map(|query| {
        let closely = query.limit.saturating_mul(CANDIDATES_EACH).clamp(FEWEST_EACH, MOST);
        reading.answer(store, query, closely, ranking, now)
    });
    futures::future::try_join_all(answers).await
}

/// What does not depend on which of the notes that may be seen are asked for.
struct Reading {
    state: MemoryState,
    asked: Asked,
    matches: Matches,
    at_hand: AtHand,
    near: Nearness,
    facets: Facets,
    visible: Allowed,
}

/// It will be so only later. What was put down by a clock that was ahead is so all the same.
fn is_to_come(one: &Placed, now: Timestamp) -> bool {
    one.valid_from > now && one.valid_from > one.evidence_at
}

impl Reading {
    /// `first` stands for all of them in what they have in common.
    async fn of(
        store: &impl Notes,
        queries: &[Query],
        first: &Query,
        ranking: &Ranking,
    ) -> Result<Reading, StoreError> {
        let state = caught_up(store).await?;
        let asked = Asked::of(&first.text, ranking);
        // Asked for together, they are one way to the store and back.
        let (forms, facets, at_hand, near) = try_join!(
            lexical::forms(store, &asked, ranking, &state),
            Facets::of(store, queries),
            at_hand::of(store, &first.context),
            near::nearness(store, first.meaning.as_ref()),
        )?;
        let mut matches = lexical::matches(store, &asked, forms, ranking, &state).await?;
        let visible = filter::visible(first, &facets);
        related::add(store, &mut matches, &asked, &visible, ranking, &state).await?;
        Ok(Reading { state, asked, matches, at_hand, near, facets, visible })
    }

    /// Looks at so many closely.
    async fn answer(
        &self,
        store: &impl Notes,
        query: &Query,
        closely: usize,
        ranking: &Ranking,
        now: Timestamp,
    ) -> Result<Vec<Recalled>, StoreError> {
        let Reading { asked, matches, at_hand, near, .. } = self;
        let Some(allowed) = filter::allowed(query, &self.visible, &self.facets) else {
            return Ok(Vec::new());
        };
        let is_timed = query.since.is_some() || query.until.is_some();
        let most = if is_timed { CANDIDATES_IN_TIME } else { closely };
        let candidates = self.candidates(store, query, most, &allowed).await?;
        // Where no words are asked for, nobody has any to lend to a neighbour.
        let reach = if asked.words.is_empty() { 0 } else { REACH };
        let placed = store.around(candidates, reach).await?;
        let in_time = |at: Timestamp| {
            query.since.is_none_or(|since| at >= since) && query.until.is_none_or(|until| at <= until)
        };
        let scoring = Scoring { asked, matches, at_hand, near, ranking, now };
        let is_found = |one: &Placed| one.marks & GONE == 0 && allowed.lets(one.no) && !is_to_come(one, now);
        let mut scored = scoring.score(&placed, |one| is_found(one) && in_time(one.valid_from));
        scored.truncate(query.limit);
        let notes = store.numbered_notes(scored.iter().map(|one| one.no).collect()).await?;
        let mut notes: BTreeMap<u32, Note> = notes.into_iter().collect();
        let found = scored.into_iter().filter_map(|one| {
            Some(Recalled { note: notes.remove(&one.no)?, score: one.score(), factors: one.factors })
        });
        Ok(found.collect())
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
