//! OpenCode's server as an agent.
//!
//! As with the Agent Client Protocol, ralph's own program stands in between as a **relay**: it is started as the agent,
//! adopts a server or starts one, sends the brief into a session, follows the turn, and prints one JSON object per line
//! ([`Line`]). The server's stream of events is a hint; what is so is read from its messages and its status.

mod address;
mod adopted;
mod agent;
mod client;
mod follow;
mod left;
mod line;
mod relay;
mod server;
mod session;
mod sse;
mod stream;
mod toast;
mod tool;
mod turn;
mod version;
mod wire;

pub use address::{Address, AddressError, Login};
pub use adopted::Adopted;
pub use agent::{ServerAgent, ServerError, ServerRelay};
pub use client::CallError;
pub use line::{End, Failed, Line, Part};
pub use relay::{Patience, Task, relay};
pub use server::Place;
pub use session::Begin;
pub use toast::{Toast, Toaster, Variant};
pub use tool::McpServer;
pub use turn::TASK_COMPLETE;
