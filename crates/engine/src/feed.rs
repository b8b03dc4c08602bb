//! Where a run's events go to be seen. A run never waits for whoever looks at it: what the agent prints is dropped when
//! the reader is slower than the agent, and the reader is told how much; the journal's entries have room for thousands.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ralph_core::agent_event::AgentEvent;
use ralph_core::event::{AgentKind, AgentTold, Entry, Line, Output, OutputKind, Stream};

use crate::output::printable;

/// Journal entries that may wait for a reader that stands still; a reader that is further behind reads the journal.
const ROOM: usize = 4_096;

/// How much of what the agent prints a reader wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appetite {
    /// All of it, as far as the reader keeps up.
    Everything,
    /// The last words, a few times a second.
    Glimpses,
}

/// A glimpse is a line or two, and there are not more of them than eyes can follow.
const GLIMPSE: usize = 1_000;
const BETWEEN_GLIMPSES: Duration = Duration::from_millis(100);

/// Pieces of output that may wait: they are large.
const ROOM_FOR_OUTPUT: usize = 128;

/// Events of an agent that may wait: most are small, and some have all of a long message.
const ROOM_FOR_EVENTS: usize = 512;

/// What waits for the reader, beside journal entries.
#[derive(Debug, Default)]
struct Waiting {
    output: AtomicUsize,
    events: AtomicUsize,
}

#[derive(Debug)]
pub struct Feed {
    lines: SyncSender<Line>,
    waiting: Arc<Waiting>,
    appetite: Appetite,
    last_glimpse: Option<Instant>,
    last_seq: u64,
    /// Bytes of output that the reader was too slow for.
    dropped: u64,
    /// Events that the reader was too slow for.
    missed: u64,
}

/// The reader's end. Blocking, for a thread of its own: a terminal may stand still for as long as it likes.
#[derive(Debug)]
pub struct Watch {
    lines: Receiver<Line>,
    waiting: Arc<Waiting>,
}

/// What a reader finds.
#[derive(Debug)]
pub enum Seen {
    Line(Box<Line>),
    NothingNew,
    /// The run is over.
    Over,
}

pub fn feed(appetite: Appetite) -> (Feed, Watch) {
    let (sender, receiver) = sync_channel(ROOM);
    let waiting = Arc::new(Waiting::default());
    let watch = Watch { lines: receiver, waiting: Arc::clone(&waiting) };
    let feed =
        Feed { lines: sender, waiting, appetite, last_glimpse: None, last_seq: 0, dropped: 0, missed: 0 };
    (feed, watch)
}

impl Watch {
    pub fn next(&self, within: Duration) -> Seen {
        match self.lines.recv_timeout(within) {
            Ok(line) => {
                match &line {
                    Line::Output(_) => {
                        self.waiting.output.fetch_sub(1, Ordering::Relaxed);
                    }
                    Line::Agent(_) => {
                        self.waiting.events.fetch_sub(1, Ordering::Relaxed);
                    }
                    Line::Journal(_) => {}
                }
                Seen::Line(Box::new(line))
            }
            Err(RecvTimeoutError::Timeout) => Seen::NothingNew,
            Err(RecvTimeoutError::Disconnected) => Seen::Over,
        }
    }
}

impl Feed {
    /// What was journalled before the run is driven.
    pub fn begin(&mut self, entries: Vec<Entry>) {
        self.entries(entries);
    }

    pub(crate) fn entries(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            self.last_seq = entry.seq;
            // A reader that went away or stands still is not the run's problem: it is all in the journal.
            let _unseen = self.lines.try_send(Line::Journal(entry));
        }
    }

    pub(crate) fn agent(&mut self, position: (u32, u32), event: AgentEvent) {
        if self.waiting.events.load(Ordering::Relaxed) >= ROOM_FOR_EVENTS {
            self.missed += 1;
            return;
        }
        if self.missed > 0 {
            let text = format!("… {} events not shown …\n", std::mem::take(&mut self.missed));
            self.send(position, Stream::Out, text);
        }
        let (iteration, attempt) = position;
        let told = AgentTold {
            seq: self.last_seq,
            at: Timestamp::now(),
            kind: AgentKind::Agent,
            iteration,
            attempt,
            event,
        };
        // Counted before it is sent: the reader may take it at once.
        self.waiting.events.fetch_add(1, Ordering::Relaxed);
        if self.lines.try_send(Line::Agent(told)).is_err() {
            self.waiting.events.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn output(&mut self, position: (u32, u32), stream: Stream, bytes: &[u8]) {
        match self.appetite {
            Appetite::Everything => self.piece(position, stream, bytes),
            Appetite::Glimpses if self.last_glimpse.is_some_and(|last| last.elapsed() < BETWEEN_GLIMPSES) => {
            }
            Appetite::Glimpses => {
                self.last_glimpse = Some(Instant::now());
                self.piece(position, stream, &bytes[bytes.len().saturating_sub(GLIMPSE)..]);
            }
        }
    }

    fn piece(&mut self, position: (u32, u32), stream: Stream, bytes: &[u8]) {
        if self.waiting.output.load(Ordering::Relaxed) >= ROOM_FOR_OUTPUT {
            self.dropped += bytes.len() as u64;
            return;
        }
        let mut text = String::new();
        if self.dropped > 0 {
            text = format!("… {} bytes not shown …\n", std::mem::take(&mut self.dropped));
        }
        text.push_str(&printable(&String::from_utf8_lossy(bytes)));
        self.send(position, stream, text);
    }

    fn send(&mut self, (iteration, attempt): (u32, u32), stream: Stream, text: String) {
        let output = Output {
            seq: self.last_seq,
            at: Timestamp::now(),
            kind: OutputKind::Output,
            iteration,
            attempt,
            stream,
            text,
        };
        self.waiting.output.fetch_add(1, Ordering::Relaxed);
        if self.lines.try_send(Line::Output(output)).is_err() {
            self.waiting.output.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Appetite, ROOM_FOR_EVENTS, Seen, feed};
    use ralph_core::agent_event::AgentEvent;
    use ralph_core::event::Line;
    use std::time::Duration;

    #[test]
    fn a_reader_that_was_too_slow_for_events_is_told_how_many() {
        let (mut feed, watch) = feed(Appetite::Glimpses);
        let mut say = |n: usize| feed.agent((1, 1), AgentEvent::Error { what: n.to_string() });
        let next = || match watch.next(Duration::ZERO) {
            Seen::Line(line) => Some(*line),
            Seen::NothingNew | Seen::Over => None,
        };
        (0..ROOM_FOR_EVENTS + 7).for_each(&mut say);
        let seen = std::iter::from_fn(next).count();
        assert_eq!(seen, ROOM_FOR_EVENTS);
        say(0);
        let Some(Line::Output(output)) = next() else { panic!("a note") };
        assert_eq!(output.text, "… 7 events not shown …\n");
        assert!(matches!(next(), Some(Line::Agent(_))));
        assert!(next().is_none());
    }
}
