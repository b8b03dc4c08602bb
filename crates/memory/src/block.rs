//! Blocks between fences, as Markdown has them: what stands inside of another block is shown, and not said.

/// A block that was opened.
pub(crate) struct Block<'a> {
    mark: char,
    length: usize,
    info: &'a str,
}

impl Block<'_> {
    pub(crate) fn opened_by(line: &str) -> Option<Block<'_>> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        // With a backtick behind it, it is code within a line.
        let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
        is_fence.then_some(Block { mark, length, info: info.trim() })
    }

    pub(crate) fn is_closed_by(&self, line: &str) -> bool {
        line.len() >= self.length && line.chars().all(|mark| mark == self.mark)
    }

    /// Whether it is marked so.
    pub(crate) fn is_of(&self, kind: &str) -> bool {
        self.mark == '`' && self.info.eq_ignore_ascii_case(kind)
    }
}
