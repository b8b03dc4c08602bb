//! Which notes are about what is at hand: the files and symbols of the work, and what is near them.

use std::collections::{BTreeMap, HashMap};

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

/// Looks everything up at once: near what is at hand there may be hundreds.
pub(super) async fn of(store: &impl Notes, context: &Context) -> Result<AtHand, StoreError> {
    let wanted = wanted(context);
    if wanted.is_empty() {
        return Ok(AtHand::default());
    }
    let lists = store.listed(wanted.keys().cloned().collect()).await?;
    let mut at_hand = AtHand::default();
    for (share, list) in wanted.values().zip(&lists) {
        list.iter().for_each(|posting| at_hand.notes.entry(posting.no).or_default().raise(*share));
    }
    Ok(at_hand)
}

/// What a note has to have, and what that is worth.
fn wanted(context: &Context) -> BTreeMap<String, Share> {
    let mut wanted: BTreeMap<String, Share> = BTreeMap::new();
    let mut want = |facet: String, share: Share| wanted.entry(facet).or_default().raise(share);
    for path in &context.files {
        want(facet::file(path), Share { files: 1.0, ..Share::default() });
    }
    for name in &context.symbols {
        want(facet::symbol(name), Share { symbols: 1.0, ..Share::default() });
    }
    for (name, nearness) in &context.near {
        let share = Share { graph: nearness.clamp(0.0, 1.0), ..Share::default() };
        want(facet::file(name), share);
        want(facet::symbol(name), share);
    }
    wanted
}

impl Share {
    fn raise(&mut self, other: Share) {
        self.files = self.files.max(other.files);
        self.symbols = self.symbols.max(other.symbols);
        self.graph = self.graph.max(other.graph);
    }
}
