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
            let mut sort = |line: output::Line<'_>| match sorted(line) {
                Ok(message) => ready.extend(message),
                Err(noise) => tell(noise),
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

/// A message of the protocol, nothing at all, or noise.
fn sorted(line: output::Line<'_>) -> Result<Option<String>, Line> {
    let text = String::from_utf8_lossy(line.bytes);
    let trimmed = text.trim();
    if trimmed.is_empty() && !line.is_truncated() {
        return Ok(None);
    }
    let is_object = trimmed.starts_with('{') && serde_json::from_str::<IgnoredAny>(trimmed).is_ok();
    if is_object && !line.is_truncated() {
        return Ok(Some(trimmed.to_owned()));
    }
    Err(Line::Noise { bytes: line.length, text: trimmed.chars().take(SHOWN).collect() })
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
    use super::{Line, sorted};
    use ralph_engine::output;

    #[test]
    fn only_objects_are_the_protocol() {
        let sort = |text: &str| sorted(output::Line { bytes: text.as_bytes(), length: text.len() as u64 });
        assert_eq!(sort("{\"id\":1}"), Ok(Some("{\"id\":1}".to_owned())));
        assert_eq!(sort("  "), Ok(None));
        for noise in ["Loading…", "[1]", "{\"id\":", "3", "{} {}"] {
            assert!(matches!(sort(noise), Err(Line::Noise { .. })), "{noise}");
        }
        let cut = output::Line { bytes: b"{}", length: 3 };
        assert_eq!(sorted(cut), Err(Line::Noise { bytes: 3, text: "{}".to_owned() }));
    }
}
