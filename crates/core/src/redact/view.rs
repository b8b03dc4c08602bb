//! A text as it would be if it were not encoded, and where each of its bytes stands in the text that it was made of.

use std::ops::Range;

#[derive(Debug)]
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    pub(super) places: Places,
}

/// Where the bytes of a view stand.
#[derive(Debug)]
pub(super) enum Places {
    /// Three bytes for four characters from here on.
    Base64 { start: usize },
    /// One byte for two digits from here on.
    Hex { start: usize },
    /// Lines of one width from here on, joined; `pitch` is the width with its line break.
    Lines { start: usize, width: usize, pitch: usize },
    /// Each byte by itself: some are escapes, some were left out.
    Each(Vec<(usize, usize)>),
}

impl View {
    /// What stands for `range` of the view.
    pub(super) fn place(&self, range: Range<usize>) -> Range<usize> {
        self.of(range.start).start..self.of(range.end.saturating_sub(1).max(range.start)).end
    }

    fn of(&self, at: usize) -> Range<usize> {
        match &self.places {
            Places::Base64 { start } => start + at * 8 / 6..start + ((at + 1) * 8).div_ceil(6),
            Places::Hex { start } => start + at * 2..start + at * 2 + 2,
            Places::Lines { start, width, pitch } => {
                let place = start + at / width * pitch + at % width;
                place..place + 1
            }
            Places::Each(places) => places[at].0..places[at].1,
        }
    }
}
