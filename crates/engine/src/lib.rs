//! ralph-engine

pub mod output;
