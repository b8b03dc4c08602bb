//! Reads the promise in the latest message, without keeping any message.

use ralph_core::promise::{Claim, Scanner, Word};

/// Every message is read as if it were the last one; when another begins, what was read is forgotten.
#[derive(Debug)]
pub(super) struct FinalMessage {
    promise: Word,
    brief: String,
    scanner: Option<Scanner>,
}

impl FinalMessage {
    pub(super) fn new(promise: Word, brief: String) -> FinalMessage {
        FinalMessage { promise, brief, scanner: None }
    }

    /// What was said before was not the final message.
    pub(super) fn forget(&mut self) {
        self.scanner = None;
    }

    /// More of the same message.
    pub(super) fn say(&mut self, text: &str) {
        if !text.is_empty() {
            self.scanner.get_or_insert_with(|| Scanner::new(&self.promise, &self.brief)).feed(text);
        }
    }

    /// What the message claimed; after this there is none.
    pub(super) fn claim(&mut self) -> Claim {
        self.scanner.take().map_or(Claim::None, Scanner::finish)
    }
}
