//! Whether something was tried before and failed: an attempt that made the same changes as one of an earlier run, with
//! the same failures, or an approach that somebody is about to take.

use std::collections::BTreeSet;

use ralph_core::Timestamp;
use ralph_core::id::{NoteId, TaskId};
use ralph_core::note::{Kind, KindName, Note, Scope};
use ralph_store::{Notes, StoreError};

use crate::analysis::facet;
use crate::capture::{Witnessed, failed_approach};
use crate::catch_up::catch_up;
use crate::listed::listed;
use crate::query::{Query, Visible};
use crate::ranking::Ranking;
use crate::recall::recall;
use crate::words::Words;

/// Of the words of an approach that failed, so many have to be in one that is like it; and it has to have some.
const ALIKE: f64 = 0.7;
const FEWEST: usize = 3;
const LOOKED_AT: usize = 5;

/// The note of an earlier run that tells of the same failure: by what was changed and reported, whatever was said of it.
pub async fn repeated(store: &impl Notes, seen: &Witnessed<'_>) -> Result<Option<NoteId>, StoreError> {
    let failed = failed_approach(seen).map(|draft| draft.kind);
    let Some(Kind::Failure { diff: Some(now), errors: reported, .. }) = failed else { return Ok(None) };
    catch_up(store).await?;
    let is_same = |note: &Note| match &note.said.kind {
        Kind::Failure { diff, errors, .. } => diff.as_ref() == Some(&now) && *errors == reported,
        _ => false,
    };
    let is_seen = |note: &Note| match &note.said.scope {
        Scope::Task { task } => task == seen.task,
        Scope::Project | Scope::Global => true,
    };
    let is_earlier = |note: &Note| note.said.source.run.as_ref().is_some_and(|run| run != seen.run);
    let found = listed(store, [facet::changes(&now)]).await?;
    let earlier = found.into_iter().rev().find(|note| is_same(note) && is_seen(note) && is_earlier(note));
    Ok(earlier.map(|note| note.id))
}

/// The note of an approach that failed and is much like one that is stated, of those that its task sees.
pub async fn failed_like(
    store: &impl Notes,
    stated: &str,
    task: &TaskId,
    now: Timestamp,
) -> Result<Option<NoteId>, StoreError> {
    let query = Query {
        limit: LOOKED_AT,
        kinds: vec![KindName::Failure],
        visible: Visible::Task(task.clone()),
        ..Query::new(stated)
    };
    let words = Words::new();
    let of = |text: &str| words.of(text).into_iter().map(|token| token.text).collect::<BTreeSet<String>>();
    let stated = of(stated);
    let is_like = |note: &Note| match &note.said.kind {
        Kind::Failure { approach, .. } => {
            let failed = of(approach);
            let both = failed.intersection(&stated).count();
            failed.len() >= FEWEST && both as f64 >= ALIKE * failed.len() as f64
        }
        _ => false,
    };
    let found = recall(store, &query, &Ranking::default(), now).await?;
    Ok(found.into_iter().map(|one| one.note).find(is_like).map(|note| note.id))
}
