//! What a note's thread says for it: the notes beside it, and whether the thread as a whole is about the question.

use std::collections::HashMap;

use ralph_store::Placed;

use super::score::Worth;

/// The notes of a question by where they stand.
#[derive(Debug)]
pub(super) struct Threads {
    places: HashMap<(u32, u32), usize>,
    /// What the words of the question come to if each is taken from the note of the thread that has most of it.
    coverage: HashMap<u32, f64>,
}

impl Threads {
    /// `worth` has a row for each of the notes.
    pub(super) fn of(placed: &[Placed], worth: &Worth) -> Threads {
        let mut places = HashMap::with_capacity(placed.len());
        let mut best: HashMap<u32, Vec<f32>> = HashMap::new();
        for (one, at) in placed.iter().zip(0..) {
            let Some(thread) = one.thread else { continue };
            places.insert((thread, one.place), at);
            let row = worth.of(at);
            let best = best.entry(thread).or_insert_with(|| vec![0.0; row.len()]);
            for (best, (exact, near)) in best.iter_mut().zip(row) {
                *best = best.max(exact + near);
            }
        }
        let coverage =
            best.into_iter().map(|(thread, best)| (thread, best.into_iter().map(f64::from).sum())).collect();
        Threads { places, coverage }
    }

    /// The note so many places further on, or back.
    pub(super) fn beside(&self, one: &Placed, by: i64) -> Option<usize> {
        let place = u32::try_from(i64::from(one.place) + by).ok()?;
        self.places.get(&(one.thread?, place)).copied()
    }

    /// Nothing for a note that stands alone: it is its own thread.
    pub(super) fn coverage(&self, one: &Placed) -> Option<f64> {
        self.coverage.get(&one.thread?).copied()
    }
}
