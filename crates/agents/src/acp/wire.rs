//! The agent's standard input and output as the lines of the protocol.

use std::collections::VecDeque;
use std::io;

use futures::{Sink, Stream};
use ralph_engine::output::{self, Lines};
use serde::de::IgnoredAny;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};

use super::line::Line;

/// A longer line is not the protocol, whatever it begins with.
const LONGEST: usize = 16 * 1024 * 1024;
/// As much of what is not the protocol as is passed on.
const SHOWN: usize = 400;
const PIECE: usize = 64 * 1024;

struct Incoming<T> {
    stdout: ChildStdout,
    lines: Lines,
    ready: VecDeque<String>,
    piece: Box<[u8; PIECE]>,
    tell: T,
    is_over: bool,
}

/// What the agent says in the protocol. The rest, which would be answered with an error each, is told as noise.
pub(super) fn incoming<T: Fn(Line) + Send + 'static>(
    stdout: ChildStdout,
    tell: T,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let state = Incoming {
        stdout,
        lines: Lines::new(LONGEST),
        ready: VecDeque::new(),
        piece: Box::new([0; PIECE]),
        tell,
        is_over: false,
    };
    Box::pin(futures::stream::unfold(state, |mut state| async move {
        let line = state.next().await?;
        // Whoever handles the line comes next: between here and there lies a queue without a bound.
        tokio::task::yield_now().await;
        Some((line, state))
    }))
}

impl<T: Fn(Line)> Incoming<T> {
    async fn next(&mut self) -> Option<io::Result<String>> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Some(Ok(line));
            }
            if self.is_over {
                return None;
            }
            let read = match self.stdout.read(&mut self.piece[..]).await {
                Ok(read) => read,
                Err(error) => return Some(Err(error)),
            };
            let Incoming { lines, ready, piece, tell, is_over, .. } = self;
            let mut sort = |line: output::Line<'_>| match Sorted::of(line) {
                Sorted::Nothing => {}
                Sorted::Message(message) => ready.push_back(message),
                Sorted::Noise { bytes, text } => tell(Line::Noise { bytes, text }),
            };
            if read == 0 {
                *is_over = true;
                lines.finish(&mut sort);
            } else {
                lines.push(&piece[..read], sort);
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Sorted {
    Nothing,
    /// Of the protocol.
    Message(String),
    Noise {
        bytes: u64,
        text: String,
    },
}

impl Sorted {
    fn of(line: output::Line<'_>) -> Sorted {
        let text = String::from_utf8_lossy(line.bytes);
        let text = text.trim();
        if text.is_empty() && !line.is_truncated() {
            return Sorted::Nothing;
        }
        let is_object = text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok();
        if is_object && !line.is_truncated() {
            return Sorted::Message(text.to_owned());
        }
        Sorted::Noise { bytes: line.length, text: text.chars().take(SHOWN).collect() }
    }
}

/// What is said to the agent.
pub(super) fn outgoing(stdin: ChildStdin) -> impl Sink<String, Error = io::Error> + Send + 'static {
    Box::pin(futures::sink::unfold(stdin, |mut stdin, line: String| async move {
        stdin.write_all((line + "\n").as_bytes()).await?;
        stdin.flush().await?;
        Ok(stdin)
    }))
}

#[cfg(test)]
mod tests {
    use super::Sorted;
    use ralph_engine::output::Line;

    #[test]
    fn only_objects_are_the_protocol() {
        let sort = |text: &str| Sorted::of(Line { bytes: text.as_bytes(), length: text.len() as u64 });
        assert_eq!(sort("{\"id\":1}"), Sorted::Message("{\"id\":1}".to_owned()));
        assert_eq!(sort("  "), Sorted::Nothing);
        for noise in ["Loading…", "[1]", "{\"id\":", "3", "{} {}"] {
            assert!(matches!(sort(noise), Sorted::Noise { .. }), "{noise}");
        }
        let cut = Line { bytes: b"{}", length: 3 };
        assert_eq!(Sorted::of(cut), Sorted::Noise { bytes: 3, text: "{}".to_owned() });
    }
}
