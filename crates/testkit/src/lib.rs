//! What the tests stand on: temporary projects, scripted agents, a running ralph and the marks by which its processes
//! are found; scripted models and the real agent programs; what works on the same files as ralph; a client of the Model Context Protocol; small projects with
//! failures.

mod embeddings;
pub mod fixtures;
mod journal;
mod live;
mod mcp;
pub mod models;
pub mod opencode;
mod packages;
mod peers;
mod processes;
pub mod programs;
mod project;
pub mod proxy;
mod wait;

pub use embeddings::{Embeddings, Manner, Request};
pub use journal::{entries, extra_attempts, story};
pub use live::{Live, Peaks};
pub use mcp::{McpClient, install_mcp_client};
pub use packages::InstallError;
pub use peers::{RalphTui, install_ralph_tui};
pub use processes::{children, guard_of, is_alive, kill_group_nine, kill_nine, peak_memory, send, survivors};
pub use project::{Project, Ran};
pub use wait::{PATIENCE, until};
