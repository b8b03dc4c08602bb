//! Agents that print one JSON object per line.

use ralph_core::agent_event::AgentEvent;
use ralph_core::report::AgentExit;
use ralph_engine::output::{Line, Lines};

use super::told::{Problem, Told};
use super::words::summary;
use super::{Conclusion, Hearing, Parser};

/// A longer line is not the agent's format, whatever it begins with.
const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// Notices of waiting are short.
const LONGEST_NOTICE: usize = 4096;

/// What the lines of one format mean.
pub(super) trait Dialect: Send {
    fn read(
        &mut self,
        line: &[u8],
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed>;
}

/// Not a line of this format.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl From<serde_json::Error> for Malformed {
    fn from(_: serde_json::Error) -> Malformed {
        Malformed
    }
}

pub(super) struct Jsonl<D> {
    dialect: D,
    lines: Lines,
    notices: Lines,
    told: Told,
}

impl<D: Dialect> Jsonl<D> {
    pub(super) fn new(dialect: D, hearing: Hearing) -> Jsonl<D> {
        Jsonl {
            dialect,
            lines: Lines::new(LONGEST_LINE),
            notices: Lines::new(LONGEST_NOTICE),
            told: Told::new(hearing),
        }
    }
}

fn read<D: Dialect>(dialect: &mut D, line: Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    if line.bytes.iter().all(u8::is_ascii_whitespace) && !line.is_truncated() {
        return;
    }
    let understood = !line.is_truncated() && dialect.read(line.bytes, told, out).is_ok();
    *(if understood { &mut told.understood } else { &mut told.malformed }) += 1;
}

/// Reports that the agent waits; whatever it says next shows that the waiting is over.
pub(super) fn notice(line: &[u8], told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let line = String::from_utf8_lossy(line);
    if told.hearing.manners.waiting.iter().any(|pattern| pattern.matches(&line)) {
        // The attempt is the first number that such lines have.
        let attempt = line.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse().ok());
        let why = summary(&line);
        out(AgentEvent::Waiting { attempt: attempt.unwrap_or(1), of: None, delay_ms: None, why });
        told.trouble = Some(Problem { message: line.trim().to_owned(), ..Problem::default() });
    }
}

impl<D: Dialect> Parser for Jsonl<D> {
    fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(AgentEvent)) {
        let Jsonl { dialect, lines, told, .. } = self;
        lines.push(bytes, |line| read(dialect, line, told, out));
    }

    fn overhear(&mut self, bytes: &[u8], out: &mut dyn FnMut(AgentEvent)) {
        let Jsonl { notices, told, .. } = self;
        notices.push(bytes, |line| notice(line.bytes, told, out));
    }

    fn conclude(mut self: Box<Self>, exit: &AgentExit, stderr_tail: &str) -> Conclusion {
        let Jsonl { dialect, lines, told, .. } = &mut *self;
        lines.finish(|line| read(dialect, line, told, &mut |_| {}));
        self.told.conclude(exit, stderr_tail)
    }
}
