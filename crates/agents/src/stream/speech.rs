//! Puts messages together that come in pieces of a few characters: people are shown whole ones.

use ralph_core::agent_event::AgentEvent;

use super::words;

/// A longer text is told in parts.
const MOST: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(super) struct Speech {
    voice: Option<Voice>,
    text: String,
}

/// Who speaks and of what kind it is; pieces of one voice belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Voice {
    Message { id: Option<String>, parent: Option<String> },
    Thought { parent: Option<String> },
}

impl Speech {
    /// Takes a piece; true if it begins a text.
    pub(super) fn say(&mut self, voice: Voice, piece: &str, out: &mut dyn FnMut(AgentEvent)) -> bool {
        let begins = self.voice.as_ref() != Some(&voice);
        if begins {
            self.end(out);
        } else if self.text.len() + piece.len() > MOST {
            self.tell(out);
        }
        self.voice = Some(voice);
        self.text.push_str(piece);
        begins
    }

    /// Something else comes: what was said is told.
    pub(super) fn end(&mut self, out: &mut dyn FnMut(AgentEvent)) {
        self.tell(out);
        self.voice = None;
    }

    fn tell(&mut self, out: &mut dyn FnMut(AgentEvent)) {
        let text = words::message(&self.text);
        self.text.clear();
        match &self.voice {
            _ if text.is_empty() => {}
            Some(Voice::Message { parent, .. }) => out(AgentEvent::Message { text, parent: parent.clone() }),
            Some(Voice::Thought { parent }) => out(AgentEvent::Reasoning { text, parent: parent.clone() }),
            None => {}
        }
    }
}
