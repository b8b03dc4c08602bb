//! What is said, a line for each message. Answers to what came as a list go out as one.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// A list of requests that is not answered yet.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) awaited: Vec<Value>,
    pub(super) answers: Vec<Value>,
}

pub(super) struct Out<W> {
    /// None when it is closed.
    write: Option<W>,
    /// Whoever stops waiting leaves the rest of a line here for the next.
    unsent: Vec<u8>,
    batches: Vec<Batch>,
}

impl<W: AsyncWrite + Unpin> Out<W> {
    pub(super) fn new(write: W) -> Out<W> {
        Out { write: Some(write), unsent: Vec::new(), batches: Vec::new() }
    }

    pub(super) fn expect(&mut self, batch: Batch) {
        self.batches.push(batch);
        self.settle();
    }

    /// A request that was taken back is not answered any more.
    pub(super) fn forget(&mut self, id: &Value) {
        for batch in &mut self.batches {
            batch.awaited.retain(|awaited| awaited != id);
        }
        self.settle();
    }

    /// Says it with the others of its list, or by itself.
    pub(super) fn put(&mut self, message: Value) {
        let is_answer = message.get("method").is_none();
        let id = message.get("id").filter(|_| is_answer);
        let place = |batch: &Batch| batch.awaited.iter().position(|awaited| Some(awaited) == id);
        let found = self.batches.iter_mut().find_map(|batch| place(batch).map(|at| (batch, at)));
        match found {
            Some((batch, at)) => {
                batch.awaited.swap_remove(at);
                batch.answers.push(message);
                self.settle();
            }
            None => self.line(&message),
        }
    }

    /// Lists whose answers are all there go out; where none is to be given, nothing does.
    fn settle(&mut self) {
        let (open, settled) =
            std::mem::take(&mut self.batches).into_iter().partition(|batch| !batch.awaited.is_empty());
        self.batches = open;
        self.say(settled);
    }

    fn say(&mut self, batches: Vec<Batch>) {
        for batch in batches.into_iter().filter(|batch| !batch.answers.is_empty()) {
            self.line(&Value::Array(batch.answers));
        }
    }

    fn line(&mut self, message: &Value) {
        self.unsent.extend_from_slice(message.to_string().as_bytes());
        self.unsent.push(b'\n');
    }

    pub(super) async fn flush(&mut self) -> io::Result<()> {
        let Some(write) = &mut self.write else { return Err(io::ErrorKind::NotConnected.into()) };
        while !self.unsent.is_empty() {
            match write.write(&self.unsent).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => drop(self.unsent.drain(..written)),
            }
        }
        write.flush().await
    }

    /// What was answered of a list is said even if the rest never comes.
    pub(super) async fn close(&mut self) -> io::Result<()> {
        let unfinished = std::mem::take(&mut self.batches);
        self.say(unfinished);
        let flushed = self.flush().await;
        self.write = None;
        flushed
    }
}
