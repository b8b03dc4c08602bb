//! Lines of a bounded length.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// A message longer than this is not one: it is dropped, and the next is read.
const LONGEST: usize = 4 << 20;

pub(super) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R) -> Lines<R> {
        Lines { read: BufReader::new(read), line: Vec::new(), is_too_long: false }
    }

    /// None when there are no more. Whoever stops waiting in the middle of a line goes on with it.
    pub(super) async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let available = self.read.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            self.is_too_long |= self.line.len() + taken > LONGEST;
            if self.is_too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.read.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if !std::mem::take(&mut self.is_too_long) {
                    return Some(line);
                }
            }
        }
    }
}
