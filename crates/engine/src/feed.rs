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

#[derive(Debug)]
pub struct Feed {
    lines: SyncSender<Line>,
    output_waiting: Arc<AtomicUsize>,
    appetite: Appetite,
    last_glimpse: Option<Instant>,
    last_seq: u64,
    dropped: u64,
}

/// The reader's end. Blocking, for a thread of its own: a terminal may stand still for as long as it likes.
#[derive(Debug)]
pub struct Watch {
    lines: Receiver<Line>,
    output_waiting: Arc<AtomicUsize>,
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
    let output_waiting = Arc::new(AtomicUsize::new(0));
    let watch = Watch { lines: receiver, output_waiting: Arc::clone(&output_waiting) };
    let feed = Feed { lines: sender, output_waiting, appetite, last_glimpse: None, last_seq: 0, dropped: 0 };
    (feed, watch)
}

impl Watch {
    pub fn next(&self, within: Duration) -> Seen {
        match self.lines.recv_timeout(within) {
            Ok(line) => {
                if matches!(line, Line::Output(_) | Line::Agent(_)) {
                    self.output_waiting.fetch_sub(1, Ordering::Relaxed);
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

    pub(crate) fn agent(&mut self, (iteration, attempt): (u32, u32), event: AgentEvent) {
        let told = AgentTold {
            seq: self.last_seq,
            at: Timestamp::now(),
            kind: AgentKind::Agent,
            iteration,
            attempt,
            event,
        };
        if self.output_waiting.load(Ordering::Relaxed) < ROOM_FOR_OUTPUT
            && self.lines.try_send(Line::Agent(told)).is_ok()
        {
            self.output_waiting.fetch_add(1, Ordering::Relaxed);
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

    fn piece(&mut self, (iteration, attempt): (u32, u32), stream: Stream, bytes: &[u8]) {
        if self.output_waiting.load(Ordering::Relaxed) >= ROOM_FOR_OUTPUT {
            self.dropped += bytes.len() as u64;
            return;
        }
        let mut text = String::new();
        if self.dropped > 0 {
            text = format!("… {} bytes not shown …\n", std::mem::take(&mut self.dropped));
        }
        text.push_str(&printable(&String::from_utf8_lossy(bytes)));
        let output = Output {
            seq: self.last_seq,
            at: Timestamp::now(),
            kind: OutputKind::Output,
            iteration,
            attempt,
            stream,
            text,
        };
        if self.lines.try_send(Line::Output(output)).is_ok() {
            self.output_waiting.fetch_add(1, Ordering::Relaxed);
        }
    }
}
