//! Plain text: standard output is the message.
//!
//! **Final message:** the whole standard output. There is no end but the program's own, so the exit code decides whether
//! it ended well; the last line of the output is where such programs print why they did not.

use ralph_core::agent_event::AgentEvent;
use ralph_core::report::AgentExit;
use ralph_engine::output::Lines;

use super::jsonl::notice;
use super::told::{End, Told};
use super::words::{message, summary};
use super::{Conclusion, Hearing, Outcome, Parser};

/// What is kept of a line for people and for the last line; the promise is read in all of it.
const LONGEST_LINE: usize = 16 * 1024;

pub(crate) struct Plain {
    lines: Lines,
    notices: Lines,
    told: Told,
    /// The beginning of a character whose rest has not come yet.
    partial: Vec<u8>,
}

impl Plain {
    pub(crate) fn new(hearing: Hearing) -> Plain {
        Plain {
            lines: Lines::new(LONGEST_LINE),
            notices: Lines::new(LONGEST_LINE),
            told: Told::new(hearing),
            partial: Vec::new(),
        }
    }

    fn say(&mut self, bytes: &[u8]) {
        let joined;
        let bytes = if self.partial.is_empty() {
            bytes
        } else {
            joined = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
            &joined
        };
        let whole = bytes.len() - unfinished(bytes);
        self.told.message.say(&String::from_utf8_lossy(&bytes[..whole]));
        self.partial = bytes[whole..].to_vec();
    }
}

fn hear_line(line: &[u8], told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let text = String::from_utf8_lossy(line);
    if text.trim().is_empty() {
        return;
    }
    told.understood += 1;
    told.trouble = None;
    out(AgentEvent::Message { text: message(&text), parent: None });
    let last = told.last_line.get_or_insert_default();
    last.clear();
    last.push_str(&text);
}

impl Parser for Plain {
    fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(AgentEvent)) {
        self.say(bytes);
        let Plain { lines, told, .. } = self;
        lines.push(bytes, |line| hear_line(line.bytes, told, out));
    }

    fn overhear(&mut self, bytes: &[u8], out: &mut dyn FnMut(AgentEvent)) {
        let Plain { notices, told, .. } = self;
        notices.push(bytes, |line| notice(line.bytes, told, out));
    }

    fn conclude(mut self: Box<Self>, exit: &AgentExit, stderr_tail: &str) -> Conclusion {
        let Plain { lines, told, partial, .. } = &mut *self;
        lines.finish(|line| hear_line(line.bytes, told, &mut |_| {}));
        told.message.say(&String::from_utf8_lossy(partial));
        // The claim stands whatever the exit code; what it is worth then is not the parser's to say.
        let claim = told.message.claim();
        if exit.is_clean() {
            told.end = End::Well;
        }
        let failed =
            Outcome::Failed { what: summary(told.last_line.as_deref().unwrap_or(&exit.to_string())) };
        let mut conclusion = self.told.conclude(exit, stderr_tail);
        conclusion.claim = claim;
        if conclusion.outcome == Outcome::Unfinished {
            conclusion.outcome = failed;
        }
        conclusion
    }
}

/// How many bytes at the end begin a character that is cut off, whatever comes before it.
fn unfinished(bytes: &[u8]) -> usize {
    let last = &bytes[bytes.len().saturating_sub(4)..];
    let Some(lead) = last.iter().rposition(|byte| byte & 0xc0 != 0x80) else { return 0 };
    match std::str::from_utf8(&last[lead..]) {
        Err(error) if error.error_len().is_none() => last.len() - lead,
        Ok(_) | Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::unfinished;

    #[test]
    fn a_cut_off_character_is_kept_for_the_next_piece() {
        let text = "aé€😀".as_bytes();
        let cuts: Vec<usize> = (0..=text.len()).map(|end| unfinished(&text[..end])).collect();
        assert_eq!(cuts, [0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0]);
        assert_eq!(unfinished(b"\xff\xff\xff\xff\xff"), 0);
        assert_eq!(unfinished(b"\x80\x80\x80\x80\x80"), 0);
    }

    #[test]
    fn a_character_that_is_cut_off_is_found_behind_bytes_that_are_none() {
        let cases: [(&[u8], usize); 7] = [
            (b"", 0),
            (b"a", 0),
            ("ü".as_bytes(), 0),
            (b"\xb6\xcd", 1),
            (b"x\xff\xe2\x82", 2),
            (b"\xf0\x9f\xa6", 3),
            (b"\x80\x80\x80\x80\x80", 0),
        ];
        for (bytes, expected) in cases {
            assert_eq!(unfinished(bytes), expected, "{bytes:?}");
        }
    }
}
