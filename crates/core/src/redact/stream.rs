//! Redaction of bytes that come in chunks: lines are decided whole, over-long ones in windows that overlap.
//!
//! Where the text is cut depends on the text alone, never on the chunks, so any chunking gives the same bytes. What is
//! held back is at most one window.

use std::sync::Arc;

use super::folded;
use super::pem::{self, Armour, Skipped};
use super::scan::{LOOK_BEHIND, Scanner, Span};

/// A line longer than this is decided before its end is seen.
const WINDOW: usize = 64 * 1024;

/// What starts in the last part of a window is left to the next one; twice the longest secret that is promised.
const OVERLAP: usize = 2 * super::forms::LONGEST;

/// Hides secrets in one stream of bytes; a secret cut by chunks is hidden all the same.
#[derive(Debug, Clone)]
pub struct RedactStream {
    scanner: Arc<Scanner>,
    /// Undecided bytes of the current line, or of lines that one token was broken into, after up to [`LOOK_BEHIND`] bytes of it that are already out.
    pending: Vec<u8>,
    /// How many bytes of `pending` are already out.
    decided: usize,
    within: Within,
    spans: Vec<Span>,
}

/// What the last decided byte belonged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Text,
    PrivateKey(Armour),
    /// A secret that reached the end of its window.
    LongSecret,
}

impl RedactStream {
    pub(super) fn new(scanner: Arc<Scanner>) -> RedactStream {
        RedactStream { scanner, pending: Vec::new(), decided: 0, within: Within::Text, spans: Vec::new() }
    }

    /// Takes `bytes` and appends to `out` whatever is decided by now.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while !self.pending.is_empty() && !rest.is_empty() {
            rest = self.complete_pending(rest, out);
        }
        let mut at = 0;
        while let Some(next) = self.decide_next(rest, at, out) {
            at = next;
        }
        self.hold_back(rest, at);
    }

    /// Appends to `out` what was held back; the stream may be used again as a new one.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let pending = std::mem::take(&mut self.pending);
        let from = std::mem::take(&mut self.decided);
        self.decide_lines(&pending, from, out);
        self.within = Within::Text;
    }

    /// Adds to what is held back up to the end of a line or to a full window, and decides it then. A line that is as
    /// wide as broken ones are waits for the next.
    fn complete_pending<'a>(&mut self, bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        let room = WINDOW - (self.pending.len() - self.decided);
        let near = &bytes[..bytes.len().min(room)];
        let newline = near.iter().position(|byte| *byte == b'\n');
        let (now, rest) = bytes.split_at(newline.map_or(near.len(), |at| at + 1));
        self.pending.extend_from_slice(now);
        let settled = newline.is_some() && folded::is_settled(&self.pending, self.decided);
        if !settled && now.len() < room {
            return rest;
        }
        let mut pending = std::mem::take(&mut self.pending);
        let from = std::mem::take(&mut self.decided);
        if settled {
            self.decide_lines(&pending, from, out);
            pending.clear();
            self.pending = pending;
        } else {
            let to = self.decide_window(&pending, from, out);
            self.hold_back(&pending, to);
        }
        rest
    }

    /// Decides the next whole lines or the next window of `bytes[at..]`; none when what remains has to wait.
    fn decide_next(&mut self, bytes: &[u8], at: usize, out: &mut Vec<u8>) -> Option<usize> {
        let end = bytes.len().min(at + WINDOW);
        let near = &bytes[at..end];
        // `contains` is much faster than `rposition` on what has no line break.
        if near.contains(&b'\n') {
            let newline = near.iter().rposition(|byte| *byte == b'\n')?;
            let settled = folded::unsettled(bytes, at, at + newline + 1);
            if settled > at {
                self.decide_lines(&bytes[..settled], at, out);
                return Some(settled);
            }
        }
        (near.len() == WINDOW).then(|| self.decide_window(&bytes[..end], at, out))
    }

    fn hold_back(&mut self, bytes: &[u8], at: usize) {
        if at == bytes.len() {
            return;
        }
        let line = bytes[..at].iter().rev().take(LOOK_BEHIND);
        let behind = line.take_while(|byte| **byte != b'\n').count();
        self.pending.extend_from_slice(&bytes[at - behind..]);
        self.decided = behind;
    }

    /// Decides `text[from..]`, which ends with a line or with the stream.
    fn decide_lines(&mut self, text: &[u8], from: usize, out: &mut Vec<u8>) {
        let from = match self.within {
            Within::Text => from,
            Within::LongSecret => self.skip_long_secret(text, from),
            Within::PrivateKey(armour) => match pem::skip_lines(text, from, armour) {
                Skipped::To(at) => at,
                Skipped::Within(armour) => {
                    self.within = Within::PrivateKey(armour);
                    return;
                }
            },
        };
        self.within = Within::Text;
        let to = self.hide(text, from, text.len(), out);
        out.extend_from_slice(&text[to..]);
        if self.within == Within::LongSecret {
            self.within = Within::Text;
        }
    }

    /// Decides most of the over-long line, or of the many lines of one token, `text[from..]` and returns up to where.
    fn decide_window(&mut self, text: &[u8], from: usize, out: &mut Vec<u8>) -> usize {
        let from = match self.within {
            Within::Text => from,
            Within::PrivateKey(_) => pem::skip_escaped(text, from),
            Within::LongSecret => self.skip_long_secret(text, from),
        };
        if from == text.len() {
            return from;
        }
        self.within = Within::Text;
        let overlap = from.max(text.len() - OVERLAP);
        // Lines are left to the next window whole.
        let line = memchr::memrchr(b'\n', &text[from..overlap]);
        let limit = line.map_or(overlap, |newline| from + newline + 1);
        let to = self.hide(text, from, limit, out);
        let end = to.max(limit);
        out.extend_from_slice(&text[to..end]);
        end
    }

    /// Writes `text[from..]` up to the end of the last secret that starts before `limit`, and returns that end.
    fn hide(&mut self, text: &[u8], from: usize, limit: usize, out: &mut Vec<u8>) -> usize {
        let mut spans = std::mem::take(&mut self.spans);
        self.scanner.spans(text, from, &mut spans);
        let mut at = from;
        for span in spans.iter().take_while(|span| span.start < limit) {
            if span.start >= at {
                out.extend_from_slice(&text[at..span.start]);
                replace(span.kind, out);
            }
            if span.start >= at && span.goes_on {
                at = self.skip_private_key(text, span.end, out);
            } else {
                at = at.max(span.end);
            }
        }
        self.spans = spans;
        if at == text.len() && at > from && self.within == Within::Text {
            self.within = Within::LongSecret;
        }
        at
    }

    fn skip_private_key(&mut self, text: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
        let line_end = text[at..].iter().position(|byte| *byte == b'\n');
        let (to, after) = match pem::skip_after_header(text, at) {
            Skipped::To(to) => (to, Within::Text),
            Skipped::Within(armour) => (text.len(), Within::PrivateKey(armour)),
        };
        if line_end.is_some_and(|offset| at + offset < to) {
            out.push(b'\n');
        }
        self.within = after;
        to
    }

    fn skip_long_secret(&self, text: &[u8], from: usize) -> usize {
        let of_secret = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_+/=.~%".contains(byte);
        let rest = text[from..].iter().position(|byte| !of_secret(byte));
        rest.map_or(text.len(), |offset| from + offset)
    }
}

fn replace(kind: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"[redacted:");
    out.extend_from_slice(kind.as_bytes());
    out.push(b']');
}
