//! ralph-core

pub mod redact;
