//! Which notes are about what is at hand: the files and symbols of the work, and what is near them.

use std::collections::HashMap;

use ralph_store::{Notes, StoreError};

use crate::analysis::facet;
use crate::query::Context;

/// For notes about something at hand, how much of it.
#[derive(Debug, Default)]
pub(super) struct AtHand {
    notes: HashMap<u32, Share>,
}

/// Each from 0 to 1.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    pub(super) files: f64,
    pub(super) symbols: f64,
    pub(super) graph: f64,
}

impl AtHand {
    pub(super) fn share(&self, no: u32) -> Share {
        self.notes.get(&no).copied().unwrap_or_default()
    }

    pub(super) fn shares(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.notes.iter().map(|(no, share)| (*no, (share.files + share.symbols + share.graph) as f32))
    }
}

pub(super) async fn of(store: &impl Notes, context: &Context) -> Result<AtHand, StoreError> {
    let mut at_hand = AtHand::default();
    for path in &context.files {
        at_hand.add(store, facet::file(path), |share| share.files = 1.0).await?;
    }
    for name in &context.symbols {
        at_hand.add(store, facet::symbol(name), |share| share.symbols = 1.0).await?;
    }
    for (name, nearness) in &context.near {
        let nearest = |share: &mut Share| share.graph = share.graph.max(nearness.clamp(0.0, 1.0));
        at_hand.add(store, facet::file(name), nearest).await?;
        at_hand.add(store, facet::symbol(name), nearest).await?;
    }
    Ok(at_hand)
}

impl AtHand {
    async fn add(
        &mut self,
        store: &impl Notes,
        facet: String,
        mark: impl Fn(&mut Share),
    ) -> Result<(), StoreError> {
        let words = store.words(vec![facet]).await?;
        let lists = store.postings(words.into_iter().map(|word| word.no).collect()).await?;
        for posting in lists.iter().flat_map(|list| list.iter()) {
            mark(self.notes.entry(posting.no).or_default());
        }
        Ok(())
    }
}
