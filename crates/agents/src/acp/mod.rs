//! Agents that speak the Agent Client Protocol.
//!
//! The engine hands an agent its brief and listens; the protocol is a dialogue. So ralph's own program stands in between
//! as a **relay**: it is started as the agent, starts the real agent, leads the dialogue, and prints one JSON object per
//! line ([`Line`]), which is read like any other agent's stream.
//!
//! The relay offers the agent neither files nor terminals: agents have tools of their own, and what those do is seen in the
//! tree.

mod agent;
mod choice;
mod dialogue;
mod line;
mod permission;
mod relay;
mod wire;

pub use agent::{AcpAgent, AcpError, Relay};
pub use line::Line;
pub use permission::Permissions;
pub use relay::{Task, relay};
