//! The notes that questions look at closely, each with those beside them.

use std::collections::HashMap;

use ralph_store::{Notes, Placed, StoreError};

/// Read once for questions that look at different notes.
#[derive(Debug)]
pub(super) struct Places {
    /// In the order of their numbers.
    placed: Vec<Placed>,
    by_place: HashMap<(u32, u32), usize>,
    reach: u32,
}

impl Places {
    /// Around all that any of the questions looks at.
    pub(super) async fn of(store: &impl Notes, mut all: Vec<u32>, reach: u32) -> Result<Places, StoreError> {
        all.sort_unstable();
        all.dedup();
        let placed = store.around(all, reach).await?;
        let places = placed.iter().zip(0..).filter_map(|(one, at)| Some(((one.thread?, one.place), at)));
        Ok(Places { by_place: places.collect(), placed, reach })
    }

    /// These notes, and those that are as near to one of them.
    pub(super) fn around(&self, numbers: &[u32]) -> Vec<Placed> {
        let mut found: Vec<usize> = Vec::new();
        for no in numbers {
            let Ok(at) = self.placed.binary_search_by_key(no, |one| one.no) else { continue };
            found.push(at);
            let Placed { thread: Some(thread), place, .. } = self.placed[at] else { continue };
            let beside = place.saturating_sub(self.reach)..=place.saturating_add(self.reach);
            found.extend(beside.filter_map(|place| self.by_place.get(&(thread, place))));
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|at| self.placed[at].clone()).collect()
    }
}
