//! Finding the notes that matter for a question.

mod asked;
mod at_hand;
mod filter;
mod lexical;
mod near;
mod places;
mod reading;
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
use ralph_store::{Notes, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::catch_up::caught_up;
use crate::factor::Contribution;
use crate::query::Query;
use crate::ranking::Ranking;
use filter::Facets;
pub(crate) use lexical::most_rare;
use reading::Begun;

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

/// The notes that answer a question best, the best first: those that are active, visible and let through by its
/// filters. Brings the notes up to date first.
pub async fn recall(
    store: &impl Notes,
    query: &Query,
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Recalled>, StoreError> {
    let closely = |limit: usize| limit.saturating_mul(CANDIDATES).clamp(FEWEST, MOST);
    let answers = answers(store, slice::from_ref(query), closely, ranking, now).await?;
    Ok(answers.into_iter().flatten().collect())
}

/// The same for several questions.
pub(crate) async fn recall_each(
    store: &impl Notes,
    queries: &[Query],
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Vec<Recalled>>, StoreError> {
    let closely = |limit: usize| limit.saturating_mul(CANDIDATES_EACH).clamp(FEWEST_EACH, MOST);
    answers(store, queries, closely, ranking, now).await
}

/// What is asked for in the same words is looked up once, and so is what questions are restricted to. `closely` says at
/// how many to look where so many are wanted.
async fn answers(
    store: &impl Notes,
    queries: &[Query],
    closely: impl Fn(usize) -> usize,
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Vec<Recalled>>, StoreError> {
    let state = caught_up(store).await?;
    let alike: Vec<&[Query]> = queries.chunk_by(Query::is_in_the_words_of).collect();
    // What is asked of the store together is one way there and back.
    let begun = alike.iter().map(|alike| Begun::of(store, &alike[0], ranking, &state));
    let (facets, begun) = try_join!(Facets::of(store, queries), try_join_all(begun))?;
    let readings = try_join_all(begun.into_iter().map(|begun| begun.read(store, &facets))).await?;
    let answers =
        alike.iter().zip(&readings).map(|(alike, reading)| reading.answer(store, alike, &closely, now));
    Ok(try_join_all(answers).await?.into_iter().flatten().collect())
}
