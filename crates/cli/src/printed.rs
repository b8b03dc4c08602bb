//! What an attempt printed, read back from its recording: as bytes, as text, or as what the agent said in its own
//! language.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ralph_agents::catalog::Catalogue;
use ralph_agents::prices::Prices;
use ralph_agents::stream::{Format, Hearing, Parser};
use ralph_core::Timestamp;
use ralph_core::agent_event::AgentEvent;
use ralph_core::event::{AgentKind, AgentTold, Line, Output, OutputKind, Stream};
use ralph_core::id::AgentName;
use ralph_core::promise::Word;
use ralph_core::report::Usage;
use ralph_engine::output::{OutputError, Piece, Reader, printable_bytes};

use crate::follow::{Found, Reading};
use crate::words::size;

/// Understands the agents of a catalogue. What it hears is shown, never judged.
pub(crate) struct Ears {
    catalogue: Catalogue,
    prices: Arc<Prices>,
}

impl Ears {
    pub(crate) fn new((catalogue, prices): (Catalogue, Prices)) -> Ears {
        Ears { catalogue, prices: Arc::new(prices) }
    }

    /// None for an agent that prints plain text, and for one that is no longer known.
    fn parser(&self, agent: &AgentName) -> Option<Box<dyn Parser>> {
        let entry = self.catalogue.get(agent.as_str()).filter(|entry| entry.format != Format::Text)?;
        Some(entry.parser(Hearing {
            // Promise, brief and counter only matter to a conclusion, and none is drawn here.
            promise: Word::parse("DONE").expect("a word"),
            brief: String::new(),
            model: None,
            counter: Usage::default(),
            manners: Arc::clone(&entry.manners),
            prices: Arc::clone(&self.prices),
        }))
    }
}

pub(crate) struct Printed {
    /// Iteration and attempt.
    position: (u32, u32),
    started: Timestamp,
    /// How long after that the last piece came.
    last: Duration,
    reader: Reader,
    how: How,
}

enum How {
    Bytes,
    Text,
    Words { parser: Box<dyn Parser>, stderr: bool, heard: u64, printed: u64 },
}

impl Printed {
    pub(crate) fn open(
        recording: &Path,
        position: (u32, u32),
        agent: &AgentName,
        started: Timestamp,
        reading: &Reading,
    ) -> Printed {
        let how = match reading {
            Reading::Bytes => How::Bytes,
            Reading::Text => How::Text,
            Reading::Words { ears, stderr } => match ears.parser(agent) {
                Some(parser) => How::Words { parser, stderr: *stderr, heard: 0, printed: 0 },
                None => How::Text,
            },
        };
        Printed { position, started, last: Duration::ZERO, reader: Reader::open(recording, 0), how }
    }

    /// Hands on the next piece; false when there is none for now.
    pub(crate) fn next(&mut self, seq: u64, take: &mut impl FnMut(Found<'_>)) -> Result<bool, OutputError> {
        let piece = self.reader.read()?;
        if let Some(Piece::Bytes { since, .. }) = &piece {
            self.last = *since;
        }
        let at = self.started.saturating_add(self.last).unwrap_or(self.started);
        let place = Place { seq, at, position: self.position };
        match piece {
            None => return Ok(false),
            Some(Piece::Bytes { stream, bytes, .. }) => self.how.take(place, stream, bytes, take),
            Some(Piece::Gap { bytes }) => self.how.miss(place, &format!("{} not kept", size(bytes)), take),
            Some(Piece::Torn { .. }) => self.how.miss(place, "cut off here", take),
        }
        Ok(true)
    }

    /// What is to be said once there is no more.
    pub(crate) fn close(self, seq: u64) -> Option<Line> {
        let How::Words { heard: 0, printed: 1.., .. } = self.how else { return None };
        let place = Place { seq, at: self.started, position: self.position };
        Some(place.output(
            Stream::Out,
            "… nothing in the agent's own format; --raw shows what it printed …\n".to_owned(),
        ))
    }
}

impl How {
    fn take(&mut self, place: Place, stream: Stream, bytes: &[u8], take: &mut impl FnMut(Found<'_>)) {
        let text = || Found::Line(Box::new(place.output(stream, printable_bytes(bytes).into_owned())));
        match self {
            How::Bytes => take(Found::Bytes { iteration: place.position.0, at: place.at, bytes }),
            How::Text => take(text()),
            How::Words { parser, stderr, heard, printed } => {
                *printed += bytes.len() as u64;
                let mut tell = |event| {
                    *heard += 1;
                    take(Found::Line(Box::new(place.told(event))));
                };
                match stream {
                    Stream::Out => parser.push(bytes, &mut tell),
                    Stream::Err => parser.overhear(bytes, &mut tell),
                }
                if stream == Stream::Err && *stderr {
                    take(text());
                }
            }
        }
    }

    /// Something is missing here, and what comes next does not continue what came before.
    fn miss(&mut self, place: Place, what: &str, take: &mut impl FnMut(Found<'_>)) {
        match self {
            How::Bytes => eprintln!("… {what} …"),
            How::Text => take(Found::Line(Box::new(place.output(Stream::Out, format!("\n… {what} …\n"))))),
            How::Words { parser, .. } => {
                parser.push(b"\n", &mut |event| take(Found::Line(Box::new(place.told(event)))));
                take(Found::Line(Box::new(place.output(Stream::Out, format!("… {what} …\n")))));
            }
        }
    }
}

/// Where and when something was printed.
#[derive(Debug, Clone, Copy)]
struct Place {
    seq: u64,
    at: Timestamp,
    position: (u32, u32),
}

impl Place {
    fn output(self, stream: Stream, text: String) -> Line {
        let Place { seq, at, position: (iteration, attempt) } = self;
        Line::Output(Output { seq, at, kind: OutputKind::Output, iteration, attempt, stream, text })
    }

    fn told(self, event: AgentEvent) -> Line {
        let Place { seq, at, position: (iteration, attempt) } = self;
        Line::Agent(AgentTold { seq, at, kind: AgentKind::Agent, iteration, attempt, event })
    }
}
