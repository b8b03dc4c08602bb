//! Cuts any bytes into lines without ever holding more than a line may have.

/// A line without its line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line, or its beginning when it was longer than allowed.
    pub bytes: &'a [u8],
    /// How long the line was.
    pub length: u64,
}

impl Line<'_> {
    pub fn is_truncated(&self) -> bool {
        self.length > self.bytes.len() as u64
    }
}

/// Cuts chunks into lines of at most so many bytes; what is longer keeps its beginning and tells its length.
#[derive(Debug, Clone)]
pub struct Lines {
    most: usize,
    begun: Vec<u8>,
    /// How long the begun line is so far, kept or not.
    length: u64,
}

impl Lines {
    pub fn new(most: usize) -> Lines {
        Lines { most, begun: Vec::new(), length: 0 }
    }

    /// Takes a chunk and hands every line that ends in it to `each`.
    pub fn push(&mut self, chunk: &[u8], mut each: impl FnMut(Line<'_>)) {
        for part in chunk.split_inclusive(|byte| *byte == b'\n') {
            let Some(end) = part.strip_suffix(b"\n") else {
                self.begin(part);
                return;
            };
            if self.length == 0 {
                each(self.line(end, end.len() as u64));
                continue;
            }
            self.begin(end);
            each(self.line(&self.begun, self.length));
            self.begun.clear();
            self.length = 0;
        }
    }

    /// Hands over a last line that had no line break.
    pub fn finish(&mut self, each: impl FnOnce(Line<'_>)) {
        if self.length > 0 {
            each(self.line(&self.begun, self.length));
        }
        self.begun.clear();
        self.length = 0;
    }

    fn begin(&mut self, part: &[u8]) {
        // One byte more than is kept, so that a carriage return at the very limit is still seen as one.
        let room = (self.most + 1).saturating_sub(self.begun.len());
        self.begun.extend_from_slice(&part[..part.len().min(room)]);
        self.length += part.len() as u64;
    }

    fn line<'a>(&self, bytes: &'a [u8], length: u64) -> Line<'a> {
        // Where the end was not kept its carriage return counts, and so it must when the chunk happens to have it.
        let whole = length <= self.most as u64 + 1;
        match bytes.strip_suffix(b"\r") {
            Some(bytes) if whole => self.cut(bytes, length - 1),
            _ => self.cut(bytes, length),
        }
    }

    fn cut<'a>(&self, bytes: &'a [u8], length: u64) -> Line<'a> {
        Line { bytes: &bytes[..bytes.len().min(self.most)], length }
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    fn lines(most: usize, chunks: &[&[u8]]) -> Vec<(Vec<u8>, u64)> {
        let mut found = Vec::new();
        let mut lines = Lines::new(most);
        for chunk in chunks {
            lines.push(chunk, |line| found.push((line.bytes.to_vec(), line.length)));
        }
        lines.finish(|line| found.push((line.bytes.to_vec(), line.length)));
        found
    }

    fn check(most: usize, text: &[u8], expected: &[(&[u8], u64)]) {
        let expected: Vec<_> = expected.iter().map(|(bytes, length)| (bytes.to_vec(), *length)).collect();
        assert_eq!(lines(most, &[text]), expected);
        for step in 1..=text.len() {
            let chunks: Vec<_> = text.chunks(step).collect();
            assert_eq!(lines(most, &chunks), expected, "in steps of {step}");
        }
    }

    #[test]
    fn lines_come_whole_whatever_the_chunks() {
        check(8, b"", &[]);
        check(8, b"\n\n", &[(b"", 0), (b"", 0)]);
        check(8, b"one\r\ntwo\n\xff\x00", &[(b"one", 3), (b"two", 3), (b"\xff\x00", 2)]);
        check(8, b"12345678\r\n\rx\r\r\n", &[(b"12345678", 8), (b"\rx\r", 3)]);
        check(4, b"1234567\n89\n", &[(b"1234", 7), (b"89", 2)]);
        check(4, b"123456\r\n1234\r", &[(b"1234", 7), (b"1234", 4)]);
    }

    #[test]
    fn a_truncated_line_is_not_held_in_memory() {
        let mut lines = Lines::new(16);
        for _ in 0..1000 {
            lines.push(&[b'x'; 4096], |_| panic!("no line ends here"));
        }
        assert!(lines.begun.capacity() < 8192);
        lines.finish(|line| {
            assert_eq!((line.bytes.len(), line.length, line.is_truncated()), (16, 4_096_000, true));
        });
    }
}
