//! Whether a run gets anywhere: what stayed as it was, and what was tried before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::Failing;
use crate::id::NoteId;

/// How many pieces a sketch has at most: the smallest.
pub const PIECES: usize = 128;
/// How many failed approaches a run remembers.
const REMEMBERED: usize = 30;
/// From here on two sets of changes are the same approach.
const ALIKE: f64 = 0.9;

/// What can be compared from one iteration to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The content of the tree.
    pub tree: String,
    /// What git's HEAD points at.
    pub commit: Option<String>,
    pub failing: Failing,
}

/// The changes of one iteration, boiled down.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sketch {
    /// The smallest hashes of the normalised pieces of what was added and removed; empty where nothing changed.
    pub pieces: Vec<u64>,
    pub files: Vec<String>,
}

impl Sketch {
    /// How much two sketches have in common, from 0 to 1.
    pub fn likeness(&self, other: &Sketch) -> f64 {
        if self.pieces.is_empty() || other.pieces.is_empty() {
            return 0.0;
        }
        // Of the smallest hashes of both together, how many are in both: what minimum hashing estimates the overlap by.
        let mut union: Vec<u64> = self.pieces.iter().chain(&other.pieces).copied().collect();
        union.sort_unstable();
        union.dedup();
        union.truncate(PIECES);
        let both = |piece: &&u64| self.pieces.contains(piece) && other.pieces.contains(piece);
        union.iter().filter(both).count() as f64 / union.len() as f64
    }
}

/// Something that was tried and did not do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approach {
    pub iteration: u32,
    pub sketch: Sketch,
    pub tree: String,
    pub failing: Failing,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    last: Option<Standing>,
    /// Iterations in a row that left everything as it was.
    unchanged: u32,
    /// Iterations that tried what had failed before, since things last got better.
    repeats: u32,
    /// Whether the last iteration was one of them.
    #[serde(default)]
    again: bool,
    fewest: Option<u64>,
    approaches: Vec<Approach>,
    /// The note of an earlier run that tells of the last changes, which had failed the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed_before: Option<NoteId>,
}

/// What an iteration that did not complete came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    Moved,
    /// So many iterations in a row without any change.
    Still(u32),
    /// The same as that iteration, for the so many'th time.
    Again {
        iteration: u32,
        repeats: u32,
        /// How much of the changes was in both, in per cent.
        alike: u8,
    },
}

impl Progress {
    /// Where things stand before the first iteration.
    pub fn begin(&mut self, standing: Standing) {
        self.fewest = Some(standing.failing.count);
        self.last = Some(standing);
    }

    pub fn unchanged(&self) -> u32 {
        self.unchanged
    }

    pub fn repeats(&self) -> u32 {
        self.repeats
    }

    /// Whether the last iteration tried what had failed before.
    pub fn is_repeating(&self) -> bool {
        self.again
    }

    /// What is remembered of the last changes, if they had failed in an earlier run.
    pub fn failed_before(&mut self, note: Option<NoteId>) {
        self.failed_before = note;
    }

    pub fn failure_remembered(&self) -> Option<&NoteId> {
        self.failed_before.as_ref()
    }

    pub fn approaches(&self) -> &[Approach] {
        &self.approaches
    }

    /// Takes in an iteration that did not complete.
    pub fn take(&mut self, iteration: u32, standing: Standing, sketch: Sketch) -> Movement {
        // What checks leave behind is in the tree as well, so the tree alone does not tell what the agent did.
        let is_as_before =
            |last: &Standing| last.commit == standing.commit && last.failing == standing.failing;
        let still = sketch.pieces.is_empty() && self.last.as_ref().is_some_and(is_as_before);
        let before = self.earlier(&standing, &sketch);
        let count = standing.failing.count;
        if self.fewest.is_none_or(|fewest| count < fewest) {
            (self.fewest, self.repeats) = (Some(count), 0);
        }
        self.remember(iteration, &standing, sketch);
        self.last = Some(standing);
        self.again = !still && before.is_some();
        if still {
            self.unchanged += 1;
            return Movement::Still(self.unchanged);
        }
        self.unchanged = 0;
        match before {
            Some((iteration, alike)) => {
                self.repeats += 1;
                Movement::Again { iteration, repeats: self.repeats, alike }
            }
            None => Movement::Moved,
        }
    }

    /// Something about the run is changed, so what was in vain may not be again.
    pub fn forgive(&mut self) {
        (self.unchanged, self.repeats, self.again) = (0, 0, false);
        self.failed_before = None;
    }

    /// The earlier iteration that came to the same: the same files, or the same changes, with the same failures; and how
    /// much of it is the same, in per cent. Without a change there is nothing to repeat.
    fn earlier(&self, standing: &Standing, sketch: &Sketch) -> Option<(u32, u8)> {
        if sketch.pieces.is_empty() {
            return None;
        }
        let same = |earlier: &Approach| {
            let likeness = if earlier.tree == standing.tree { 1.0 } else { earlier.sketch.likeness(sketch) };
            let is_same = earlier.failing == standing.failing && likeness >= ALIKE;
            is_same.then_some((earlier.iteration, (likeness * 100.0) as u8))
        };
        self.approaches.iter().rev().find_map(same)
    }

    fn remember(&mut self, iteration: u32, standing: &Standing, sketch: Sketch) {
        if sketch.pieces.is_empty() {
            return;
        }
        if self.approaches.len() == REMEMBERED {
            self.approaches.remove(0);
        }
        let Standing { tree, failing, .. } = standing.clone();
        self.approaches.push(Approach { iteration, sketch, tree, failing });
    }
}

#[cfg(test)]
mod tests {
    use super::{Movement, Progress, Sketch, Standing};
    use crate::check::Failing;

    fn standing(tree: &str, count: u64, digest: &str) -> Standing {
        let failing = Failing { count, digest: digest.to_owned() };
        Standing { tree: tree.to_owned(), commit: None, failing }
    }

    fn sketch(pieces: &[u64]) -> Sketch {
        Sketch { pieces: pieces.to_vec(), files: vec!["a".to_owned()] }
    }

    #[test]
    fn only_what_left_everything_as_it_was_is_no_progress() {
        let mut progress = Progress::default();
        progress.begin(standing("t", 3, "abc"));
        assert_eq!(progress.take(1, standing("t", 3, "abc"), sketch(&[])), Movement::Still(1));
        assert_eq!(progress.take(2, standing("t", 3, "abc"), sketch(&[])), Movement::Still(2));
        assert_eq!(progress.take(3, standing("u", 3, "abc"), sketch(&[1])), Movement::Moved);
        assert_eq!(progress.take(4, standing("u", 2, "ab"), sketch(&[])), Movement::Moved, "fewer failures");
        let committed = Standing { commit: Some("c".to_owned()), ..standing("u", 2, "ab") };
        assert_eq!(progress.take(5, committed, sketch(&[])), Movement::Moved, "a new commit");
    }

    #[test]
    fn going_back_and_forth_between_two_fixes_is_circular() {
        let mut progress = Progress::default();
        progress.begin(standing("o", 3, "abc"));
        assert_eq!(progress.take(1, standing("a", 3, "abc"), sketch(&[1, 2])), Movement::Moved);
        assert_eq!(progress.take(2, standing("b", 3, "abc"), sketch(&[3, 4])), Movement::Moved);
        let again = |iteration, repeats| Movement::Again { iteration, repeats, alike: 100 };
        assert_eq!(progress.take(3, standing("a", 3, "abc"), sketch(&[5, 6])), again(1, 1));
        assert_eq!(progress.take(4, standing("c", 3, "abc"), sketch(&[3, 4])), again(2, 2));
        assert!(progress.is_repeating());
        assert_eq!(progress.take(5, standing("d", 3, "abc"), sketch(&[7, 8])), Movement::Moved);
        assert!(progress.repeats() == 2 && !progress.is_repeating(), "the last one was something new");
    }

    #[test]
    fn the_same_change_with_other_failures_is_something_new() {
        let mut progress = Progress::default();
        progress.begin(standing("o", 3, "abc"));
        progress.take(1, standing("a", 3, "abd"), sketch(&[1, 2]));
        assert_eq!(progress.take(2, standing("b", 3, "abe"), sketch(&[1, 2])), Movement::Moved);
    }

    #[test]
    fn fewer_failures_than_ever_wipe_the_slate() {
        let mut progress = Progress::default();
        progress.begin(standing("o", 3, "abc"));
        progress.take(1, standing("a", 3, "abc"), sketch(&[1]));
        progress.take(2, standing("o2", 3, "abc"), sketch(&[2]));
        progress.take(3, standing("a", 3, "abc"), sketch(&[1]));
        assert_eq!(progress.repeats(), 1);
        progress.take(4, standing("z", 2, "ab"), sketch(&[9]));
        assert_eq!(progress.repeats(), 0);
    }

    #[test]
    fn what_failed_in_an_earlier_run_is_held_against_no_other_task() {
        let mut progress = Progress::default();
        let note = crate::id::NoteId::new(crate::Timestamp::UNIX_EPOCH, 1);
        progress.failed_before(Some(note.clone()));
        assert_eq!(progress.failure_remembered(), Some(&note));
        progress.forgive();
        assert_eq!(progress.failure_remembered(), None);
    }

    #[test]
    fn likeness_is_of_what_both_have() {
        let four = sketch(&[1, 2, 3, 4]);
        let close = |likeness: f64, wanted: f64| assert!((likeness - wanted).abs() < 1e-9, "{likeness}");
        close(four.likeness(&four), 1.0);
        close(four.likeness(&sketch(&[5, 6, 7, 8])), 0.0);
        close(four.likeness(&sketch(&[])), 0.0);
        close(four.likeness(&sketch(&[1, 2, 3, 9])), 0.6);
    }
}
