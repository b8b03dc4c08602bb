//! Who does the work: adapters that turn an agent program into what the engine drives.

pub mod acp;
pub mod catalog;
mod cli_agent;
mod command;
pub mod limit;
pub mod opencode;
pub mod prices;
mod process;
mod program;
mod staff;
pub mod stream;
mod trouble;

pub use cli_agent::{Choice, CliAgent, CliAgentError, CliListener};
pub use command::{Command, CommandError};
pub use program::{ProgramError, find};
pub use staff::{Relays, Staff};
pub use trouble::trouble;
