//! Where a run's events go to be seen. The journal's entries always arrive; what the agent prints may be dropped
//! when the reader is slower than the agent, and then the reader is told how much.

use jiff::Timestamp;
use ralph_core::agent_event::AgentEvent;
use ralph_core::event::{AgentKind, AgentTold, Entry, Line, Output, OutputKind, Stream};
use tokio::sync::mpsc;

use crate::output::printable;

/// Room for a burst of output lines.
const ROOM: usize = 512;

#[derive(Debug)]
pub struct Feed {
    lines: mpsc::Sender<Line>,
    last_seq: u64,
    dropped: u64,
}

pub fn feed() -> (Feed, mpsc::Receiver<Line>) {
    let (lines, receiver) = mpsc::channel(ROOM);
    (Feed { lines, last_seq: 0, dropped: 0 }, receiver)
}

impl Feed {
    /// What was journalled before the run is driven.
    pub async fn begin(&mut self, entries: Vec<Entry>) {
        self.entries(entries).await;
    }

    /// A reader that went away is not the run's problem.
    pub(crate) async fn entries(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            self.last_seq = entry.seq;
            if self.lines.send(Line::Journal(entry)).await.is_err() {
                return;
            }
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
        if self.lines.capacity() >= ROOM / 2 {
            let _unseen = self.lines.try_send(Line::Agent(told));
        }
    }

    pub(crate) fn output(&mut self, (iteration, attempt): (u32, u32), stream: Stream, bytes: &[u8]) {
        // Half of the room is kept for the journal's entries, which may not be lost.
        if self.lines.capacity() < ROOM / 2 {
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
        // A full or closed channel only means that nobody sees this piece live; it is in the files.
        let _unseen = self.lines.try_send(Line::Output(output));
    }
}
