//! Code as words and marks, without blanks and comments.

/// Remembers a comment that goes on over the end of a line.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    in_comment: bool,
}

impl Tokens {
    /// Shows each token of a line. Which language it is is not known: `//`, `/* */` and `#` with a blank behind it, at
    /// the beginning of a line or after a blank, are comments in most.
    pub(super) fn line(&mut self, line: &str, mut show: impl FnMut(&str)) {
        let mut rest = line.trim_start();
        // The middle of a block comment, as most people write it.
        if rest.starts_with("* ") || rest == "*" {
            return;
        }
        let mut after_blank = true;
        while let Some(next) = rest.chars().next() {
            if self.in_comment {
                let end = rest.find("*/");
                self.in_comment = end.is_none();
                rest = end.map_or("", |end| &rest[end + 2..]);
                continue;
            }
            if next.is_whitespace() {
                rest = rest.trim_start();
                after_blank = true;
                continue;
            }
            if rest.starts_with("/*") {
                self.in_comment = true;
                rest = &rest[2..];
                continue;
            }
            if after_blank && is_comment(rest) {
                return;
            }
            after_blank = false;
            let length = length(rest, next);
            show(&rest[..length]);
            rest = &rest[length..];
        }
    }
}

fn is_comment(rest: &str) -> bool {
    rest.starts_with("//") || rest.starts_with("# ") || rest == "#" || rest.starts_with("-- ")
}

/// A word is one token, and so is any mark.
fn length(rest: &str, first: char) -> usize {
    let is_word = |next: char| next.is_alphanumeric() || next == '_';
    if is_word(first) { rest.find(|next| !is_word(next)).unwrap_or(rest.len()) } else { first.len_utf8() }
}
