//! What has been decided so far, and the one tag that still depends on what follows it.

use super::blocks::{Block, Role};
use super::echo::Echo;
use super::lines::Line;
use super::objection::objection;
use super::sentence::first_end;
use super::{Claim, Refusal};

/// How much of a sentence that goes on after the tag is read.
const CONTINUATION: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Verdict {
    state: State,
    refused: Option<(u64, Refusal)>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Watching,
    /// Good so far; its next lines may show it to be an echo or part of a longer sentence.
    Pending(Candidate),
    Made {
        line: u64,
    },
}

#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) line: u64,
    /// The line, or lines joined, that the tag stands on.
    pub(super) tag_line: String,
    /// The sentence that goes on in the lines after the tag, once it does.
    pub(super) continuation: Option<String>,
}

impl Verdict {
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.state, State::Made { .. })
    }

    /// The last refusal is kept, but one with the right word is not given up for one without.
    pub(super) fn refuse(&mut self, line: u64, why: Refusal) {
        let keeps = self.refused.as_ref().is_some_and(|(_, kept)| kept.is_near() && !why.is_near());
        if !keeps {
            self.refused = Some((line, why));
        }
    }

    /// A second good tag leaves nothing to wait for.
    pub(super) fn consider(&mut self, candidate: Candidate) {
        self.state = match std::mem::take(&mut self.state) {
            State::Watching => State::Pending(candidate),
            State::Pending(Candidate { line, .. }) | State::Made { line } => State::Made { line },
        };
    }

    /// Shows the pending tag a line after it.
    pub(super) fn follow(&mut self, line: Line<'_>, block: Block<'_>, echo: &Echo) {
        let State::Pending(candidate) = std::mem::take(&mut self.state) else { return };
        let number = candidate.line;
        match candidate.followed_by(line, block, echo) {
            Followed::Waiting(candidate) => self.state = State::Pending(candidate),
            Followed::Made => self.state = State::Made { line: number },
            Followed::Refused(why) => self.refuse(number, why),
        }
    }

    pub(super) fn claim(self) -> Claim {
        match (self.state, self.refused) {
            (State::Made { line } | State::Pending(Candidate { line, .. }), _) => Claim::Made { line },
            (State::Watching, Some((line, why))) => Claim::Refused { line, why },
            (State::Watching, None) => Claim::None,
        }
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        match &self.state {
            State::Pending(c) => c.tag_line.capacity() + c.continuation.as_ref().map_or(0, String::capacity),
            State::Watching | State::Made { .. } => 0,
        }
    }
}

enum Followed {
    Waiting(Candidate),
    Made,
    Refused(Refusal),
}

impl Candidate {
    fn followed_by(self, line: Line<'_>, block: Block<'_>, echo: &Echo) -> Followed {
        let begins = self.continuation.is_none();
        match block {
            Block::Blank if begins => Followed::Waiting(self),
            _ if begins && echo.comes_before(&self.tag_line, line.text.trim()) => {
                Followed::Refused(Refusal::Echo)
            }
            Block::Text { content, role: Role::Flow } if !begins || begins_in_lower_case(content) => {
                self.continued_by(content)
            }
            Block::Blank
            | Block::Rule
            | Block::Fenced
            | Block::Indented
            | Block::Quote
            | Block::Text { role: Role::Flow | Role::Item | Role::Heading, .. } => Followed::Made,
        }
    }

    fn continued_by(mut self, content: &str) -> Followed {
        let end = first_end(content);
        let text = self.continuation.get_or_insert_default();
        let piece = &content[..end.unwrap_or(content.len())];
        text.push_str(&piece[..piece.floor_char_boundary(CONTINUATION)]);
        text.push(' ');
        let over = text.len() > CONTINUATION;
        match objection(text) {
            Some(why) => Followed::Refused(why),
            None if end.is_some() || over => Followed::Made,
            None => Followed::Waiting(self),
        }
    }
}

fn begins_in_lower_case(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_whitespace() || "*_—–-…(,;:.".contains(c))
        .starts_with(char::is_lowercase)
}
