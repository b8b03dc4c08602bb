//! ralph-engine

pub mod custody;
pub mod output;
