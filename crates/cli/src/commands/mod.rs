//! One file per command.

pub(crate) mod config;
pub(crate) mod init;
