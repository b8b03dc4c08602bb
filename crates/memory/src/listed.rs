//! Notes by what they are entered under.

use std::collections::BTreeSet;

use ralph_core::note::Note;
use ralph_store::{Notes, StoreError};

/// The notes that are entered under at least one of these, the oldest first.
pub(crate) async fn listed(
    store: &impl Notes,
    facets: impl IntoIterator<Item = String>,
) -> Result<Vec<Note>, StoreError> {
    let lists = store.listed(facets.into_iter().collect()).await?;
    let numbers: BTreeSet<u32> =
        lists.iter().flat_map(|list| list.iter()).map(|posting| posting.no).collect();
    let notes = store.numbered_notes(numbers.into_iter().collect()).await?;
    Ok(notes.into_iter().map(|(_, note)| note).collect())
}
