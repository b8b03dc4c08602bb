//! The formats that agent programs print.

use serde::{Deserialize, Serialize};

use super::acp::Acp;
use super::claude::Claude;
use super::codex::Codex;
use super::conversation::Conversation;
use super::gemini::Gemini;
use super::jsonl::Jsonl;
use super::opencode::Opencode;
use super::opencode_server::OpencodeServer;
use super::plain::Plain;
use super::qwen::Qwen;
use super::{Hearing, Parser};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// What the relay prints of an agent that speaks the Agent Client Protocol.
    Acp,
    Claude,
    Opencode,
    /// What the relay prints of an OpenCode server.
    OpencodeServer,
    Codex,
    Gemini,
    Qwen,
    #[default]
    Text,
}

impl Format {
    pub const ALL: [Format; 8] = [
        Format::Acp,
        Format::Claude,
        Format::Opencode,
        Format::OpencodeServer,
        Format::Codex,
        Format::Gemini,
        Format::Qwen,
        Format::Text,
    ];

    pub fn parser(self, hearing: Hearing) -> Box<dyn Parser> {
        match self {
            Format::Acp => Box::new(Jsonl::new(Acp::default(), hearing)),
            Format::Claude => Box::new(Jsonl::new(Conversation::<Claude>::default(), hearing)),
            Format::Opencode => Box::new(Jsonl::new(Opencode::default(), hearing)),
            Format::OpencodeServer => Box::new(Jsonl::new(OpencodeServer::default(), hearing)),
            Format::Codex => Box::new(Jsonl::new(Codex::default(), hearing)),
            Format::Gemini => Box::new(Jsonl::new(Gemini::default(), hearing)),
            Format::Qwen => Box::new(Jsonl::new(Conversation::<Qwen>::default(), hearing)),
            Format::Text => Box::new(Plain::new(hearing)),
        }
    }

    /// Whether its counters go on where an earlier attempt at the same conversation left them.
    pub fn counts_conversation(self) -> bool {
        match self {
            Format::Codex | Format::Qwen => true,
            Format::Claude
            | Format::Opencode
            | Format::OpencodeServer
            | Format::Gemini
            | Format::Acp
            | Format::Text => false,
        }
    }

    /// Which text may carry the promise.
    pub fn final_message(self) -> &'static str {
        match self {
            Format::Claude | Format::Qwen => "the text of the last result line that is no error",
            Format::Opencode => "the texts of the last step",
            Format::OpencodeServer => "the text of the last message of the turn, as the session has it",
            Format::Codex => "the last agent message of a completed turn",
            Format::Gemini => "the assistant's words after its last tool, before a result that is no error",
            Format::Acp => "the agent's words after its last tool or thought, before it ends its turn",
            Format::Text => "the whole standard output",
        }
    }
}
