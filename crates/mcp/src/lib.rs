//! The Model Context Protocol on standard input and output: how agents reach their task and what is known, and operators
//! their runs.
//!
//! Two roles with nothing in common but the way they are served. A server has the tools of one role in its table, and
//! what is not in the table cannot be called.

mod agent;
mod inquiry;
mod library;
mod operator;
mod serve;
mod tool;
mod wire;

pub use agent::{Post, Room, Stranger, agent};
pub use inquiry::Inquiry;
pub use library::{Code, Library};
pub use operator::{Asked, LoopStart, Operator, Seat, operator};
pub use serve::{ServeError, serve};
pub use tool::{Answer, Caller, Tool};
