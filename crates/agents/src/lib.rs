//! Who does the work: adapters that turn an agent program into what the engine drives.

mod command;

pub use command::{Command, CommandError};
