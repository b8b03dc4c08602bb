//! Who does the work: adapters that turn an agent program into what the engine drives.

mod command;
pub mod limit;

pub use command::{Command, CommandError};
