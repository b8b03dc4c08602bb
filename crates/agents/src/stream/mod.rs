//! What agent programs print, read as events while it comes and as one conclusion when it ends.
//!
//! Nothing here reads a file or a clock. Whatever bytes come, memory stays bounded: a line is held up to 16 MiB, texts in
//! events are cut, and what is not in the agent's format is counted as malformed and passed over.

mod acp;
mod acp_call;
mod acp_end;
mod claude;
mod codex;
mod conclusion;
mod content;
mod conversation;
mod final_message;
mod format;
mod gemini;
mod jsonl;
mod manners;
mod opencode;
mod opencode_server;
mod plain;
mod qwen;
mod result_line;
mod speech;
mod told;
mod words;
mod workers;

use ralph_core::agent_event::AgentEvent;
use ralph_core::report::AgentExit;

pub use conclusion::{Conclusion, Outcome, Price};
pub use format::Format;
pub use manners::{Hearing, Manners};

/// Reads one attempt of one agent.
pub trait Parser: Send {
    /// Takes standard output in pieces of any size.
    fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(AgentEvent));

    /// Takes standard error in pieces of any size. Only an agent's own notices of waiting are looked for there.
    fn overhear(&mut self, bytes: &[u8], out: &mut dyn FnMut(AgentEvent));

    /// What it all amounts to. A last line without a line break still counts here, though it makes no events.
    fn conclude(self: Box<Self>, exit: &AgentExit, stderr_tail: &str) -> Conclusion;
}
