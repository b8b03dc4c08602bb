//! ralph-core

pub mod promise;
