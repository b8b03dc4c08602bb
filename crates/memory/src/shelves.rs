//! Where notes are looked for: what the project remembers, and what holds everywhere.

use std::collections::HashSet;

use ralph_core::Timestamp;
use ralph_core::note::Note;
use ralph_store::{MemoryState, Notes, StoreError};

use crate::query::Query;
use crate::ranking::Ranking;
use crate::recall::{Recalled, most_rare, recall, recall_each};

/// The stores that a question goes to.
#[derive(Debug)]
pub struct Shelves<'a, S> {
    pub project: &'a S,
    /// What a person has promoted for all projects.
    pub global: Option<&'a S>,
}

/// The notes of all shelves that answer a question best, the best first; of equals, the project's. A note that stands
/// on both is found once.
pub async fn recall_all(
    shelves: &Shelves<'_, impl Notes>,
    query: &Query,
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Recalled>, StoreError> {
    let found = recall(shelves.project, query, ranking, now).await?;
    let Some(global) = shelves.global else { return Ok(found) };
    let others = recall(global, query, ranking, now).await?;
    let states = (shelves.project.memory_state().await?, global.memory_state().await?);
    Ok(merged(found, others, &states, query))
}

/// The same for several questions that differ in the kinds and files that they ask for, and in how many notes they want.
pub(crate) async fn recall_all_each(
    shelves: &Shelves<'_, impl Notes>,
    queries: &[Query],
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Vec<Recalled>>, StoreError> {
    let found = recall_each(shelves.project, queries, ranking, now).await?;
    let Some(global) = shelves.global else { return Ok(found) };
    let others = recall_each(global, queries, ranking, now).await?;
    let states = (shelves.project.memory_state().await?, global.memory_state().await?);
    let both = found.into_iter().zip(others).zip(queries);
    Ok(both.map(|((found, others), query)| merged(found, others, &states, query)).collect())
}

fn merged(
    mut found: Vec<Recalled>,
    mut others: Vec<Recalled>,
    states: &(MemoryState, MemoryState),
    query: &Query,
) -> Vec<Recalled> {
    if !query.text.trim().is_empty() {
        level(&mut found, &mut others, states);
    }
    found.extend(others);
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut ids = HashSet::new();
    let mut said = HashSet::new();
    found.retain(|one| ids.insert(one.note.id.clone()) && said.insert(words(&one.note)));
    found.truncate(query.limit);
    found
}

/// A word counts for more where more notes lack it, so scores grow with a store. They are brought to the larger one's
/// measure: a word that one note alone has is worth the same on both shelves.
fn level(found: &mut [Recalled], others: &mut [Recalled], states: &(MemoryState, MemoryState)) {
    let (here, there) = (most_rare(&states.0), most_rare(&states.1));
    let most = here.max(there);
    for (shelf, worth) in [(found, here), (others, there)] {
        let share = if worth > 0.0 { most / worth } else { 1.0 };
        for one in shelf {
            one.factors.iter_mut().for_each(|factor| factor.value *= share);
            one.score = one.factors.iter().map(|factor| factor.value).sum();
        }
    }
}

/// What makes two notes the same for a reader, whatever their ids.
fn words(note: &Note) -> (&'static str, String, String) {
    let said = &note.said;
    (said.kind.name().as_str(), said.title.trim().to_owned(), said.content.trim().to_owned())
}
