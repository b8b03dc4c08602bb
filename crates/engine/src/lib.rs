//! ralph-engine

pub mod custody;
