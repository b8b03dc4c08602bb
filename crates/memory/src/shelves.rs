//! Where notes are looked for: what the project remembers, and what holds everywhere.

use std::collections::HashSet;

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::Note;
use ralph_store::{MemoryState, Notes, StoreError};

use crate::query::{Context, Query};
use crate::ranking::Ranking;
use crate::recall::{Recalled, most_rare, recall, recall_each};

/// The stores that a question goes to.
#[derive(Debug)]
pub struct Shelves<'a, S> {
    pub project: &'a S,
    /// What a person has promoted for all projects.
    pub global: Option<&'a S>,
}

/// The notes of all shelves that answer a question best, the best first; of equals, the project's. Of a note that stands
/// on both, the project's word counts: where it was superseded there, or is in doubt.
pub async fn recall_all(
    shelves: &Shelves<'_, impl Notes>,
    query: &Query,
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Recalled>, StoreError> {
    let found = recall(shelves.project, query, ranking, now).await?;
    let Some(global) = shelves.global else { return Ok(found) };
    if !is_asked_elsewhere(query) {
        return Ok(found);
    }
    let others = recall(global, &elsewhere(query), ranking, now).await?;
    let others = unknown_here(shelves.project, vec![others]).await?.pop().unwrap_or_default();
    let states = (shelves.project.memory_state().await?, global.memory_state().await?);
    Ok(merged(found, others, &states, query))
}

/// The same for several questions, each as good as alone where it wants few notes.
pub(crate) async fn recall_all_each(
    shelves: &Shelves<'_, impl Notes>,
    queries: &[Query],
    ranking: &Ranking,
    now: Timestamp,
) -> Result<Vec<Vec<Recalled>>, StoreError> {
    let found = recall_each(shelves.project, queries, ranking, now).await?;
    let Some(global) = shelves.global else { return Ok(found) };
    let elsewhere: Vec<Query> =
        queries.iter().filter(|query| is_asked_elsewhere(query)).map(elsewhere).collect();
    let others = recall_each(global, &elsewhere, ranking, now).await?;
    let mut others = unknown_here(shelves.project, others).await?.into_iter();
    let states = (shelves.project.memory_state().await?, global.memory_state().await?);
    let both = found.into_iter().zip(queries).map(|(found, query)| {
        let others = if is_asked_elsewhere(query) { others.next() } else { None };
        match others {
            Some(others) => merged(found, others, &states, query),
            None => found,
        }
    });
    Ok(both.collect())
}

/// Files of others may have the same names.
fn is_asked_elsewhere(query: &Query) -> bool {
    query.files.is_empty()
}

/// What is at hand here is not what a note of all projects is about, should it be called the same.
fn elsewhere(query: &Query) -> Query {
    Query { context: Context::default(), ..query.clone() }
}

/// Those that the project has no word on.
async fn unknown_here(
    project: &impl Notes,
    others: Vec<Vec<Recalled>>,
) -> Result<Vec<Vec<Recalled>>, StoreError> {
    let mut ids: Vec<NoteId> = others.iter().flatten().map(|one| one.note.id.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    let known = project.note_numbers(ids).await?;
    let known: HashSet<NoteId> = known.into_iter().map(|(id, _)| id).collect();
    let unknown = |found: Vec<Recalled>| found.into_iter().filter(|one| !known.contains(&one.note.id));
    Ok(others.into_iter().map(|found| unknown(found).collect()).collect())
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
