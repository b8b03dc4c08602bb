//! Chunks of any size become lines of bounded size.

/// An over-long line is cut to between this many bytes and twice as many: only its end can hold a tag that counts.
const TAIL: usize = 4096;
/// What is kept of the start of a cut line, to tell what kind of line it is.
const HEAD: usize = 256;

#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Counts from 1.
    pub(super) number: u64,
    /// The line without its end; only its last few KB if it was cut.
    pub(super) text: &'a str,
    /// The first bytes, where `text` does not have them any more.
    pub(super) cut_head: Option<&'a str>,
}

#[derive(Debug, Default)]
pub(super) struct Lines {
    finished: u64,
    text: String,
    cut_head: Option<String>,
}

impl Lines {
    pub(super) fn feed(&mut self, mut chunk: &str, mut each: impl FnMut(Line<'_>)) {
        while let Some((rest_of_line, after)) = chunk.split_once('\n') {
            self.push(rest_of_line);
            self.end_line(&mut each);
            chunk = after;
        }
        self.push(chunk);
    }

    pub(super) fn finish(mut self, mut each: impl FnMut(Line<'_>)) {
        if !self.text.is_empty() {
            self.end_line(&mut each);
        }
    }

    fn end_line(&mut self, each: &mut impl FnMut(Line<'_>)) {
        self.finished += 1;
        let text = self.text.strip_suffix('\r').unwrap_or(&self.text);
        each(Line { number: self.finished, text, cut_head: self.cut_head.as_deref() });
        self.text.clear();
        self.cut_head = None;
    }

    /// Cuts depend only on how much of the line came before, so that chunking never shows.
    fn push(&mut self, mut piece: &str) {
        while !piece.is_empty() {
            let fits = piece.floor_char_boundary(2 * TAIL - self.text.len());
            self.text.push_str(&piece[..fits]);
            piece = &piece[fits..];
            if !piece.is_empty() {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.cut_head.is_none() {
            self.cut_head = Some(self.text[..self.text.floor_char_boundary(HEAD)].to_owned());
        }
        let keep_from = self.text.floor_char_boundary(self.text.len() - TAIL);
        self.text.drain(..keep_from);
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.text.capacity() + self.cut_head.as_ref().map_or(0, String::capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, TAIL};

    fn read(chunks: &[&str]) -> Vec<(u64, String, bool)> {
        let mut lines = Lines::default();
        let mut out = Vec::new();
        for chunk in chunks {
            lines.feed(chunk, |l| out.push((l.number, l.text.to_owned(), l.cut_head.is_some())));
        }
        lines.finish(|l| out.push((l.number, l.text.to_owned(), l.cut_head.is_some())));
        out
    }

    #[test]
    fn line_ends_of_both_kinds_are_dropped() {
        let whole = [(1, "a".into(), false), (2, String::new(), false), (3, "b".into(), false)];
        assert_eq!(read(&["a\r\n\nb"]), whole);
        assert_eq!(read(&["a\r", "\n", "\nb\n"]), whole);
    }

    #[test]
    fn an_over_long_line_keeps_its_end_and_how_it_is_cut_ignores_chunking() {
        let long = "é".repeat(10 * TAIL) + "x";
        let whole = read(&[&long]);
        assert!(whole[0].2 && whole[0].1.ends_with("éx") && whole[0].1.len() <= 2 * TAIL);
        let (first, second) = long.split_at(6 * TAIL + 2);
        assert_eq!(read(&[first, second]), whole);
    }
}
