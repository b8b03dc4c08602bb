//! A message in pieces of any size goes in, one claim comes out; what is held meanwhile is a few KB.

use super::lines::Lines;
use super::reader::Reader;
use super::{Claim, Word};

/// Whether this whole final message gives the promise.
pub fn detect(message: &str, expected: &Word, brief: &str) -> Claim {
    let mut scanner = Scanner::new(expected, brief);
    scanner.feed(message);
    scanner.finish()
}

/// Reads a final message as it arrives.
#[derive(Debug)]
pub struct Scanner {
    lines: Lines,
    reader: Reader,
}

impl Scanner {
    /// `brief` is what the agent was given, so that its echo can be told from a claim.
    pub fn new(expected: &Word, brief: &str) -> Scanner {
        Scanner { lines: Lines::default(), reader: Reader::new(expected, brief) }
    }

    pub fn feed(&mut self, text: &str) {
        if !self.reader.is_settled() {
            self.lines.feed(text, |line| self.reader.read(line));
        }
    }

    pub fn finish(mut self) -> Claim {
        self.lines.finish(|line| self.reader.read(line));
        self.reader.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, Scanner, Word};

    fn scanner() -> Scanner {
        Scanner::new(&Word::parse("DONE-7f3a").expect("valid"), "")
    }

    fn held_bytes(scanner: &Scanner) -> usize {
        scanner.lines.held_bytes() + scanner.reader.held_bytes()
    }

    #[test]
    fn a_line_of_500_megabytes_is_read_in_bounded_memory() {
        let chunk = "all good ".repeat(100_000);
        let mut scanner = scanner();
        for _ in 0..560 {
            scanner.feed(&chunk);
            assert!(held_bytes(&scanner) < 64 * 1024);
        }
        scanner.feed("<promise>DONE-7f3a</promise>");
        assert_eq!(scanner.finish(), Claim::Made { line: 1 });
    }

    #[test]
    fn a_line_that_arrives_character_by_character_is_cut_as_well() {
        let mut scanner = scanner();
        for _ in 0..200_000 {
            scanner.feed("é");
        }
        assert!(held_bytes(&scanner) < 64 * 1024);
    }

    #[test]
    fn whatever_is_repeated_memory_stays_small() {
        for unit in [
            "<promise>",
            "<promise>\n",
            "<promise>DONE-7f3a\n\n",
            "`\"x ",
            "\n",
            "> ",
            "- ",
            "<!--\n",
            "a <promise>b</promise> ",
        ] {
            let chunk = unit.repeat(10_000);
            let mut scanner = scanner();
            for _ in 0..20 {
                scanner.feed(&chunk);
                assert!(held_bytes(&scanner) < 128 * 1024, "{unit:?}");
            }
        }
    }
}
