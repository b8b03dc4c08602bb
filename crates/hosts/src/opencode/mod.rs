//! OpenCode: a plugin that forwards events, and commands.

mod install;
mod observed;
mod translate;

pub use install::{install, places, uninstall};
pub use translate::{BadEvent, Event, read};

/// What the host is called, as an agent and as a seat of loops.
pub const NAME: &str = "opencode";
/// The version that the plugin was seen to work in.
pub const VERIFIED: &str = "1.18.33";
