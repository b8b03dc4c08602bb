//! A note in one line of a text that has many.

use ralph_core::note::Note;

use crate::capture::clipped;

/// In characters.
const LONGEST: usize = 140;

/// What a note is called, and no more of it: without a title that is its first line, which may be all of it.
pub fn headline(note: &Note) -> String {
    clipped(note.headline(), LONGEST)
}
