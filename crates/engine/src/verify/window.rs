//! The output of a check, as far as it is read: all of it, or its beginning and its end.

const HEAD: usize = 4 << 20;
const TAIL: usize = 12 << 20;

#[derive(Debug, Default)]
pub(super) struct Window {
    head: Vec<u8>,
    tail: Vec<u8>,
    left_out: bool,
}

impl Window {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        // Cut in big steps, so that each byte is moved at most once or twice.
        if self.tail.len() > 2 * TAIL {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        let over = self.tail.len().saturating_sub(TAIL);
        if over > 0 {
            self.tail.drain(..over);
            self.left_out = true;
        }
    }

    /// Whether anything between beginning and end is missing.
    pub(super) fn has_gap(&self) -> bool {
        self.left_out || self.tail.len() > TAIL
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.shorten();
        if self.left_out {
            self.head.extend_from_slice(b"\n[...]\n");
        }
        self.head.extend_from_slice(&self.tail);
        self.head
    }
}

#[cfg(test)]
mod tests {
    use super::{HEAD, TAIL, Window};

    #[test]
    fn head_and_tail_are_kept_in_bounded_memory() {
        let mut window = Window::default();
        let chunk = [b'x'; 1 << 16];
        window.push(b"first");
        for _ in 0..2_000 {
            window.push(&chunk);
            assert!(window.head.len() + window.tail.len() <= HEAD + 2 * TAIL + chunk.len());
        }
        window.push(b"last");
        let all = window.finish();
        assert!(all.starts_with(b"first") && all.ends_with(b"last"));
        assert!(all.len() <= HEAD + TAIL + 16);
    }

    #[test]
    fn what_fits_is_whole() {
        let mut window = Window::default();
        window.push(b"one ");
        window.push(b"two");
        assert_eq!(window.finish(), b"one two");
    }
}
