//! The latest message: the promise in it, and its end.

use ralph_core::promise::{Claim, Scanner, Word};
use ralph_engine::output::Tail;

/// How much of the end of a message is kept, in characters.
const KEPT: usize = 32 * 1024;

/// Every message is read as if it were the last one; when another begins, what was read is forgotten.
#[derive(Debug)]
pub(super) struct FinalMessage {
    promise: Word,
    brief: String,
    begun: Option<Begun>,
}

#[derive(Debug)]
struct Begun {
    /// There until the claim is taken.
    scanner: Option<Scanner>,
    end: Tail,
}

impl FinalMessage {
    pub(super) fn new(promise: Word, brief: String) -> FinalMessage {
        FinalMessage { promise, brief, begun: None }
    }

    /// What was said before was not the final message.
    pub(super) fn forget(&mut self) {
        self.begun = None;
    }

    /// More of the same message.
    pub(super) fn say(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let begun = self.begun.get_or_insert_with(|| Begun {
            scanner: Some(Scanner::new(&self.promise, &self.brief)),
            end: Tail::new(KEPT),
        });
        if let Some(scanner) = &mut begun.scanner {
            scanner.feed(text);
        }
        begun.end.push(text.as_bytes());
    }

    /// What the message claimed; after this there is no claim.
    pub(super) fn claim(&mut self) -> Claim {
        let scanner = self.begun.as_mut().and_then(|begun| begun.scanner.take());
        scanner.map_or(Claim::None, Scanner::finish)
    }

    /// The message, however many pieces it came in, or the end of a long one.
    pub(super) fn text(&self) -> Option<String> {
        self.begun.as_ref().map(|begun| begun.end.text().trim_end().to_owned())
    }
}
