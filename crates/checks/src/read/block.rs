//! The lines that belong to one failure, kept up to a bound.

/// Enough to tell one way of failing from another.
const MOST_LINES: usize = 16;
const LONGEST: usize = 2_000;

/// A message that grows line by line until it is full.
#[derive(Debug, Default, Clone)]
pub(super) struct Block {
    text: String,
    lines: usize,
}

impl Block {
    pub(super) fn push(&mut self, line: &str) {
        let is_blank_start = self.lines == 0 && line.trim().is_empty();
        if is_blank_start || self.lines >= MOST_LINES || self.text.len() >= LONGEST {
            return;
        }
        self.lines += 1;
        self.text.push_str(crate::text::cut(line, LONGEST));
        self.text.push('\n');
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines == 0
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.lines = 0;
    }
}

/// The place if one was found, or else the file that the test is in.
pub(super) fn place_or<'a>(place: &'a str, file: &'a str) -> &'a str {
    if place.is_empty() { file } else { place }
}

/// `at name (file:line:column)` of a stack in JavaScript; the place if it is in the project's own code.
pub(super) fn frame(line: &str) -> Option<&str> {
    let frame = line.trim_start();
    let frame = frame.strip_prefix("at ").or_else(|| frame.strip_prefix("❯ "))?;
    let place = frame.rsplit_once('(').map_or(frame, |(_, place)| place.trim_end_matches([')', ' ', '{']));
    let place = place.rsplit(' ').next().unwrap_or(place);
    let is_foreign =
        place.contains("node_modules/") || place.starts_with("node:") || place.starts_with("internal/");
    (!is_foreign && place.contains(':')).then_some(place)
}

/// Whether a line is one of a stack in JavaScript.
pub(super) fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") || line.starts_with("❯ ")
}

/// Whether a line shows code with its number: `> 9 | code`, `10| code`.
pub(super) fn is_code(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('>').trim_start();
    let rest = line.trim_start_matches(|next: char| next.is_ascii_digit()).trim_start();
    rest.starts_with('|') && (rest.len() < line.len() || rest.trim_start_matches(['|', ' ']).starts_with('^'))
}
