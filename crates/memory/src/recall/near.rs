//! How near notes are to a question by a measure: the cosines of vectors, against those of all notes.

use std::collections::HashMap;

use ralph_store::{Notes, StoreError};

use super::score::moments;
use crate::meaning::Meaning;

/// For notes that have a vector, in standard deviations from the mean of all that have one.
#[derive(Debug, Default)]
pub(super) struct Nearness {
    notes: HashMap<u32, f64>,
}

/// A note that no word speaks for is found if it stands out by so much.
const STANDS_OUT: f64 = 1.0;
/// Where all notes are as near, such as a single one, there is nothing to stand out from.
const NEAR: f64 = 0.5;

impl Nearness {
    /// Nothing for a note without a vector: it is neither nearer nor farther than others.
    pub(super) fn of(&self, no: u32) -> f64 {
        self.notes.get(&no).copied().unwrap_or_default()
    }

    pub(super) fn stands_out(&self, no: u32) -> bool {
        self.of(no) >= STANDS_OUT
    }

    pub(super) fn outstanding(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        let all = self.notes.iter().filter(|(_, near)| **near >= STANDS_OUT);
        all.map(|(no, near)| (*no, *near as f32))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }
}

pub(super) async fn nearness(store: &impl Notes, meaning: Option<&Meaning>) -> Result<Nearness, StoreError> {
    let Some(meaning) = meaning else { return Ok(Nearness::default()) };
    let table = store.vectors(&meaning.identity).await?;
    if table.dimensions != meaning.vector.dimensions() {
        return Ok(Nearness::default());
    }
    let cosines: Vec<(u32, f64)> =
        table.iter().filter_map(|(no, row)| Some((no, meaning.vector.cosine(row)?))).collect();
    let (mean, spread) = moments(cosines.iter().map(|(_, cosine)| *cosine));
    let near = |cosine: f64| {
        if spread > f64::EPSILON {
            (cosine - mean) / spread
        } else if cosine >= NEAR {
            STANDS_OUT
        } else {
            0.0
        }
    };
    Ok(Nearness { notes: cosines.into_iter().map(|(no, cosine)| (no, near(cosine))).collect() })
}
