//! Hosts that start a command at each event: Claude Code, and those that do it the same way.
//!
//! What differs between them is data (`dialect`); the rest is the same for all: an event is read (`event`), answered by
//! what lives in its session (`respond`), and said in the host's own format (`reply`).

mod beyond;
mod commands;
mod dialect;
mod event;
mod install;
mod object;
mod observed;
mod own_tool;
mod reply;
mod respond;
mod tool;
mod transcript;

pub use beyond::{Beyond, STRATEGIES, beyond};
pub use dialect::{ALL, CLAUDE, Dialect, Naming, What, of};
pub use event::{BadEvent, Event, Told, read};
pub use install::{Command, State, Times, plugin, unplug};
pub use reply::Reply;
pub use respond::{Circumstances, given_up, respond};
