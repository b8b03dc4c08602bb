//! What a panicking Rust program says.

use super::block::Block;

/// Collects the message of the first panic among the lines it is shown.
#[derive(Debug, Default, Clone)]
pub(super) struct Panic {
    place: String,
    message: Block,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Waiting,
    Message,
    Done,
}

impl Panic {
    pub(super) fn line(&mut self, line: &str) {
        match self.state {
            State::Waiting => self.begin(line.trim_start()),
            State::Message if is_end(line.trim_start()) => self.state = State::Done,
            State::Message => self.message.push(line),
            State::Done => {}
        }
    }

    /// `thread 'a' (4953) panicked at src/a.rs:10:5:`, or as before 2023 `thread 'a' panicked at 'text', src/a.rs:10:5`.
    fn begin(&mut self, line: &str) {
        let Some((_, rest)) = line.split_once(" panicked at ").filter(|_| line.starts_with("thread ")) else {
            return;
        };
        if let Some((text, place)) = rest.strip_prefix('\'').and_then(|rest| rest.rsplit_once("', ")) {
            place.clone_into(&mut self.place);
            self.message.push(text);
            self.state = State::Done;
        } else {
            rest.trim_end_matches(':').clone_into(&mut self.place);
            self.state = State::Message;
        }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn message(&self) -> &str {
        self.message.text()
    }
}

fn is_end(line: &str) -> bool {
    line.starts_with("stack backtrace:") || line.starts_with("note: ") || line.starts_with("thread '")
}
