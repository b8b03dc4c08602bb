//! The wire as the protocol's library wants it.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;

use super::judged::{Judged, judged, unwanted};
use super::lines::Lines;
use super::out::{Batch, Out};

/// So many messages may come as a list; of more, none is looked at.
const MOST: usize = 100;

pub(crate) struct Wire<R, W> {
    lines: Lines<R>,
    waiting: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// What the lines so far are answered by the wire itself.
    due: Due,
    /// Answers are sent from tasks of their own, each while it holds this.
    out: Arc<Mutex<Out<W>>>,
}

#[derive(Default)]
struct Due {
    refusals: Vec<Value>,
    batches: Vec<Batch>,
    forgotten: Vec<Value>,
    /// Something of it was put and is perhaps not sent yet.
    is_put: bool,
}

impl Due {
    fn is_nothing(&self) -> bool {
        !self.is_put && self.refusals.is_empty() && self.batches.is_empty() && self.forgotten.is_empty()
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Wire<R, W> {
    pub(crate) fn new(read: R, write: W) -> Wire<R, W> {
        let out = Arc::new(Mutex::new(Out::new(write)));
        Wire { lines: Lines::new(read), waiting: VecDeque::new(), due: Due::default(), out }
    }

    /// What is no JSON is passed over: there is no id in it, and an answer could be answered in the same way.
    fn take(&mut self, line: &[u8]) {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        match serde_json::from_slice(line) {
            Ok(Value::Array(messages)) if messages.len() > MOST => {
                let answers = messages.iter().filter_map(unwanted).collect();
                self.due.batches.push(Batch { answers, ..Batch::default() });
            }
            Ok(Value::Array(messages)) if !messages.is_empty() => self.take_list(messages),
            Ok(message) => {
                let refusal = self.taken(message);
                self.due.refusals.extend(refusal);
            }
            Err(_) => {}
        }
    }

    fn take_list(&mut self, messages: Vec<Value>) {
        let mut batch = Batch::default();
        for message in messages {
            let is_request = message.get("method").is_some();
            let id = message.get("id").filter(|_| is_request).cloned();
            match self.taken(message) {
                Some(refusal) => batch.answers.push(refusal),
                None => batch.awaited.extend(id),
            }
        }
        self.due.batches.push(batch);
    }

    /// The answer to what is no message.
    fn taken(&mut self, message: Value) -> Option<Value> {
        if message["method"] == "notifications/cancelled" {
            self.due.forgotten.push(message["params"]["requestId"].clone());
        }
        match judged(message) {
            Judged::Message(message) => self.waiting.push_back(*message),
            Judged::Refused(answer) => return Some(answer),
            Judged::PassedOver => {}
        }
        None
    }

    /// May be given up at any time, and is then gone on with by the next.
    async fn answer(&mut self) -> io::Result<()> {
        if self.due.is_nothing() {
            return Ok(());
        }
        let mut out = self.out.lock().await;
        self.due.is_put = true;
        self.due.batches.drain(..).for_each(|batch| out.expect(batch));
        self.due.forgotten.drain(..).for_each(|id| out.forget(&id));
        self.due.refusals.drain(..).for_each(|refusal| out.put(refusal));
        out.flush().await?;
        self.due.is_put = false;
        Ok(())
    }
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let out = self.out.clone();
        async move {
            let message = serde_json::to_value(item)?;
            let mut out = out.lock().await;
            out.put(message);
            out.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.answer().await.ok()?;
            if let Some(message) = self.waiting.pop_front() {
                return Some(message);
            }
            let line = self.lines.next().await?;
            self.take(&line);
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.out.lock().await.close().await
    }
}
