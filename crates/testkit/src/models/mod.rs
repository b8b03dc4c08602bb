//! A model server on loopback that answers by a script, in the protocols the agent programs speak.
//!
//! It keeps no session: where a conversation stands is read from the history each request carries, so a program
//! that starts again starts its script again. Only faults are remembered, because a request that failed leaves
//! nothing in the history.

mod answer;
mod anthropic;
mod chat;
mod conversation;
mod dialogue;
mod error_body;
mod gemini;
pub(crate) mod http;
mod promise;
mod protocol;
mod reply;
mod responses;
mod schema;
mod script;
mod seen;
mod server;
mod tools;

pub use promise::promise_word;
pub use protocol::Protocol;
pub use script::{Answer, Call, Conversation, Fault, Plain, Reply, Script, ScriptError, Turn, Usage, When};
pub use seen::{Answered, Seen};
pub use server::Server;
